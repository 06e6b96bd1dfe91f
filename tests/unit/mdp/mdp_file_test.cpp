#include "speder/mdp/file/mdp_file.hpp"

#include <fstream>
#include <functional>

#include "speder/core/check.hpp"
#include "speder/io/hdf5.hpp"
#include "speder/mdp/families/families.hpp"
#include "tests/catch.hpp"
#include "tests/unit/mdp/scratch.hpp"

using namespace speder;
using Catch::Contains;
namespace fs = std::filesystem;

namespace mdp_file_test {
namespace {

// A valid two-state file, one table of which a test may spoil.
struct Tables {
  std::map<std::string, H5Array> data = {{"phi", {{2, 2, 2}, {1, 0, 0.5, 0.5, 0, 1, 0.25, 0.75}}},
                                         {"mu", {{2, 2}, {1, 0, 0, 1}}},
                                         {"theta_r", {{2}, {0, 1}}},
                                         {"rho", {{2}, {1, 0}}},
                                         {"nu", {{2}, {1, 1}}},
                                         {"reward", {{2, 2}, {0, 0.5, 1, 0.75}}}};
  double gamma = 0.9;
};

fs::path write(const Scratch& scratch, const Tables& tables) {
  const fs::path path = scratch.path / "m.h5";
  H5File out = H5File::create(path);
  for (const auto& [name, table] : tables.data) out.write(name, table.values, table.shape);
  out.number("gamma", tables.gamma);
  out.commit();
  return path;
}

void check_equal(const TabularMdp& a, const TabularMdp& b) {
  CHECK(a.kernel().phi().to_dense() == b.kernel().phi().to_dense());
  CHECK(a.kernel().mu().to_dense() == b.kernel().mu().to_dense());
  CHECK(a.kernel().phi().is_sparse() == b.kernel().phi().is_sparse());
  CHECK(a.kernel().mu().is_sparse() == b.kernel().mu().is_sparse());
  CHECK(a.kernel().nu() == b.kernel().nu());
  CHECK(a.reward() == b.reward());
  CHECK(a.theta() == b.theta());
  CHECK(a.rho() == b.rho());
  CHECK(a.gamma() == b.gamma());
  CHECK(a.provenance().family == b.provenance().family);
  CHECK(a.provenance().seed == b.provenance().seed);
  CHECK(a.provenance().knobs == b.provenance().knobs);
}

}  // namespace

TEST_CASE("mdp file: every family comes back bit for bit", "[mdp][file]") {
  const Scratch scratch;
  const fs::path path = scratch.path / "m.h5";
  for (const Family& f : families()) {
    if (f.name == "file") continue;
    CAPTURE(f.name);
    const TabularMdp mdp = generate({.family = std::string(f.name), .gamma = 0.95, .seed = ~0ULL});
    save_mdp(path, mdp);
    check_equal(mdp, load_mdp(path));
    check_equal(mdp, generate({.family = "file", .path = path.string()}));
  }
}

TEST_CASE("mdp file: a reward that is not linear keeps its empty theta_r", "[mdp][file]") {
  const Scratch scratch;
  const TabularMdp m = generate({.family = "garnet", .states = 4, .actions = 3});
  const TabularMdp other(m.kernel(), {.table = Vector::Unit(12, 5), .theta = {}}, m.rho(), 0.5,
                         {.family = "mine", .seed = 3, .knobs = {{"note", std::string("text")}}});
  save_mdp(scratch.path / "m.h5", other);
  check_equal(other, load_mdp(scratch.path / "m.h5"));
}

TEST_CASE("mdp file: a million states come back", "[mdp][file]") {
  // Only a careful sum of a million probabilities is 1 up to tol::kSimplex.
  const Scratch scratch;
  constexpr Index kStates = 1'000'000;
  const Vector uniform = Vector::Constant(kStates, 1e-6);
  const Matrix ones = Matrix::Ones(kStates, 1);
  const TabularMdp mdp(Kernel(1, ones, Matrix(uniform), Vector::Ones(kStates)),
                       {.table = Vector::Zero(kStates), .theta = Vector::Zero(1)}, uniform, 0.9);
  save_mdp(scratch.path / "m.h5", mdp);
  CHECK(load_mdp(scratch.path / "m.h5").rho() == mdp.rho());
}

TEST_CASE("mdp file: large sparse factors are stored as compressed rows", "[mdp][file]") {
  const Scratch scratch;
  const fs::path path = scratch.path / "lock.h5";
  const TabularMdp lock =
      generate({.family = "lock", .states = 1500, .actions = 10, .rank = 1500, .seed = 4});
  save_mdp(path, lock);
  CHECK(H5File::open(path).has("phi_indptr"));
  CHECK(!H5File::open(path).has("phi"));
  const TabularMdp back = load_mdp(path);
  CHECK(back.kernel().phi().is_sparse());
  CHECK((lock.kernel().phi().sparse() - back.kernel().phi().sparse()).norm() == 0);
  CHECK((lock.kernel().mu().sparse() - back.kernel().mu().sparse()).norm() == 0);
  CHECK(lock.reward() == back.reward());
}

TEST_CASE("mdp file: the tables a user writes by hand are enough", "[mdp][file]") {
  const Scratch scratch;
  const TabularMdp m = load_mdp(write(scratch, {}));
  CHECK(m.states() == 2);
  CHECK(m.kernel().dense()(3, 1) == 0.75);
  CHECK(m.provenance().family == "file");
}

TEST_CASE("mdp file: every fault is one line with file, dataset, index and value", "[mdp][file]") {
  const Scratch scratch;
  const auto refused = [&](const std::function<void(Tables&)>& spoil, const std::string& a,
                           const std::string& b) {
    Tables tables;
    spoil(tables);
    const fs::path path = write(scratch, tables);
    CAPTURE(a, b);
    CHECK_THROWS_AS(load_mdp(path), InputError);
    CHECK_THROWS_WITH(load_mdp(path),
                      Contains("m.h5") && Contains(a) && Contains(b) && !Contains("\n"));
  };
  for (const std::string name : {"phi", "mu", "theta_r", "rho", "nu", "reward"}) {
    refused([&](Tables& t) { t.data.erase(name); }, "dataset '" + name + "'", "is missing");
    refused([&](Tables& t) { t.data[name].values[1] = NAN; }, "dataset '" + name + "'", "is nan");
    refused(
        [&](Tables& t) {
          t.data[name] = {{1, 1, 1, 2}, {0, 1}};
        },
        "dataset '" + name + "'", "has shape (1, 1, 1, 2), expected");
  }
  refused([](Tables& t) { t.data["phi"].values[5] = INFINITY; }, "dataset 'phi'",
          "entry [1, 0, 1] is inf");
  refused(
      [](Tables& t) {
        t.data["mu"] = {{3, 2}, {1, 0, 0, 1, 0, 0}};
      },
      "dataset 'mu'", "has shape (3, 2), expected (2, 2)");
  refused([](Tables& t) { t.data["phi"].values[2] = 0.4; }, "datasets 'phi', 'mu', 'nu'",
          "row (s=0, a=1) sums to 0.9, not 1");
  refused(
      [](Tables& t) {
        t.data["phi"].values[2] = -0.5;
        t.data["phi"].values[3] = 1.5;
      },
      "negative probability -0.5", "(s=0, a=1), s'=0");
  refused([](Tables& t) { t.data["nu"].values[1] = 0; }, "dataset 'nu'", "entry [1] is 0");
  refused([](Tables& t) { t.data["nu"].values[1] = 2; }, "datasets 'phi', 'mu', 'nu'", "sums to");
  refused(
      [](Tables& t) {
        t.data["rho"].values = {1.5, -0.5};
      },
      "dataset 'rho'", "entry [1] is -0.5");
  refused([](Tables& t) { t.data["rho"].values = {0.5, 0.4}; }, "dataset 'rho'", "sums to 0.9");
  refused([](Tables& t) { t.data["reward"].values[2] = 1.5; }, "dataset 'reward'",
          "entry [1, 0] is 1.5, it must lie in [0, 1]");
  refused([](Tables& t) { t.data["theta_r"].values[0] = 0.5; }, "datasets 'reward', 'theta_r'",
          "(s=0, a=0) differs from <phi, theta_r> by 0.5");
  for (const double gamma : {0.0, 1.0, -1.0, 2.0, static_cast<double>(NAN)})
    refused([&](Tables& t) { t.gamma = gamma; }, "attribute 'gamma'",
            fmt::format("is {}, it must lie in (0,1)", gamma));
}

TEST_CASE("mdp file: sparse rows are checked before they are used", "[mdp][file]") {
  const Scratch scratch;
  const auto sparse = [&](const std::function<void(Tables&)>& spoil) {
    Tables tables;
    tables.data.erase("phi");
    tables.data["phi_data"] = {{6}, {1, 0.5, 0.5, 1, 0.25, 0.75}};
    tables.data["phi_indices"] = {{6}, {0, 0, 1, 1, 0, 1}};
    tables.data["phi_indptr"] = {{5}, {0, 1, 3, 4, 6}};
    spoil(tables);
    const fs::path path = scratch.path / "m.h5";
    H5File out = H5File::create(path);
    for (const auto& [name, table] : tables.data) out.write(name, table.values, table.shape);
    out.number("gamma", 0.9);
    out.number("rank", 2);
    out.commit();
    return path;
  };
  CHECK(load_mdp(sparse([](Tables&) {})).kernel().dense()(1, 1) == 0.5);
  const auto refused = [&](const std::string& table, std::size_t at, double value,
                           const std::string& message) {
    const fs::path path = sparse([&](Tables& t) { t.data[table].values[at] = value; });
    CHECK_THROWS_WITH(load_mdp(path), Contains("dataset '" + table + "'") && Contains(message));
  };
  refused("phi_indices", 3, 2, "entry [3] is 2, it must be a whole number in [0, 1]");
  refused("phi_indices", 3, -1, "entry [3] is -1");
  refused("phi_indices", 3, 0.5, "entry [3] is 0.5");
  refused("phi_indices", 2, 0, "entry [2] is 0, columns must increase within a row");
  refused("phi_indptr", 0, 1, "entry [0] is 1, it must be 0");
  refused("phi_indptr", 4, 5, "entry [4] is 5, it must be the data's length");
  refused("phi_indptr", 2, 0, "entry [2] is 0, it must not decrease");
  refused("phi_indptr", 2, 1e9, "entry [2] is 1000000000");
  refused("phi_data", 0, NAN, "entry [0] is nan");
}

TEST_CASE("mdp file: a file that declares more than it holds is refused before allocating",
          "[mdp][file]") {
  const Scratch scratch;
  Tables tables;
  tables.data["reward"] = {{0, 2}, {}};
  CHECK_THROWS_AS(load_mdp(write(scratch, tables)), InputError);
  // Cut in half, at several places: an error, never a crash or a half-read MDP.
  const fs::path whole = write(scratch, {});
  const auto size = fs::file_size(whole);
  for (const auto part : {size / 8, size / 2, size - 1}) {
    const fs::path cut = scratch.path / "cut.h5";
    fs::copy_file(whole, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, part);
    CHECK_THROWS_AS(load_mdp(cut), InputError);
  }
}

TEST_CASE("mdp file: another format or version is named", "[mdp][file]") {
  const Scratch scratch;
  const fs::path path = scratch.path / "m.h5";
  {
    H5File out = H5File::create(path);
    out.text("format", "speder-mdp");
    out.number("format_version", 2);
    out.commit();
  }
  CHECK_THROWS_WITH(load_mdp(path), Contains("'format_version'") && Contains("is 2"));
  CHECK_THROWS_WITH(load_mdp(scratch.path / "none.h5"), Contains("none.h5"));
}

}  // namespace mdp_file_test
