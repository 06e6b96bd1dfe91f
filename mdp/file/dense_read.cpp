#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/file/csv.hpp"
#include "speder/mdp/file/dense.hpp"
#include "speder/mdp/file/reader.hpp"

namespace speder {
namespace {

// Either format as named tables.
struct Source {
  std::filesystem::path path;
  std::function<bool(const std::string&)> has;
  std::function<std::vector<Index>(const std::string&, std::size_t, std::string_view)> shape;
  std::function<Vector(const std::string&, const std::vector<Index>&)> table;
  std::function<std::optional<double>()> gamma;
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

Source csv_source(const std::filesystem::path& path) {
  const auto in = std::make_shared<file::CsvTables>(path);
  return {.path = path,
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

Vector read_rho(const Source& in, Index states) {
  Vector rho = in.table("rho", {states});
  file::require_distribution({in.path, "rho", {states}}, file::values_of(rho), tol::kFileSimplex);
  return rho / rho.sum();
}

Vector read_nu(const Source& in, Index states) {
  if (!in.has("nu")) return Vector::Ones(states);
  Vector nu = in.table("nu", {states});
  for (Index s = 0; s < states; ++s)
    if (!(nu[s] > 0)) file::refuse({in.path, "nu", {states}}, s, nu[s], "it must be positive");
  return nu;
}

}  // namespace

DenseMdp read_dense(const std::filesystem::path& path, std::optional<double> gamma) {
  const std::string ending = path.extension().string();
  const Source in = ending == ".csv" || ending == ".txt" ? csv_source(path) : hdf5_source(path);
  DenseMdp out;
  out.gamma = read_gamma(in, gamma);
  const std::vector<Index> shape = in.shape("P", 3, "(S, A, S)");
  const Index S = shape[0];
  const Index A = shape[1];
  if (S < 1 || A < 1 || shape[2] != S)
    file::refuse({path, "P", shape},
                 fmt::format("has shape ({}, {}, {}), expected (S, A, S)", S, A, shape[2]));
  const std::string reward = in.has("r") ? "r" : "reward";
  out.reward = in.table(reward, {S, A});
  file::require_between({path, reward, {S, A}}, file::values_of(out.reward), 0, 1);
  out.rho = read_rho(in, S);
  out.nu = read_nu(in, S);
  const Vector P = in.table("P", shape);
  out.P = Eigen::Map<const Matrix>(P.data(), S * A, S);
  normalise_rows(in, shape, out.P);
  return out;
}

}  // namespace speder
