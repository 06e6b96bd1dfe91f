#include "speder/deep/exact/compare.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/learning/representation.hpp"
#include "speder/learning/spectral_estimator.hpp"
#include "speder/mdp/classes/candidate_class.hpp"
#include "speder/oracle/exact.hpp"

namespace speder::deep {
namespace {

Tensor to_tensor(const Matrix& m) {
  const Tensor t = at::empty({m.rows(), m.cols()}, at::kFloat);
  std::copy_n(m.data(), m.size(), t.data_ptr<float>());
  return t;
}

Matrix to_matrix(const Tensor& t) {
  const Tensor c = t.detach().to(at::kCPU, at::kDouble).contiguous();
  return Eigen::Map<const Matrix>(c.data_ptr<double>(), c.size(0), c.size(1));
}

/// [observation of s | unit vector of a] for every pair, in the order of pair_index. (SA × (n + A))
Matrix pair_inputs(const ExactMdp& exact) {
  const Index states = exact.mdp->states(), actions = exact.mdp->actions();
  const Index n = exact.observations.cols();
  Matrix x = Matrix::Zero(states * actions, n + actions);
  for (Index s = 0; s < states; ++s) {
    for (Index a = 0; a < actions; ++a) {
      x.row(s * actions + a).head(n) = exact.observations.row(s);
      x(s * actions + a, n + a) = 1;
    }
  }
  return x;
}

/// The largest entry of each row of scores (S, A).
Policy largest_scores(const Tensor& scores, const ExactMdp& exact) {
  const Tensor chosen = scores.argmax(1).to(at::kLong);
  std::vector<std::int32_t> choice;
  for (Index s = 0; s < exact.mdp->states(); ++s) {
    choice.push_back(static_cast<std::int32_t>(chosen[s].item<std::int64_t>()));
  }
  return Policy::deterministic(std::move(choice), exact.mdp->actions());
}

/// How often pairs and next states occur in the data, as probabilities.
struct Frequencies {
  Vector pair;  // (SA)
  Vector next;  // (S)
};

Frequencies frequencies(const std::vector<Step>& data, Index pairs, Index states) {
  require(!data.empty(), "a comparison needs data");
  Frequencies f{Vector::Zero(pairs), Vector::Zero(states)};
  for (const Step& s : data) {
    f.pair[s.pair] += 1;
    f.next[s.next] += 1;
  }
  f.pair /= static_cast<double>(data.size());
  f.next /= static_cast<double>(data.size());
  return f;
}

struct Factored {
  Eigen::MatrixXd left;  // (SA × k)
  Vector sigma;          // (k)
};

/// K = D_ρ^½ P D_p^−½, columns of p = 0 left out, and its leading k triplets.
Factored leading(const Matrix& P, const Vector& rho, const Vector& p, Index k) {
  Eigen::MatrixXd K = rho.cwiseSqrt().asDiagonal() * P;
  for (Index s = 0; s < p.size(); ++s) K.col(s) *= p[s] > 0 ? 1 / std::sqrt(p[s]) : 0.0;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(K, Eigen::ComputeThinU);
  return {svd.matrixU().leftCols(k), svd.singularValues().head(k)};
}

Index rank_of(const Vector& sigma) { return (sigma.array() > tol::kRank * sigma[0]).count(); }

/// Principal angles between the spans of orthonormal columns, in degrees, ascending.
std::vector<double> angles_between(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  // Sines of the angles, which are exact where cosines are not: the singular values of (I − aaᵀ)b.
  const Eigen::MatrixXd rest = b - a * (a.transpose() * b);
  const Vector sines = Eigen::JacobiSVD<Eigen::MatrixXd>(rest).singularValues();
  std::vector<double> out;
  for (Index i = sines.size(); i-- > 0;) {
    out.push_back(std::asin(std::min(1.0, sines[i])) * 180 / std::numbers::pi);
  }
  return out;
}

/// P with every row moved to the nearest distribution: what can be planned in.
Matrix nearest_kernel(Matrix P) {
  const Vector ones = Vector::Ones(P.cols());
  for (Index x = 0; x < P.rows(); ++x) {
    Eigen::RowVectorXd q = P.row(x);
    project_row(q, ones);
    P.row(x) = q / q.sum();
  }
  return P;
}

double planned_return(const TabularMdp& mdp, const Matrix& P) {
  const Kernel kernel(mdp.actions(), Factor(P),
                      Factor(Matrix(Matrix::Identity(P.cols(), P.cols()))), Vector::Ones(P.cols()));
  const PlanResult best = plan({kernel, mdp.reward(), mdp.gamma()});
  return exact_return(mdp, Policy::deterministic(best.policy, mdp.actions()));
}

}  // namespace

Index state_of_observation(const ExactMdp& exact, std::span<const float> observation) {
  const Matrix& table = exact.observations;
  require(std::ssize(observation) == table.cols(), "an observation of another size",
          observation.size());
  for (Index s = 0; s < table.rows(); ++s) {
    bool same = true;
    for (Index j = 0; j < table.cols() && same; ++j) {
      same = static_cast<float>(table(s, j)) == observation[static_cast<std::size_t>(j)];
    }
    if (same) return s;
  }
  throw std::invalid_argument("an observation that is no state's");
}

ExactModel deep_model(const Agent& agent, const ExactMdp& exact, const std::vector<Step>& data) {
  require(static_cast<bool>(agent.phi) && static_cast<bool>(agent.mu),
          "this agent has no factors of P");
  const TabularMdp& mdp = *exact.mdp;
  const Matrix phi = to_matrix(agent.phi(to_tensor(pair_inputs(exact))));  // (SA × d)
  const Matrix mu = to_matrix(agent.mu(to_tensor(exact.observations)));    // (S × d)
  const Frequencies f = frequencies(data, mdp.pairs(), mdp.states());
  const Tensor q = agent.q(to_tensor(pair_inputs(exact))).view({mdp.states(), mdp.actions()});
  return {"deep", Matrix((phi * mu.transpose()) * f.next.asDiagonal()),
          largest_scores(agent.act(to_tensor(exact.observations), {}), exact),
          largest_scores(q, exact)};
}

ExactModel spectral_model(const TabularMdp& mdp, const std::vector<Step>& data) {
  SpectralEstimator estimator({mdp.actions(), mdp.rank(), mdp.kernel().nu()});
  for (const Step& step : data) estimator.add(step);
  return {"spectral", estimator.fit().P, {}, {}};
}

ExactModel class_model(const TabularMdp& mdp, const std::vector<Step>& data, int size,
                       const SeedTree& seeds) {
  ClassSpec spec;
  spec.size = size;
  const CandidateClass made = make_class(mdp.kernel(), spec, seeds);
  Estimator estimator(made.candidates, Criterion::kLeastSquares);
  estimator.add(tally(data, 0, std::ssize(data)));
  return {"class", made.candidates.kernel(estimator.best().candidate).dense(), {}, {}};
}

ExactReport compare_with_truth(const TabularMdp& mdp, const std::vector<Step>& data,
                               const std::vector<ExactModel>& models) {
  const Matrix truth = mdp.kernel().dense();
  const Frequencies f = frequencies(data, mdp.pairs(), mdp.states());
  const Vector p = truth.transpose() * f.pair;
  const Factored all = leading(truth, f.pair, p, std::min(truth.rows(), truth.cols()));
  ExactReport report;
  report.rank = rank_of(all.sigma);
  report.steps = std::ssize(data);
  report.pairs_seen = (f.pair.array() > 0).count();
  report.best = mdp.rho().dot(exact_optimum(mdp).value);
  report.uniform = exact_return(mdp, Policy::uniform(mdp.states(), mdp.actions()));
  report.singular_values = all.sigma.head(report.rank);
  for (const ExactModel& m : models) {
    const Factored own = leading(m.P, f.pair, p, report.rank);
    ExactRow row{.name = m.name,
                 .angles = angles_between(all.left.leftCols(report.rank), own.left),
                 .singular_values = own.sigma};
    const Matrix kernel = nearest_kernel(m.P);
    row.kernel_error = f.pair.dot((kernel - truth).cwiseAbs().rowwise().sum());
    row.plan_gap = report.best - planned_return(mdp, kernel);
    if (m.policy) row.policy_gap = report.best - exact_return(mdp, *m.policy);
    if (m.greedy) row.greedy_gap = report.best - exact_return(mdp, *m.greedy);
    report.rows.push_back(std::move(row));
  }
  return report;
}

}  // namespace speder::deep
