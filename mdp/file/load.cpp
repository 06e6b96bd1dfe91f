#include <charconv>
#include <cmath>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/file/mdp_file.hpp"
#include "speder/mdp/file/reader.hpp"

namespace speder {
namespace {

using file::Reader;

constexpr double kVersion = 1;

void require_version(const Reader& in) {
  if (in.file().has_attribute("format") && in.file().text("format") != "speder-mdp")
    throw ConfigError(in.path().string(), "attribute 'format'", "is not speder-mdp");
  if (!in.file().has_attribute("format_version")) return;
  const double version = in.file().number("format_version");
  if (version != kVersion)
    throw ConfigError(in.path().string(), "attribute 'format_version'",
                      fmt::format("is {}, this program reads {}", version, kVersion));
}

// Positions as written by a program that is not this one: whole numbers in [0, limit], checked one
// by one before they become indices.
std::vector<std::int32_t> positions(const Reader& in, const std::string& name, Index n,
                                    Index limit) {
  const Vector raw = in.vector(name, {n});
  std::vector<std::int32_t> out(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    if (raw[i] != std::floor(raw[i]) || raw[i] < 0 || raw[i] > static_cast<double>(limit))
      file::refuse({in.path(), name, {n}}, i, raw[i],
                   fmt::format("it must be a whole number in [0, {}]", limit));
    out[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(raw[i]);
  }
  return out;
}

SparseMatrix read_csr(const Reader& in, const std::string& name, Index rows, Index cols) {
  const Index n = in.shape(name + "_data", 1, "(nonzeros)")[0];
  const Vector data = in.vector(name + "_data", {n});
  const auto indices = positions(in, name + "_indices", n, cols - 1);
  const auto indptr = positions(in, name + "_indptr", rows + 1, n);
  const file::Named pointers{in.path(), name + "_indptr", {rows + 1}};
  if (indptr.front() != 0) file::refuse(pointers, 0, indptr.front(), "it must be 0");
  if (indptr.back() != n)
    file::refuse(pointers, rows, indptr.back(), "it must be the data's length");
  for (std::size_t i = 1; i < indptr.size(); ++i) {
    if (indptr[i] < indptr[i - 1])
      file::refuse(pointers, static_cast<Index>(i), indptr[i], "it must not decrease");
    for (auto j = static_cast<std::size_t>(indptr[i - 1]) + 1;
         j < static_cast<std::size_t>(indptr[i]); ++j)
      if (indices[j] <= indices[j - 1])
        file::refuse({in.path(), name + "_indices", {n}}, static_cast<Index>(j), indices[j],
                     "columns must increase within a row");
  }
  return Eigen::Map<const SparseMatrix>(rows, cols, n, indptr.data(), indices.data(), data.data());
}

// The dense table (leading…, d), kept sparse when the writer held it so; or the CSR triple.
Factor read_factor(const Reader& in, const std::string& name, const std::vector<Index>& shape) {
  Index rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  if (!in.file().has(name) && in.file().has(name + "_data"))
    return read_csr(in, name, rows, shape.back());
  Matrix table = in.matrix(name, shape);
  const std::string storage = name + "_storage";
  if (in.file().has_attribute(storage) && in.file().text(storage) == "sparse")
    return SparseMatrix(table.sparseView(0, 0));
  return table;
}

Index read_rank(const Reader& in) {
  if (in.file().has("phi")) return in.shape("phi", 3, "(S, A, d)")[2];
  if (!in.file().has("phi_data")) (void)in.file().shape("phi");  // says that phi is missing
  const double d = in.file().number("rank");
  if (d == std::floor(d) && d >= 1 && d <= std::numeric_limits<std::int32_t>::max())
    return static_cast<Index>(d);
  throw ConfigError(in.path().string(), "attribute 'rank'", fmt::format("is {}", d));
}

std::uint64_t read_seed(const Reader& in) {
  if (!in.file().has_attribute("seed")) return 0;
  std::uint64_t seed = 0;
  const std::string text = in.file().is_text("seed")
                               ? in.file().text("seed")
                               : fmt::format("{:.0f}", in.file().number("seed"));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return seed;
  throw ConfigError(in.path().string(), "attribute 'seed'", "is not a whole number: " + text);
}

RewardUnits read_reward_units(const Reader& in) {
  RewardUnits out;
  if (in.file().has_attribute("reward_scale")) out.scale = in.file().number("reward_scale");
  if (in.file().has_attribute("reward_offset")) out.offset = in.file().number("reward_offset");
  if (std::isfinite(out.scale) && out.scale > 0 && std::isfinite(out.offset)) return out;
  throw ConfigError(
      in.path().string(), "attributes 'reward_scale', 'reward_offset'",
      fmt::format("are {} and {}, expected a positive and a finite number", out.scale, out.offset));
}

Provenance read_provenance(const Reader& in) {
  Provenance out;
  if (in.file().has_attribute("family")) out.family = in.file().text("family");
  out.seed = read_seed(in);
  // By name: HDF5 1.10.8 crashes when it lists the attributes of a damaged file.
  std::istringstream names(in.file().has_attribute("knobs") ? in.file().text("knobs") : "");
  for (std::string name; std::getline(names, name, ',');) {
    const std::string attribute = "knob:" + name;
    Knob& knob = out.knobs[name];
    if (in.file().is_text(attribute))
      knob = in.file().text(attribute);
    else
      knob = in.file().number(attribute);
  }
  out.reward_units = read_reward_units(in);
  return out;
}

Vector read_nu(const Reader& in, Index states) {
  Vector nu = in.vector("nu", {states});
  for (Index s = 0; s < states; ++s)
    if (!(nu[s] > 0)) file::refuse({in.path(), "nu", {states}}, s, nu[s], "it must be positive");
  return nu;
}

Vector read_theta(const Reader& in, Index d) {
  const Index n = in.shape("theta_r", 1, "(d), or (0) when the reward is not linear in phi")[0];
  return in.vector("theta_r", {n == 0 ? 0 : d});
}

// What only the whole can violate (rows, negative probabilities, r ≠ ⟨φ, θ_r⟩) is found by the
// types' own checks; the message gets the file's name.
template <class Make>
auto checked(const Reader& in, std::string_view datasets, Make make) {
  try {
    return make();
  } catch (const std::invalid_argument& e) {
    throw ConfigError(in.path().string(), datasets, e.what());
  }
}

}  // namespace

TabularMdp load_mdp(const std::filesystem::path& path) {
  const Reader in(path);
  require_version(in);
  const double gamma = in.file().number("gamma");
  file::require_gamma(path, gamma);
  const std::vector<Index> sizes = in.shape("reward", 2, "(S, A)");
  const Index S = sizes[0];
  const Index A = sizes[1];
  const Index d = read_rank(in);
  Vector reward = in.vector("reward", {S, A});
  file::require_between({path, "reward", {S, A}}, file::values_of(reward), 0, 1);
  Vector rho = in.vector("rho", {S});
  file::require_distribution({path, "rho", {S}}, file::values_of(rho), tol::kSimplex);
  Vector theta = read_theta(in, d);
  Vector nu = read_nu(in, S);
  Factor phi = read_factor(in, "phi", {S, A, d});
  Factor mu = read_factor(in, "mu", {S, d});
  Kernel kernel = checked(in, "datasets 'phi', 'mu', 'nu'",
                          [&] { return Kernel(A, std::move(phi), std::move(mu), std::move(nu)); });
  return checked(in, "datasets 'reward', 'theta_r'", [&] {
    return TabularMdp(std::move(kernel), {.table = std::move(reward), .theta = std::move(theta)},
                      std::move(rho), gamma, read_provenance(in));
  });
}

}  // namespace speder
