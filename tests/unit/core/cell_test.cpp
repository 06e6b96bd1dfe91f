#include "core/cell.hpp"

#include <limits>
#include <stdexcept>

#include "tests/catch.hpp"

using speder::Cell;

TEST_CASE("Cell: a key reads back to the same cell, numbers to the same bits", "[core][cell]") {
  const double third = 1.0 / 3.0;
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Cell cell = Cell().set("gamma", third).set("variant", "iid").set("tiny", tiny).set("n", 64);
  CHECK(cell.key() == "gamma=0.3333333333333333 variant=iid tiny=5e-324 n=64");
  const Cell back = Cell::parse(cell.key());
  CHECK(back == cell);
  CHECK(back.number("gamma") == third);
  CHECK(back.number("tiny") == tiny);
  CHECK(back.text("variant") == "iid");
  CHECK(Cell::parse("") == Cell());
}

TEST_CASE("Cell: what could be read back as something else is refused", "[core][cell]") {
  CHECK_THROWS_AS(Cell().set("a b", "c"), std::invalid_argument);
  CHECK_THROWS_AS(Cell().set("a", "x=y"), std::invalid_argument);
  CHECK_THROWS_AS(Cell().set("a", ""), std::invalid_argument);
  CHECK_THROWS_AS(Cell().set("a", "1").set("a", "2"), std::invalid_argument);
  CHECK_THROWS_AS(Cell::parse("a"), std::invalid_argument);
  CHECK_THROWS_AS(Cell::parse("a=1  b=2"), std::invalid_argument);
  CHECK_THROWS_AS(Cell().set("a", "iid").number("a"), std::invalid_argument);
  CHECK_THROWS_AS(Cell().text("a"), std::invalid_argument);
}
