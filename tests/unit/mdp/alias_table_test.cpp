#include "speder/mdp/sampling/alias_table.hpp"

#include <cmath>
#include <limits>

#include "speder/core/rng.hpp"
#include "speder/core/tolerance.hpp"
#include "tests/catch.hpp"

namespace speder::alias_table_test {
namespace {

const SeedTree kSeeds(20230501);

// Mass each outcome gets from the cells alone: exact, no sampling.
Vector law_of(std::span<const AliasCell> cells) {
  Vector p = Vector::Zero(static_cast<Index>(cells.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double share = static_cast<double>(cells[i].threshold) * 0x1.0p-32;
    p[static_cast<Index>(i)] += share;
    p[static_cast<Index>(cells[i].alias)] += 1 - share;
  }
  return p / static_cast<double>(cells.size());
}

double total_variation(const Vector& p, const Vector& q) { return 0.5 * (p - q).cwiseAbs().sum(); }

std::vector<AliasCell> build(const Vector& weights) {
  std::vector<AliasCell> cells(static_cast<std::size_t>(weights.size()));
  AliasBuilder().build({weights.data(), cells.size()}, cells);
  return cells;
}

}  // namespace

TEST_CASE("alias cells carry the law to within 2⁻³³ in total variation", "[alias]") {
  const int instance = GENERATE(range(0, 40));
  Rng rng = kSeeds.stream("alias", static_cast<std::uint64_t>(instance));
  const Index n = 1 + rng.index(300);
  Vector p = dirichlet(n, instance % 2 == 0 ? 1.0 : 0.05, rng);
  for (double& x : p)
    if (rng.bernoulli(0.2)) x = 0;
  if (p.sum() == 0) p[0] = 1;
  p /= p.sum();
  const auto cells = build(p * 7.5);  // any scale
  const Vector q = law_of(cells);
  CHECK(total_variation(p, q) <= 0x1.0p-33 + static_cast<double>(n) * 8 * tol::kUnit);
  for (Index i = 0; i < n; ++i)
    if (p[i] == 0) CHECK(q[i] == 0);  // never drawn
}

TEST_CASE("alias cells of a hand-solved law", "[alias]") {
  // n p = (0.5, 1.5): cell 0 keeps half and gives half to 1, cell 1 is full.
  const auto cells = build(Vector{{0.25, 0.75}});
  CHECK(cells[0].threshold == 1U << 31U);
  CHECK(cells[0].alias == 1);
  CHECK(cells[1].alias == 1);
}

TEST_CASE("alias draws: the random word is cut into cell and fraction", "[alias]") {
  AliasRows rows(1, 2);
  rows.set_row(0, std::vector<double>{0.25, 0.75});
  // Upper half of the words is cell 1; in the lower half the first half keeps outcome 0.
  CHECK(rows.draw(0, 0) == 0);
  CHECK(rows.draw(0, (std::uint64_t{1} << 62U) - 1) == 0);
  CHECK(rows.draw(0, std::uint64_t{1} << 62U) == 1);
  CHECK(rows.draw(0, ~std::uint64_t{0}) == 1);

  AliasLists lists;
  lists.add_row(std::vector<double>{0.25, 0.75}, std::vector<std::uint32_t>{7, 3});
  CHECK(lists.draw(0, 0) == 7);
  CHECK(lists.draw(0, (std::uint64_t{1} << 62U) - 1) == 7);
  CHECK(lists.draw(0, std::uint64_t{1} << 62U) == 3);
  CHECK(lists.draw(0, ~std::uint64_t{0}) == 3);
}

TEST_CASE("alias tables refuse weights that are no law", "[alias]") {
  CHECK_THROWS_AS(build(Vector::Zero(3)), std::invalid_argument);
  CHECK_THROWS_AS(build(Vector{{1.0, -0.5}}), std::invalid_argument);
  CHECK_THROWS_AS(build(Vector{{1.0, NAN}}), std::invalid_argument);
  CHECK_THROWS_AS(build(Vector{{1.0, INFINITY}}), std::invalid_argument);
  CHECK_THROWS_AS(AliasRows(1, 0), std::invalid_argument);
}

}  // namespace speder::alias_table_test
