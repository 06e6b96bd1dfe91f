// libFuzzer's entrance; the environment variable SPEDER_FUZZ names the reader:
//   SPEDER_FUZZ=mdp build/fuzz/bin/speder_fuzz -max_total_time=300 -rss_limit_mb=2048 work tests/fuzz/corpus/mdp
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const speder::fuzz::Reader* const chosen = [] {
    const char* name = std::getenv("SPEDER_FUZZ");
    for (const speder::fuzz::Reader& reader : speder::fuzz::readers()) {
      if (name != nullptr && reader.name == name) return &reader;
    }
    std::abort();  // SPEDER_FUZZ must name a reader of readers.cpp
  }();
  chosen->read({data, size});
  return 0;
}
