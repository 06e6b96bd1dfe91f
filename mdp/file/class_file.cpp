#include "speder/mdp/file/class_file.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/io/hdf5.hpp"
#include "speder/mdp/file/reader.hpp"

namespace speder {
namespace {

using file::Reader;

constexpr double kClassVersion = 1;

// Members first, first + step, … below the end, one after the other.
template <class Table>
void write_tables(H5File& out, const std::string& name, Index count, Index rows, Index rank,
                  std::vector<std::uint64_t> shape, const Table& table) {
  Matrix all(count * rows, rank);
  for (Index i = 0; i < count; ++i) all.middleRows(i * rows, rows) = table(i);
  shape.insert(shape.begin(), static_cast<std::uint64_t>(count));
  out.write(name, std::span(all.data(), static_cast<std::size_t>(all.size())), shape);
}

std::string read_kind(const Reader& in) {
  if (in.file().text("format") != "speder-class")
    throw ConfigError(in.path().string(), "attribute 'format'", "is not speder-class");
  const double version = in.file().number("format_version");
  if (version != kClassVersion)
    throw ConfigError(in.path().string(), "attribute 'format_version'",
                      fmt::format("is {}, this program reads {}", version, kClassVersion));
  const std::string kind = in.file().has_attribute("kind") ? in.file().text("kind") : "list";
  if (kind == "list" || kind == "product") return kind;
  throw ConfigError(in.path().string(), "attribute 'kind'",
                    fmt::format("is '{}', expected list or product", kind));
}

std::optional<Index> read_truth(const Reader& in, Index size) {
  if (!in.file().has_attribute("truth")) return std::nullopt;
  const double c = in.file().number("truth");
  if (c == std::floor(c) && 0 <= c && c < static_cast<double>(size)) return static_cast<Index>(c);
  throw ConfigError(in.path().string(), "attribute 'truth'",
                    fmt::format("is {}, expected a member 0 … {}", c, size - 1));
}

std::vector<Matrix> split(const Matrix& all, Index count) {
  const Index rows = all.rows() / count;
  std::vector<Matrix> tables;
  tables.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) tables.emplace_back(all.middleRows(i * rows, rows));
  return tables;
}

FeatureClass make_list(ClassShape shape, const Matrix& phi, const Matrix& mu, Index size) {
  FeatureClassBuilder builder(shape, size);
  for (Index c = 0; c < size; ++c) {
    const Matrix f = phi.middleRows(c * shape.pairs(), shape.pairs());
    const Matrix m = mu.middleRows(c * shape.states(), shape.states());
    builder.put(c, {&f, 1}, {&m, 1});
  }
  return std::move(builder).finish();
}

}  // namespace

void save_class(const std::filesystem::path& path, const FeatureClass& F,
                std::optional<Index> truth) {
  const bool product = F.is_product();
  const Index phis = product ? F.phi_count() : F.size();
  const Index mus = product ? F.mu_count() : F.size();
  const auto values = static_cast<std::size_t>((phis * F.pairs() + mus * F.states()) * F.rank());
  if (values * sizeof(double) > kMaxClassFile) {
    throw InputError(
        fmt::format("{}: the class needs {} MiB, a class file has at most {} MiB: use "
                    "a smaller class-size or a product class",
                    path.string(), values * sizeof(double) >> 20U, kMaxClassFile >> 20U));
  }
  const auto S = static_cast<std::uint64_t>(F.states());
  const auto A = static_cast<std::uint64_t>(F.actions());
  const auto d = static_cast<std::uint64_t>(F.rank());
  H5File out = H5File::create(path);
  out.text("format", "speder-class");
  out.number("format_version", kClassVersion);
  out.text("kind", product ? "product" : "list");
  if (truth) out.number("truth", static_cast<double>(*truth));
  out.write("nu", F.nu());
  // Member i·|Ψ| of a product has φ_i, member j has μ_j.
  write_tables(out, "phi", phis, F.pairs(), F.rank(), {S, A, d},
               [&](Index i) { return F.phi(product ? i * mus : i); });
  write_tables(out, "mu", mus, F.states(), F.rank(), {S, d}, [&](Index j) { return F.mu(j); });
  out.commit();
}

StoredClass load_class(const std::filesystem::path& path) {
  const Reader in(path);
  const bool product = read_kind(in) == "product";
  const std::vector<Index> sizes = in.shape("phi", 4, "(F, S, A, d)");
  const Index count = sizes[0];
  ClassShape shape{sizes[2], sizes[3], in.vector("nu", {sizes[1]})};
  for (Index s = 0; s < shape.states(); ++s)
    if (!(shape.nu[s] > 0))
      file::refuse({path, "nu", {shape.states()}}, s, shape.nu[s], "it must be positive");
  const Index mus = product ? in.shape("mu", 3, "(Psi, S, d)")[0] : count;
  if (count < 1 || mus < 1 || shape.actions < 1 || shape.rank < 1 || shape.states() < 1)
    file::refuse({path, "phi", {}}, "has an axis of length 0");
  const Matrix phi = in.matrix("phi", sizes);
  const Matrix mu = in.matrix("mu", {mus, shape.states(), shape.rank});
  try {
    FeatureClass made = product ? FeatureClass::product(shape, split(phi, count), split(mu, mus))
                                : make_list(shape, phi, mu, count);
    const std::optional<Index> truth = read_truth(in, made.size());
    return {std::move(made), truth};
  } catch (const std::invalid_argument& e) {
    throw ConfigError(path.string(), "datasets 'phi', 'mu', 'nu'", e.what());
  }
}

}  // namespace speder
