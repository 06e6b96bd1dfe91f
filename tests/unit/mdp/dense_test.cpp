#include "speder/mdp/file/dense.hpp"

#include <cmath>
#include <fstream>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/io/hdf5.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/families/families.hpp"
#include "tests/catch.hpp"
#include "tests/unit/mdp/scratch.hpp"

using namespace speder;
using Catch::Contains;
namespace fs = std::filesystem;

namespace dense_test {
namespace {

const std::string kGood =
    "# two states, one action\n"
    "gamma\n0.9\n"
    "P,2,1,2\n0.5,0.5\n0 1\n"
    "r,2,1\n0\n1e0\n\n"
    "rho,2\n1,0\n";

fs::path text_file(const Scratch& scratch, const std::string& text) {
  std::ofstream(scratch.path / "m.csv") << text;
  return scratch.path / "m.csv";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

DenseMdp dense_of(const TabularMdp& m) {
  return {.P = m.kernel().dense(),
          .reward = m.reward(),
          .rho = m.rho(),
          .nu = m.kernel().nu(),
          .gamma = m.gamma()};
}

}  // namespace

TEST_CASE("dense import: text and HDF5 give the same tables", "[mdp][file][dense]") {
  const Scratch scratch;
  const DenseMdp a = read_dense(text_file(scratch, kGood));
  CHECK(a.P == (Matrix(2, 2) << 0.5, 0.5, 0, 1).finished());
  CHECK(a.reward == (Vector(2) << 0, 1).finished());
  CHECK(a.nu == Vector::Ones(2));
  CHECK(a.gamma == 0.9);
  CHECK(read_dense(scratch.path / "m.csv", {.gamma = 0.5}).gamma == 0.5);
  {
    H5File out = H5File::create(scratch.path / "m.h5");
    out.write("P", std::span(a.P.data(), 4), {2, 1, 2});
    out.write("r", std::span(a.reward.data(), 2), {2, 1});
    out.write("rho", a.rho);
    out.number("gamma", 0.9);
    out.commit();
  }
  const DenseMdp b = read_dense(scratch.path / "m.h5");
  CHECK(a.P == b.P);
  CHECK(a.reward == b.reward);
  CHECK(a.rho == b.rho);
}

TEST_CASE("dense import: bad text is refused where it is bad", "[mdp][file][dense]") {
  const Scratch scratch;
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& a,
                           const std::string& b) {
    const fs::path path = text_file(scratch, replaced(kGood, from, to));
    CAPTURE(from, to);
    CHECK_THROWS_AS(read_dense(path), InputError);
    CHECK_THROWS_WITH(read_dense(path), Contains("m.csv") && Contains(a) && Contains(b));
  };
  refused("0.5,0.5", "0.6,0.5", "dataset 'P'", "row [0, 0] sums to 1.1, not 1");
  refused("0.5,0.5", "1.5,-0.5", "dataset 'P'", "entry [0, 0, 1] is -0.5");
  refused("0.5,0.5", "nan,0.5", "dataset 'P'", "entry [0, 0, 0] is nan");
  refused("0.5,0.5", "0.5", "dataset 'P'", "has 3 values, its shape (2, 1, 2) needs 4");
  refused("0.5,0.5", "0.5,half", "line 5", "'half' is not a number");
  refused("0.5,0.5", "0.5;0.5", "line 5", "'0.5;0.5' is not a number");
  refused("P,2,1,2", "P,2,2", "dataset 'P'", "expected (S, A, S)");
  refused("P,2,1,2", "P,2,2,1", "dataset 'P'", "has shape (2, 2, 1), expected (S, A, S)");
  refused("P,2,1,2", "P,2,1,-2", "line 4", "'-2' is not a size");
  refused("P,2,1,2", "P,200000,100000,200000", "line 4", "more than the file can hold");
  refused("P,2,1,2", "Q,2,1,2", "line 4", "'Q' is not a number");
  refused("r,2,1\n0\n1e0\n", "", "dataset 'reward'", "is missing");
  refused("1e0", "1.5", "dataset 'r'", "entry [1, 0] is 1.5");
  refused("1,0\n", "1,1\n", "dataset 'rho'", "sums to 2");
  refused("rho,2\n1,0", "rho,3\n1,0,0", "dataset 'rho'", "has shape (3), expected (2)");
  refused("rho,2\n1,0", "rho,2\n1,0\nnu,2\n1,0", "dataset 'nu'", "entry [1] is 0");
  refused("rho,2\n1,0", "rho,2\n1,0\nrho,2\n1,0", "line 13", "given twice");
  refused("0.9", "1.0", "attribute 'gamma'", "is 1, it must lie in (0,1)");
  refused("gamma\n0.9\n", "", "attribute 'gamma'", "is missing");
  refused("# two", "1 # two", "line 1", "before any table header");
  CHECK_THROWS_WITH(read_dense(scratch.path / "none.csv"), Contains("none.csv"));
}

TEST_CASE("factorise: exact at the rank of P, whatever the base measure", "[mdp][file][dense]") {
  for (const char* name : {"simplex", "signed", "block", "lock", "garnet", "canonical", "river",
                           "deepsea", "continuous"}) {
    const TabularMdp m = generate({.family = name, .seed = 11});
    const Factorised f = factorise(dense_of(m));
    CAPTURE(name, f.true_rank, f.error);
    CHECK(f.true_rank == kernel_rank(m.kernel()).rank);
    CHECK(f.mdp.rank() == f.true_rank);
    CHECK((f.mdp.kernel().dense() - m.kernel().dense()).cwiseAbs().maxCoeff() <= tol::kSimplex);
    CHECK(f.error <= tol::kLinearSolve);
    CHECK(conditions(f.mdp)[0].holds == Holds::kYes);  // |φ| ≤ 1
    CHECK(f.mdp.kernel().nu() == m.kernel().nu());
  }
}

TEST_CASE("factorise: linear rewards are recovered, others are left without theta_r",
          "[mdp][file][dense]") {
  const TabularMdp m = generate({.family = "simplex", .states = 20, .actions = 3, .rank = 4});
  DenseMdp dense = dense_of(m);
  const Factorised linear = factorise(dense);
  REQUIRE(linear.mdp.theta().size() == 4);
  CHECK((linear.mdp.kernel().phi().times(linear.mdp.theta()) - m.reward()).cwiseAbs().maxCoeff() <=
        tol::kLinearSolve);
  dense.reward[7] = dense.reward[7] < 0.5 ? 1 : 0;
  CHECK(factorise(dense).mdp.theta().size() == 0);
}

TEST_CASE("factorise: a truncation is refused with its error, or shrunk to a kernel",
          "[mdp][file][dense]") {
  const TabularMdp m = generate(
      {.family = "simplex", .states = 15, .actions = 3, .rank = 5, .knobs = {{"volume", 0.7}}});
  const DenseMdp dense = dense_of(m);
  const Vector root_nu = dense.nu.cwiseSqrt();
  const Vector sigma =
      Eigen::JacobiSVD<Eigen::MatrixXd>(dense.P * root_nu.cwiseInverse().asDiagonal())
          .singularValues();
  CHECK_THROWS_AS(factorise(dense, {.rank = 3}), InputError);
  CHECK_THROWS_WITH(factorise(dense, {.rank = 3}),
                    Contains(fmt::format("{:.6g} in L2(nu)", std::hypot(sigma[3], sigma[4]))) &&
                        Contains("is no kernel") && Contains("--shrink"));
  CHECK_THROWS_WITH(factorise(dense, {.rank = 6}), Contains("[1, 5]"));
  for (const Index k : {1, 2, 3, 4}) {
    const Factorised f = factorise(dense, {.rank = k, .shrink = true});
    CAPTURE(k, f.shrink, f.error, f.best_error);
    CHECK(f.mdp.rank() == k);  // TabularMdp's own checks say that it is a kernel
    CHECK_THAT(f.best_error, WithinAbs(sigma.tail(15 - k).norm(), tol::kLinearSolve));
    CHECK(f.error >= f.best_error);  // no kernel of rank k can be closer
    const Matrix off = (f.mdp.kernel().dense() - dense.P) * root_nu.cwiseInverse().asDiagonal();
    CHECK_THAT(f.error, WithinAbs(off.norm(), tol::kSimplex));
  }
  // Rank 1: every row is the mean row.
  const Matrix P1 = factorise(dense, {.rank = 1, .shrink = true}).mdp.kernel().dense();
  CHECK((P1.rowwise() - dense.P.colwise().mean()).cwiseAbs().maxCoeff() <= tol::kSimplex);
}

}  // namespace dense_test
