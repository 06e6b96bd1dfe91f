#include "speder/mdp/file/class_file.hpp"

#include "speder/core/check.hpp"
#include "speder/io/hdf5.hpp"
#include "speder/mdp/classes/candidate_class.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"
#include "tests/unit/mdp/scratch.hpp"

using namespace speder;
using Catch::Contains;
namespace fs = std::filesystem;

namespace class_file_test {
namespace {

const SeedTree kSeeds(61);

CandidateClass make(const std::string& kind, const std::string& precision) {
  Rng rng = kSeeds.stream("kernel");
  ClassSpec spec;
  spec.kind = kind;
  spec.size = 12;
  spec.precision = precision;
  return make_class(test::simplex_kernel({6, 2, 3}, rng), spec, kSeeds);
}

// A valid file of two members, one table of which a test may spoil.
struct Tables {
  std::map<std::string, H5Array> data = {
      {"phi", {{2, 2, 1, 2}, {0.5, 0.5, 0, 1, 0.25, 0.75, 1, 0}}},
      {"mu", {{2, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1}}},
      {"nu", {{2}, {1, 1}}}};
  std::string format = "speder-class";
  std::string kind = "list";
  double version = 1;
  std::optional<double> truth = {};
};

std::string refusal(const Scratch& scratch, const Tables& tables) {
  const fs::path path = scratch.path / "c.h5";
  H5File out = H5File::create(path);
  for (const auto& [name, table] : tables.data) out.write(name, table.values, table.shape);
  out.text("format", tables.format);
  out.text("kind", tables.kind);
  out.number("format_version", tables.version);
  if (tables.truth) out.number("truth", *tables.truth);
  out.commit();
  try {
    (void)load_class(path);
    return "";
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find('\n') == std::string::npos);
    CHECK_THAT(e.what(), Contains("c.h5"));
    return e.what();
  }
}

}  // namespace

TEST_CASE("class file: lists, single precision and products come back bit for bit",
          "[mdp][file][class]") {
  const Scratch scratch;
  const fs::path path = scratch.path / "c.h5";
  for (const auto& [kind, precision] : {std::pair{"multiscale", "double"},
                                        {"multiscale", "float"},
                                        {"misspecified", "double"},
                                        {"product", "double"}}) {
    const CandidateClass made = make(kind, precision);
    save_class(path, made.candidates, made.truth);
    const StoredClass read = load_class(path);
    CAPTURE(kind, precision);
    REQUIRE(read.candidates.size() == made.candidates.size());
    CHECK(read.candidates.is_product() == made.candidates.is_product());
    CHECK(read.candidates.nu() == made.candidates.nu());
    CHECK(read.truth == made.truth);
    for (Index c = 0; c < read.candidates.size(); ++c) {
      CHECK(read.candidates.phi(c) == made.candidates.phi(c));
      CHECK(read.candidates.mu(c) == made.candidates.mu(c));
    }
  }
}

TEST_CASE("class file: distances of a class that was read are those of its maker",
          "[mdp][file][class]") {
  Rng rng = kSeeds.stream("kernel");
  const Kernel truth = test::simplex_kernel({6, 2, 3}, rng);
  for (const char* kind : {"multiscale", "product", "misspecified"}) {
    CandidateClass made = make(kind, "double");
    const CandidateClass measured = measured_class(made.candidates, made.truth, truth, {});
    CAPTURE(kind);
    // Differences of numbers of size ‖P*‖² < 1, the square root of their rounding.
    CHECK((measured.distance - made.distance).cwiseAbs().maxCoeff() <= 1e-7);
    CHECK(std::abs(measured.nearest - made.nearest) <= 1e-7);
  }
}

TEST_CASE("class file: every fault is one line with the file and what is wrong",
          "[mdp][file][class]") {
  const Scratch scratch;
  REQUIRE(refusal(scratch, {}).empty());
  Tables t;
  t.data["phi"].values[4] = 0.3;
  CHECK_THAT(refusal(scratch, t), Contains("candidate 1") && Contains("sums to 1.05"));
  t = {};
  t.data["phi"].values = {1.5, -0.5, 0, 1, 0.25, 0.75, 1, 0};
  CHECK_THAT(refusal(scratch, t), Contains("candidate 0") && Contains("negative probability -0.5"));
  t = {};
  t.data["phi"].values[0] = NAN;
  CHECK_THAT(refusal(scratch, t), Contains("'phi'") && Contains("[0, 0, 0, 0]"));
  t = {};
  t.data["mu"] = {{1, 2, 2}, {1, 0, 0, 1}};
  CHECK_THAT(refusal(scratch, t), Contains("'mu'") && Contains("(1, 2, 2), expected (2, 2, 2)"));
  t.kind = "product";
  CHECK(refusal(scratch, t).empty());
  t.data["mu"].values = {2, -1, -1, 2};
  CHECK_THAT(refusal(scratch, t), Contains("product class needs phi in the simplex"));
  t = {};
  t.data["phi"] = {{2, 2, 2}, {0.5, 0.5, 0, 1, 0.25, 0.75, 1, 0}};
  CHECK_THAT(refusal(scratch, t), Contains("'phi'") && Contains("(F, S, A, d)"));
  t = {};
  t.data.erase("nu");
  CHECK_THAT(refusal(scratch, t), Contains("nu"));
  t = {};
  t.data["nu"].values[1] = 0;
  CHECK_THAT(refusal(scratch, t), Contains("'nu'") && Contains("must be positive"));
  for (const double truth : {-1.0, 2.0, 0.5}) {
    t = {};
    t.truth = truth;
    CHECK_THAT(refusal(scratch, t), Contains("'truth'") && Contains("0 … 1"));
  }
  t = {};
  t.kind = "tree";
  CHECK_THAT(refusal(scratch, t), Contains("'kind'") && Contains("list or product"));
  t = {};
  t.format = "speder-mdp";
  CHECK_THAT(refusal(scratch, t), Contains("is not speder-class"));
  t = {};
  t.version = 2;
  CHECK_THAT(refusal(scratch, t), Contains("this program reads 1"));
}

}  // namespace class_file_test
