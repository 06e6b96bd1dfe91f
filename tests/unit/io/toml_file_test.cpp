#include "speder/io/toml_file.hpp"

#include "speder/core/check.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace toml_file_test {
namespace {
ConfigTable toml(std::string_view text) { return ConfigTable::parse(text, "suite.toml"); }
template <class T>
T value(std::string_view text, T out = {}) {
  toml(text).read("key", out);
  return out;
}
}  // namespace

TEST_CASE("ConfigTable: typed values, absent keys leave the default", "[core][config]") {
  CHECK(value<int>("key = 7") == 7);
  CHECK(value<int>("other = 7", 3) == 3);
  CHECK(value<double>("key = 0.25") == 0.25);
  CHECK(value<double>("key = 2") == 2.0);  // an integer is a number
  CHECK(value<std::string>("key = 'lock'") == "lock");
  CHECK(value<bool>("key = true"));
  CHECK(value<std::uint64_t>("key = 0", 9) == 0);
  CHECK(value<std::vector<int>>("key = [1, 2]") == std::vector<int>{1, 2});
  CHECK(value<std::vector<double>>("key = [1, 0.5]") == std::vector<double>{1, 0.5});
  CHECK(value<std::vector<std::string>>("key = ['a']") == std::vector<std::string>{"a"});
}

TEST_CASE("ConfigTable: a mistake names file, line, key and what was expected", "[core][config]") {
  CHECK_THROWS_WITH(value<int>("\n\nkey = 'x'"), "suite.toml:3: key: expected an integer");
  CHECK_THROWS_WITH(value<int>("key = 1.5"), "suite.toml:1: key: expected an integer");
  CHECK_THROWS_WITH(value<int>("key = -4"), "suite.toml:1: key: must be positive (got -4)");
  CHECK_THROWS_WITH(value<int>("key = 3000000000"),
                    "suite.toml:1: key: must be positive (got 3000000000)");
  CHECK_THROWS_WITH(value<double>("key = true"), "suite.toml:1: key: expected a number");
  CHECK_THROWS_WITH(value<std::vector<int>>("\nkey = []"), "suite.toml:2: key: the list is empty");
  CHECK_THROWS_WITH(value<std::vector<int>>("key = 3"), "suite.toml:1: key: expected a list");
  CHECK_THROWS_WITH(value<std::vector<int>>("key = [\n1,\n'b']"),
                    "suite.toml:3: key: expected an integer");
  CHECK_THROWS_WITH(value<std::uint64_t>("key = -1"),
                    "suite.toml:1: key: expected an integer from 0 on");
  double out = 0;
  CHECK_THROWS_WITH(toml("[a]\nkey = 1.5").table("a").read("key", out, {0, 1}),
                    "suite.toml:2: a.key: must lie in [0, 1] (got 1.5)");
  CHECK_THROWS_WITH(toml("key = nan").read("key", out, {0, 1}), Catch::Contains("suite.toml:1"));
  CHECK_THROWS_WITH(toml("a = 1\nkey == 2"), Catch::StartsWith("suite.toml:2: not TOML: "));
  CHECK_THROWS_WITH(toml("").table("quick"), "suite.toml: quick: the table is missing");
  CHECK_THROWS_WITH(toml("quick = 1").table("quick"), "suite.toml:1: quick: expected a table");
  CHECK_THROWS_WITH(ConfigTable::load("/no/such.toml"), "/no/such.toml: no such file");
  CHECK_THROWS_AS(ConfigTable::load("/tmp"), InputError);
}

TEST_CASE("ConfigTable: a key nobody read is refused with its line", "[core][config]") {
  const ConfigTable table = toml("key = 1\nsead = 2");
  int key = 0;
  table.read("key", key);
  CHECK_THROWS_WITH(table.refuse_unknown(), "suite.toml:2: sead: unknown key (known here: key)");
  table.read("sead", key);
  CHECK_NOTHROW(table.refuse_unknown());
  // A key of a lower layer that an upper one covers is still known, a misspelt one is not.
  const ConfigTable file = toml("[all]\nkey = 1\nsises = 4\n[quick]\nkey = 2");
  const ConfigTable both = file.table("quick").over(file.table("all"));
  both.read("key", key);
  CHECK(key == 2);
  CHECK_THROWS_WITH(both.refuse_unknown(), Catch::StartsWith("suite.toml:3: all.sises: unknown"));
}

TEST_CASE("ConfigTable: fail() points at the key's line", "[core][config]") {
  CHECK_THROWS_WITH(toml("\nkey = 1").fail("key", "is odd"), "suite.toml:2: key: is odd");
  CHECK_THROWS_WITH(toml("").fail("key", "is needed"), "suite.toml: key: is needed");
}

TEST_CASE("ConfigTable: what the parser must not see is refused by line", "[core][config]") {
  CHECK_THROWS_WITH(ConfigTable::parse("a = 1\n  [[[b]]]\n", "f.toml"),
                    Catch::Contains("f.toml:2") && Catch::Contains("begins with [[["));
  CHECK_THROWS_WITH(ConfigTable::parse("a = 1 # ä\nä = 2\n", "f.toml"),
                    Catch::Contains("f.toml:2") && Catch::Contains("not ASCII"));
  CHECK(ConfigTable::parse("a = [[[1]]]  # [[[\nb = '[[[ ä'\n", "f.toml").has("b"));
}

TEST_CASE("ConfigTable: a key of very many dots is refused, a long list of numbers is not",
          "[core][config]") {
  std::string key = "a", list = "x = [0.5";
  for (int i = 0; i < 50'000; ++i) key += ".a";
  for (int i = 0; i < 1000; ++i) list += ", 0.5";
  CHECK_THROWS_WITH(ConfigTable::parse(key + " = 1", "f"), Catch::Contains("dots"));
  CHECK_THROWS_WITH(ConfigTable::parse("[" + key + "]", "f"), Catch::Contains("dots"));
  std::vector<double> x;
  ConfigTable::parse(list + "]", "f").read("x", x);
  CHECK(x.size() == 1001);
}

}  // namespace toml_file_test
