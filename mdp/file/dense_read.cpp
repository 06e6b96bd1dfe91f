#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/file/dense.hpp"
#include "speder/mdp/file/reader.hpp"
#include "speder/mdp/file/tables.hpp"

namespace speder {
namespace {

// Either format as named tables.
struct Source {
  std::filesystem::path path;
  std::function<bool(const std::string&)> has;
  std::function<std::vector<Index>(const std::string&, std::size_t, std::string_view)> shape;
  std::function<Vector(const std::string&, const std::vector<Index>&)> table;
  std::function<std::optional<double>()> gamma;
  bool may_lack_rho = false;
};

Source hdf5_source(const std::filesystem::path& path) {
  const auto in = std::make_shared<file::Reader>(path);
  return {.path = path,
          .has = [in](const std::string& name) { return in->file().has(name); },
          .shape = [in](const std::string& name, std::size_t rank,
                        std::string_view axes) { return in->shape(name, rank, axes); },
          .table = [in](const std::string& name,
                        const std::vector<Index>& shape) { return in->vector(name, shape); },
          .gamma = [in]() -> std::optional<double> {
            if (!in->file().has_attribute("gamma")) return std::nullopt;
            return in->file().number("gamma");
          }};
}

Source source_of(file::NamedTables tables) {
  const auto in = std::make_shared<const file::NamedTables>(std::move(tables));
  return {.path = in->path(),
          .has = [in](const std::string& name) { return in->has(name); },
          .shape = [in](const std::string& name, std::size_t rank,
                        std::string_view axes) { return in->shape(name, rank, axes); },
          .table = [in](const std::string& name,
                        const std::vector<Index>& shape) { return in->vector(name, shape); },
          .gamma = [in]() -> std::optional<double> {
            if (!in->has("gamma")) return std::nullopt;
            return in->vector("gamma", {1})[0];
          }};
}

Source numpy_source(const std::filesystem::path& path, const std::filesystem::path& reward) {
  file::NamedTables tables = file::read_numpy(path);
  if (path.extension() == ".npy") {
    if (reward.extension() != ".npy")
      throw InputError(path.string() + ": has P alone; give the rewards with --reward r.npy");
    tables.add("r", file::read_numpy(reward).all().at("P"));
  }
  Source source = source_of(std::move(tables));
  source.may_lack_rho = true;
  return source;
}

Source text_source(const std::filesystem::path& path) {
  file::NamedTables tables = file::read_text_tables(path);
  const bool transitions = !tables.has("gamma") && !tables.has("rho") && tables.has("P");
  Source source = source_of(std::move(tables));
  source.may_lack_rho = transitions;
  return source;
}

Source open_source(const std::filesystem::path& path, const std::filesystem::path& reward) {
  const std::string ending = path.extension().string();
  if (!reward.empty() && ending != ".npy")
    throw InputError("--reward goes with a .npy file; every other format has r in it");
  if (ending == ".csv" || ending == ".txt") return text_source(path);
  if (ending == ".npz" || ending == ".npy") return numpy_source(path, reward);
  return hdf5_source(path);
}

double read_gamma(const Source& in, std::optional<double> given) {
  const std::optional<double> gamma = given ? given : in.gamma();
  if (!gamma)
    throw ConfigError(in.path.string(), "attribute 'gamma'", "is missing (or give --gamma)");
  file::require_gamma(in.path, *gamma);
  return *gamma;
}

// Rows as distributions, divided by their sums.
void normalise_rows(const Source& in, const std::vector<Index>& shape, Matrix& P) {
  const file::Named name{in.path, "P", shape};
  for (Index i = 0; i < P.rows(); ++i) {
    for (Index next = 0; next < P.cols(); ++next)
      if (!(P(i, next) >= 0))
        file::refuse(name, i * P.cols() + next, P(i, next), "a probability must not be negative");
    const double total = P.row(i).sum();
    if (!(std::abs(total - 1) <= tol::kFileSimplex))
      file::refuse(
          name, fmt::format("row {} sums to {}, not 1 (allowed difference {})",
                            file::entry_name({shape[0], shape[1]}, i), total, tol::kFileSimplex));
    P.row(i) /= total;
  }
}

void read_rho(const Source& in, std::optional<Index> start, DenseMdp& out) {
  const Index S = out.states();
  if (start && (*start < 0 || *start >= S))
    throw InputError(fmt::format("--start {}: the states are 0 .. {}", *start, S - 1));
  if (start) {
    out.rho = Vector::Unit(S, *start);
  } else if (in.may_lack_rho && !in.has("rho")) {
    out.rho = Vector::Constant(S, 1.0 / static_cast<double>(S));
    out.rho_assumed = true;
  } else {
    out.rho = in.table("rho", {S});
    file::require_distribution({in.path, "rho", {S}}, file::values_of(out.rho), tol::kFileSimplex);
    out.rho /= out.rho.sum();
  }
}

void read_reward(const Source& in, Index states, Index actions, bool rescale, DenseMdp& out) {
  const std::string name = in.has("r") ? "r" : in.has("R") ? "R" : "reward";
  const std::vector<Index> shape = {states, actions};
  out.reward = in.table(name, shape);
  const double low = out.reward.minCoeff();
  const double high = out.reward.maxCoeff();
  if (low >= 0 && high <= 1) return;
  if (!rescale) {
    Index worst = 0;
    (low < 0 ? out.reward.minCoeff(&worst) : out.reward.maxCoeff(&worst));
    file::refuse({in.path, name, shape}, worst, out.reward[worst],
                 "it must lie in [0, 1] (--rescale-rewards moves all rewards into it)");
  }
  out.reward_units = {.scale = high > low ? high - low : 1, .offset = low};
  out.reward = ((out.reward.array() - low) / out.reward_units.scale).cwiseMax(0.0).cwiseMin(1.0);
}

Vector read_nu(const Source& in, Index states) {
  if (!in.has("nu")) return Vector::Ones(states);
  Vector nu = in.table("nu", {states});
  for (Index s = 0; s < states; ++s)
    if (!(nu[s] > 0)) file::refuse({in.path, "nu", {states}}, s, nu[s], "it must be positive");
  return nu;
}

DenseMdp dense_from(const Source& in, const ReadDenseOptions& options) {
  DenseMdp out;
  out.gamma = read_gamma(in, options.gamma);
  const std::vector<Index> shape = in.shape("P", 3, "(S, A, S)");
  const Index S = shape[0];
  const Index A = shape[1];
  if (S < 1 || A < 1 || shape[2] != S) {
    const bool actions_first = S >= 1 && A >= 1 && A == shape[2];
    file::refuse({in.path, "P", shape},
                 fmt::format("has shape ({}, {}, {}), expected (S, A, S){}", S, A, shape[2],
                             actions_first ? ": P.transpose(1, 0, 2) has it" : ""));
  }
  const Vector P = in.table("P", shape);
  out.P = Eigen::Map<const Matrix>(P.data(), S * A, S);
  normalise_rows(in, shape, out.P);
  read_reward(in, S, A, options.rescale_rewards, out);
  read_rho(in, options.start, out);
  out.nu = read_nu(in, S);
  return out;
}

}  // namespace

DenseMdp read_dense(const std::filesystem::path& path, const ReadDenseOptions& options) {
  return dense_from(open_source(path, options.reward), options);
}

DenseMdp dense_of(const file::NamedTables& tables, const ReadDenseOptions& options) {
  Source source = source_of(tables);
  source.may_lack_rho = true;
  return dense_from(source, options);
}

}  // namespace speder
