#include "speder/experiments/audit/objects/exact.hpp"

#include <rapidcheck.h>
#include <cmath>
#include <stdexcept>

#include "speder/experiments/audit/objects/scalar.hpp"
#include "speder/experiments/audit/objects/table.hpp"
#include "tests/catch.hpp"

using namespace speder::audit;

namespace audit_exact_test {
TEST_CASE("Exact: rational arithmetic is exact", "[audit][exact]") {
  const Exact third(1, 3);
  CHECK(to_text(third + third + third) == "1");
  CHECK(to_text(third * Exact(3, 7) - Exact(1, 7)) == "0");
  CHECK(to_text(Exact(1) / Exact(-6, 4)) == "-2/3");
  CHECK(to_text(Exact(1, -2)) == "-1/2");
  CHECK(surely_equal(third / third, Exact(1)));
  CHECK(surely_less(Exact(333333333, 1000000000), third));
  CHECK_FALSE(surely_less(third, third));
  CHECK(surely_le(third, third));
  CHECK_THROWS_AS(third / (third - third), std::domain_error);
}

TEST_CASE("Exact: a perfect square has an exact root, another root is enclosed", "[audit][exact]") {
  CHECK(to_text(sqrt(Exact(9, 16))) == "3/4");
  const Exact root = sqrt(Exact(2));
  CHECK_FALSE(root.is_point());
  CHECK(surely_less(Exact(1414213562373095LL, 1000000000000000LL), root));
  CHECK(surely_less(root, Exact(1414213562373096LL, 1000000000000000LL)));
  // The square of the enclosure straddles 2: neither side is proven.
  CHECK_FALSE(surely_less(root * root, Exact(2)));
  CHECK_FALSE(surely_less(Exact(2), root * root));
  CHECK_THROWS_AS(sqrt(Exact(-1)), std::domain_error);
}

TEST_CASE("Exact: exp and log enclose and invert each other", "[audit][exact]") {
  CHECK(surely_equal(exp(Exact(0)), Exact(1)));
  CHECK(surely_equal(log(Exact(1)), Exact(0)));
  const Exact e = exp(Exact(1));
  CHECK(surely_less(Exact(2718281828, 1000000000), e));
  CHECK(surely_less(e, Exact(2718281829, 1000000000)));
  const Exact back = log(e) - Exact(1);  // contains 0, and is narrower than 1e-60
  CHECK_FALSE(surely_less(back, Exact(0)));
  CHECK_FALSE(surely_less(Exact(0), back));
  CHECK(surely_less(abs(back), parse_exact("1e-60")));
  CHECK_THROWS_AS(log(Exact(0)), std::domain_error);
}

TEST_CASE("Exact: text in, text out", "[audit][exact]") {
  CHECK(to_text(parse_exact("3/12")) == "1/4");
  CHECK(to_text(parse_exact("-0.125")) == "-1/8");
  CHECK(to_text(parse_exact("2.5e3")) == "2500");
  CHECK(to_text(parse_exact("010")) == "10");
  for (const char* bad : {"", "x", "1/0", "1/", "1.2.3", "--1", "1e999999", "nan", "0x10"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_exact(bad), std::invalid_argument);
  }
}

TEST_CASE("Exact agrees with double on random fractions", "[audit][exact]") {
  CHECK(rc::check("field operations and roots", [](int a, int b, int c, int d) {
    RC_PRE(b != 0 && d != 0 && c != 0);
    const Exact x(a, b);
    const Exact y(c, d);
    const double u = static_cast<double>(a) / b;
    const double v = static_cast<double>(c) / d;
    RC_ASSERT(std::abs(to_double(x + y) - (u + v)) <= 1e-12 * (1 + std::abs(u) + std::abs(v)));
    RC_ASSERT(std::abs(to_double(x * y) - u * v) <= 1e-12 * (1 + std::abs(u * v)));
    RC_ASSERT(std::abs(to_double(x / y) - u / v) <= 1e-12 * (1 + std::abs(u / v)));
    RC_ASSERT(std::abs(to_double(sqrt(abs(x))) - std::sqrt(std::abs(u))) <=
              1e-12 * (1 + std::abs(u)));
    RC_ASSERT(to_double(max(x, y)) == std::max(to_double(x), to_double(y)));
  }));
}

TEST_CASE("solve and determinant: a Hilbert matrix exactly", "[audit][exact]") {
  Table<Exact> H(3, 3);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) H(i, j) = Exact(1, i + j + 1);
  }
  CHECK(to_text(determinant(H)) == "1/2160");
  const Table<Exact> inverse = solve(H, identity<Exact>(3));
  CHECK(to_text(inverse(0, 0)) == "9");
  CHECK(to_text(inverse(1, 1)) == "192");
  CHECK(to_text(inverse(2, 0)) == "30");
}

TEST_CASE("simplest_between: smallest denominator in the interval", "[audit][exact]") {
  const Fraction pi = simplest_between(3.1415, 3.1416);
  CHECK(pi.numerator == 333);
  CHECK(pi.denominator == 106);
  const Fraction half = simplest_between(0.49, 0.5);
  CHECK(half.numerator * 2 == half.denominator);
}

}  // namespace audit_exact_test
