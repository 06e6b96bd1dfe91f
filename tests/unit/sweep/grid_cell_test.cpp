#include "speder/sweep/grid_cell.hpp"

#include <limits>
#include <stdexcept>

#include "tests/catch.hpp"

using speder::GridCell;

namespace grid_cell_test {
TEST_CASE("GridCell: a key reads back to the same cell, numbers to the same bits", "[core][grid]") {
  const double third = 1.0 / 3.0;
  const double tiny = std::numeric_limits<double>::denorm_min();
  const GridCell cell =
      GridCell().set("gamma", third).set("variant", "iid").set("tiny", tiny).set("n", 64);
  CHECK(cell.key() == "gamma=0.3333333333333333 variant=iid tiny=5e-324 n=64");
  const GridCell back = GridCell::parse(cell.key());
  CHECK(back == cell);
  CHECK(back.number("gamma") == third);
  CHECK(back.number("tiny") == tiny);
  CHECK(back.text("variant") == "iid");
  CHECK(GridCell::parse("") == GridCell());
}

TEST_CASE("GridCell: what could be read back as something else is refused", "[core][grid]") {
  CHECK_THROWS_AS(GridCell().set("a b", "c"), std::invalid_argument);
  CHECK_THROWS_AS(GridCell().set("a", "x=y"), std::invalid_argument);
  CHECK_THROWS_AS(GridCell().set("a", ""), std::invalid_argument);
  CHECK_THROWS_AS(GridCell().set("a", "1").set("a", "2"), std::invalid_argument);
  CHECK_THROWS_AS(GridCell::parse("a"), std::invalid_argument);
  CHECK_THROWS_AS(GridCell::parse("a=1  b=2"), std::invalid_argument);
  CHECK_THROWS_AS(GridCell().set("a", "iid").number("a"), std::invalid_argument);
  CHECK_THROWS_AS(GridCell().text("a"), std::invalid_argument);
}

}  // namespace grid_cell_test
