// An MDP from a family, from tables, from factors, from a file; its tables as arrays; draws from it.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <sys/mman.h>

#include <cstdint>

#include "speder/core/check.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/file/dense.hpp"
#include "speder/mdp/file/mdp_file.hpp"
#include "speder/mdp/file/tables.hpp"
#include "speder/mdp/sampling/simulator.hpp"
#include "support.hpp"

namespace speder::python {
namespace {

using nb::literals::operator""_a;

Mdp make(const InstanceSpec& spec) {
  return without_lock({}, [spec](const std::atomic<bool>&) {
    return Mdp{std::make_shared<const TabularMdp>(generate(spec))};
  });
}

file::NamedTables::Table table_of(const Array& a) {
  file::NamedTables::Table table;
  for (std::size_t k = 0; k < a.ndim(); ++k) table.shape.push_back(static_cast<Index>(a.shape(k)));
  const auto values = values_of(a);
  table.values.assign(values.begin(), values.end());
  return table;
}

// As `speder mdp import` does with a file of the same tables.
Mdp from_tables(const std::map<std::string, Array>& tables, double gamma, Index rank, bool shrink,
                bool rescale_rewards) {
  return without_lock({}, [=](const std::atomic<bool>&) {
    file::NamedTables named("arrays");
    for (const auto& [name, array] : tables) named.add(name, table_of(array));
    const DenseMdp dense = dense_of(named, {.gamma = gamma, .rescale_rewards = rescale_rewards});
    return Mdp{
        std::make_shared<const TabularMdp>(factorise(dense, {.rank = rank, .shrink = shrink}).mdp)};
  });
}

// A table of its own, whose pages are asked for together: one by one, as the copy would touch them, each is a
// fault. Lent: read where it lies, if it lies as our own tables do, so that sums come out the same to the bit.
Factor factor_of(const Array& a, Index rows, Index columns, bool copy) {
  constexpr std::uintptr_t kAligned = EIGEN_DEFAULT_ALIGN_BYTES;
  if (!copy && reinterpret_cast<std::uintptr_t>(a.data()) % kAligned == 0)
    return Factor(LentTable{a.data(), rows, columns, std::make_shared<const Array>(a)});
  Matrix out(rows, columns);
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(out.data());
  const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (begin + a.nbytes()) / kPage * kPage;
  // Where that is refused the copy touches them.
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
  out = Eigen::Map<const Matrix>(a.data(), rows, columns);
  return out;
}

// φ (S × A × d) and μ (S × d) as they are.
Mdp from_factors(const Array& phi, const Array& mu, const Array& nu, const Array& reward,
                 const Array& theta, const Array& rho, double gamma, bool copy) {
  const auto S = static_cast<Index>(phi.shape(0));
  const auto A = static_cast<Index>(phi.shape(1));
  const auto d = static_cast<Index>(phi.shape(2));
  return without_lock({.brief = S * A * d <= kBriefWork}, [=](const std::atomic<bool>&) {
    Kernel kernel(A, factor_of(phi, S * A, d, copy), factor_of(mu, S, d, copy), vector_of(nu));
    return Mdp{std::make_shared<const TabularMdp>(
        std::move(kernel), Rewards{vector_of(reward), vector_of(theta)}, vector_of(rho), gamma)};
  });
}

nb::object factor(const Mdp& mdp, const Factor& f, Shape shape) {
  if (f.is_sparse()) {
    Matrix dense;
    {
      const nb::gil_scoped_release free;
      dense = f.to_dense();
    }
    nb::object copy = owned(std::move(dense), std::move(shape));
    // As a view is: what is written would change nothing.
    copy.attr("flags").attr("writeable") = false;
    return copy;
  }
  return view(mdp, f.dense().data(), std::move(shape));
}

nb::object kernel_table(const Mdp& mdp) {
  const Kernel& kernel = mdp->kernel();
  const Shape shape = {size(kernel.states()), size(kernel.actions()), size(kernel.states())};
  auto P = without_lock(
      {}, [held = mdp.held](const std::atomic<bool>&) { return held->kernel().dense(); });
  return owned(std::move(P), shape);
}

using ConditionRow = std::tuple<std::string, double, double, std::string, std::string>;
std::vector<ConditionRow> condition_rows(const Mdp& mdp) {
  const auto report =
      without_lock({}, [held = mdp.held](const std::atomic<bool>&) { return conditions(*held); });
  std::vector<ConditionRow> rows;
  for (const Condition& c : report)
    rows.emplace_back(c.name, c.value, c.bound, std::string(to_string(c.holds)), c.how);
  return rows;
}

/// A simulator and its stream of random numbers.
struct Draws {
  Draws(const Mdp& mdp, std::uint64_t seed, const std::string& name)
      : simulator(mdp.held), rng(SeedTree(seed).stream(name)) {}
  void reseed(std::uint64_t seed, const std::string& name) { rng = SeedTree(seed).stream(name); }
  std::int64_t reset() { return static_cast<std::int64_t>(index(simulator.reset(rng))); }
  std::pair<double, std::int64_t> step(Index s, Index a) {
    if (s < 0 || s >= simulator.states()) throw InputError(fmt::format("no state {}", s));
    if (a < 0 || a >= simulator.actions()) throw InputError(fmt::format("no action {}", a));
    const Transition t = simulator.step(state(s), action(a), rng);
    return {t.reward, static_cast<std::int64_t>(index(t.next))};
  }
  nb::object many(const Integers& s, const Integers& a) {
    if (s.size() != a.size())
      throw InputError(fmt::format("{} states but {} actions", s.size(), a.size()));
    std::vector<StateAction> from;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s.data()[i] < 0 || s.data()[i] >= simulator.states() || a.data()[i] < 0 ||
          a.data()[i] >= simulator.actions())
        throw InputError(fmt::format("no pair (s={}, a={})", s.data()[i], a.data()[i]));
      from.push_back({state(s.data()[i]), action(a.data()[i])});
    }
    std::vector<StateId> next(from.size());
    {
      const nb::gil_scoped_release free;
      simulator.sample_next(from, next, rng);
    }
    std::vector<std::int64_t> out;
    for (const StateId id : next) out.push_back(static_cast<std::int64_t>(index(id)));
    const std::size_t n = out.size();
    return owned(std::move(out), {n});
  }
  double uniform() { return rng.uniform(); }
  Simulator simulator;
  Rng rng;
};

nb::list family_list() {
  nb::list out;
  for (const Family& f : families()) {
    nb::dict knobs;
    for (const KnobInfo& k : f.knobs)
      knobs[nb::str(k.name.data(), k.name.size())] =
          nb::make_tuple(k.fallback, k.low, k.high, nb::str(k.meaning.data(), k.meaning.size()));
    out.append(nb::make_tuple(nb::str(f.name.data(), f.name.size()),
                              nb::str(f.description.data(), f.description.size()),
                              nb::str(f.sizes.data(), f.sizes.size()), knobs));
  }
  return out;
}

}  // namespace

void add_mdp(nb::module_& m) {
  nb::class_<Mdp>(m, "Mdp", "An exact MDP: immutable, shared between threads.")
      .def_prop_ro("states", [](const Mdp& mdp) { return mdp->states(); })
      .def_prop_ro("actions", [](const Mdp& mdp) { return mdp->actions(); })
      .def_prop_ro("rank", [](const Mdp& mdp) { return mdp->rank(); })
      .def_prop_ro("gamma", [](const Mdp& mdp) { return mdp->gamma(); })
      .def_prop_ro("family", [](const Mdp& mdp) { return mdp->provenance().family; })
      .def_prop_ro("seed", [](const Mdp& mdp) { return mdp->provenance().seed; })
      .def_prop_ro("knobs", [](const Mdp& mdp) { return mdp->provenance().knobs; })
      .def_prop_ro("reward_units",
                   [](const Mdp& mdp) {
                     const RewardUnits units = mdp->provenance().reward_units;
                     return std::tuple(units.scale, units.offset);
                   })
      .def_prop_ro("phi",
                   [](const Mdp& mdp) {
                     return factor(mdp, mdp->kernel().phi(),
                                   {size(mdp->states()), size(mdp->actions()), size(mdp->rank())});
                   })
      .def_prop_ro(
          "mu",
          [](const Mdp& mdp) {
            return factor(mdp, mdp->kernel().mu(), {size(mdp->states()), size(mdp->rank())});
          })
      .def_prop_ro("nu",
                   [](const Mdp& mdp) {
                     return view(mdp, mdp->kernel().nu().data(), {size(mdp->states())});
                   })
      .def_prop_ro(
          "reward",
          [](const Mdp& mdp) {
            return view(mdp, mdp->reward().data(), {size(mdp->states()), size(mdp->actions())});
          })
      .def_prop_ro(
          "rho", [](const Mdp& mdp) { return view(mdp, mdp->rho().data(), {size(mdp->states())}); })
      .def_prop_ro("theta",
                   [](const Mdp& mdp) {
                     return view(mdp, mdp->theta().data(), {size(mdp->theta().size())});
                   })
      .def("kernel", &kernel_table, "P (S, A, S) as a new array.")
      .def("conditions", &condition_rows)
      .def("save", [](const Mdp& mdp, const std::filesystem::path& path) {
        writing([&] { save_mdp(path, *mdp); });
      });
  m.def(
      "make",
      [](const std::string& family, Index states, Index actions, Index rank, double gamma,
         std::uint64_t seed, const std::map<std::string, double>& knobs) {
        return make({.family = family,
                     .states = states,
                     .actions = actions,
                     .rank = rank,
                     .gamma = gamma,
                     .seed = seed,
                     .knobs = knobs});
      },
      "family"_a, "states"_a, "actions"_a, "rank"_a, "gamma"_a, "seed"_a, "knobs"_a);
  m.def("load", [](const std::filesystem::path& path) {
    return reading(path, [&] { return Mdp{std::make_shared<const TabularMdp>(load_mdp(path))}; });
  });
  m.def("from_tables", &from_tables, "tables"_a, "gamma"_a, "rank"_a, "shrink"_a,
        "rescale_rewards"_a);
  m.def("from_factors", &from_factors, "phi"_a, "mu"_a, "nu"_a, "reward"_a, "theta"_a, "rho"_a,
        "gamma"_a, "copy"_a);
  m.def("families", &family_list);
  nb::class_<Draws>(m, "Draws", "Samples of an MDP from one stream of random numbers.")
      .def(nb::init<const Mdp&, std::uint64_t, const std::string&>())
      .def("reseed", &Draws::reseed)
      .def("reset", &Draws::reset, "A state from rho.")
      .def("step", &Draws::step, "state"_a, "action"_a, "(reward, next state)")
      .def("many", &Draws::many, "states"_a, "actions"_a, "The next state of every pair.")
      .def("uniform", &Draws::uniform, "A number in [0, 1).");
}

}  // namespace speder::python
