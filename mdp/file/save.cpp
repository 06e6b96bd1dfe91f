#include "speder/io/hdf5.hpp"
#include "speder/mdp/file/mdp_file.hpp"

namespace speder {
namespace {

constexpr Index kDenseLimit = Index{1}
                              << 24;  // values: a sparse factor this small is also shown dense
constexpr int kCompress = 1;          // gzip level for tables that are mostly zero

std::vector<std::uint64_t> shape(std::initializer_list<Index> extents) {
  return {extents.begin(), extents.end()};
}

template <class T>
std::vector<std::int64_t> widened(const T* data, Index n) {
  return {data, data + n};
}

// phi_data, phi_indices, phi_indptr: compressed sparse rows, row = s·A + a.
void write_csr(H5File& out, const std::string& name, const SparseMatrix& table) {
  const Index n = table.nonZeros();
  out.write(name + "_data", std::span(table.valuePtr(), static_cast<std::size_t>(n)), shape({n}));
  out.write(name + "_indices", std::span<const std::int64_t>(widened(table.innerIndexPtr(), n)),
            shape({n}));
  out.write(name + "_indptr",
            std::span<const std::int64_t>(widened(table.outerIndexPtr(), table.rows() + 1)),
            shape({table.rows() + 1}));
}

void write_factor(H5File& out, const std::string& name, const Factor& factor,
                  const std::vector<std::uint64_t>& extents) {
  out.text(name + "_storage", factor.is_sparse() ? "sparse" : "dense");
  const auto dense = [&](const Eigen::Ref<const Matrix>& table, int compress) {
    out.write(name, std::span(table.data(), static_cast<std::size_t>(table.size())), extents,
              compress);
  };
  if (!factor.is_sparse()) return dense(factor.dense(), 0);
  if (factor.rows() * factor.cols() <= kDenseLimit) return dense(factor.to_dense(), kCompress);
  write_csr(out, name, factor.sparse());
}

void write_provenance(H5File& out, const Provenance& provenance) {
  out.text("family", provenance.family);
  out.text("seed", std::to_string(provenance.seed));  // text: a double cannot hold 64 bits
  std::string names;
  for (const auto& [name, knob] : provenance.knobs) {
    names += (names.empty() ? "" : ",") + name;
    if (const auto* number = std::get_if<double>(&knob)) out.number("knob:" + name, *number);
    if (const auto* text = std::get_if<std::string>(&knob)) out.text("knob:" + name, *text);
  }
  out.text("knobs", names);
  if (provenance.reward_units == RewardUnits{}) return;
  out.number("reward_scale", provenance.reward_units.scale);
  out.number("reward_offset", provenance.reward_units.offset);
}

}  // namespace

void save_mdp(const std::filesystem::path& path, const TabularMdp& mdp) {
  const Index S = mdp.states();
  const Index A = mdp.actions();
  const Index d = mdp.rank();
  H5File out = H5File::create(path);
  out.text("format", "speder-mdp");
  out.number("format_version", 1);
  out.number("gamma", mdp.gamma());
  out.number("states", static_cast<double>(S));
  out.number("actions", static_cast<double>(A));
  out.number("rank", static_cast<double>(d));
  write_provenance(out, mdp.provenance());
  write_factor(out, "phi", mdp.kernel().phi(), shape({S, A, d}));
  write_factor(out, "mu", mdp.kernel().mu(), shape({S, d}));
  out.write("theta_r", mdp.theta());
  out.write("rho", mdp.rho());
  out.write("nu", mdp.kernel().nu());
  out.write("reward", std::span(mdp.reward().data(), static_cast<std::size_t>(S * A)),
            shape({S, A}));
  out.commit();
}

}  // namespace speder
