#pragma once
// Catch2 v2 (Debian 12) and v3 keep their headers in different places; tests include this one.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
#else
#include <catch2/catch.hpp>
using Catch::WithinAbs;
using Catch::WithinRel;
#endif
