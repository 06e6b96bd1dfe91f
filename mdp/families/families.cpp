#include "speder/mdp/families/families.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/core/names.hpp"
#include "speder/mdp/families/generators.hpp"

namespace speder {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr KnobInfo kVolume{"volume", 0, 0, kInf,
                           "total base measure v, nu = v/|S|; 0: counting measure, nu = 1"};
constexpr KnobInfo kEmission{"emission", 1, 0, kInf,
                             "Dirichlet concentration of a latent state's emission; 0: uniform"};
constexpr KnobInfo kSuccessors{"successors", 5, 1, 1e6,
                               "next states per pair (at most |S|), weights Dirichlet(1)"};

constexpr KnobInfo kFittedVolume{
    "volume", 0, 0, kInf,
    "total base measure v; 0: the largest v for which both normalisation assumptions hold"};
constexpr KnobInfo kRotate{"rotate", 1, 0, 1,
                           "1: factors turned by a random rotation; 0: axes are the latents"};

std::vector<Family> make_table() {
  return {
      {"simplex",
       "latent mixture: rows of phi and columns of mu are Dirichlet draws",
       "any states and actions, rank <= states",
       50,
       4,
       5,
       {{"concentration", 1, 0.05, kInf, "Dirichlet concentration of the rows of phi"},
        {"spread", 1, 0.05, kInf, "Dirichlet concentration of the columns of mu"},
        kVolume},
       make_simplex},
      {"block",
       "block MDP: d latent states seen through emissions with disjoint supports",
       "any actions, rank <= states",
       50,
       4,
       5,
       {{"stochastic", 0, 0, 0.99, "weight of a Dirichlet(1) row mixed into each latent move"},
        kEmission,
        kVolume},
       make_block},
      {"lock",
       "rich-observation combination lock: one good action per level, decoy rewards",
       "actions >= 2, 2 <= rank <= states; the lock has rank - 1 levels",
       50,
       4,
       5,
       {{"slip", 0, 0, 0.99, "probability that the good action acts as a wrong one"},
        {"reset", 1, 0, 1, "a wrong action leads to: 1 the start, 0 an absorbing dead latent"},
        {"decoy", 0.1, 0, 0.99,
         "reward of a wrong action, as a share of the least one that makes opening not worth it"},
        kEmission,
        kVolume},
       make_lock},
      {"canonical",
       "tabular MDP: phi is the canonical basis of R^{SA}; rank(P) <= S < d if A > 1",
       "rank is states * actions",
       20,
       3,
       0,
       {kSuccessors, kVolume},
       make_canonical},
      {"signed",
       "a simplex MDP in rotated coordinates: phi and mu have negative entries",
       "any states and actions, rank <= states",
       50,
       4,
       5,
       {{"concentration", 1, 0.05, kInf, "Dirichlet concentration before the rotation (phi)"},
        {"spread", 1, 0.05, kInf, "Dirichlet concentration before the rotation (mu)"},
        kVolume},
       make_signed},
      {"river",
       "RiverSwim: swim right against the current, a small reward at the left bank",
       "states >= 3, 2 actions, rank is states + 1 (the last feature carries the reward)",
       6,
       2,
       0,
       {{"right", 0.35, 0.001, 1, "probability that swimming moves right (inner states)"},
        {"left", 0.05, 0, 1, "probability that swimming is carried left (inner states)"},
        {"end", 0.6, 0.001, 1, "probability that swimming succeeds at either bank"},
        {"small", 0.005, 0, 1, "reward for staying at the left bank"},
        kVolume},
       make_river},
      {"deepsea",
       "DeepSea: an N x N grid, one path of N right moves to the treasure",
       "states = N * N with N >= 2, 2 actions, rank is N * (N - 1) + 2",
       0,
       2,
       0,
       {{"size", 0, 0, 1000, "N; 0: the square root of states, or 8 when neither is given"},
        {"cost", 0.01, 0, 1, "total cost of swimming right all the way: left earns cost/N"},
        {"shuffle", 1, 0, 1, "1: which action is right is drawn per cell; 0: action 1"},
        kVolume},
       make_deepsea},
      {"two-state",
       "two-state chain whose value gap between best and other actions is exactly eps",
       "2 states, actions >= 2, rank 2",
       2,
       2,
       2,
       {{"eps", 0.1, 1e-12, kInf, "V*(bad) - V(bad) when a wrong action is always taken"}, kVolume},
       make_two_state},
      {"garnet",
       "full-rank sparse random MDP: the negative control",
       "any states and actions, rank is states",
       50,
       4,
       0,
       {kSuccessors, kVolume},
       make_garnet},
      {"continuous",
       "a grid on [0,1] with smooth bump densities and nu = v/|S|",
       "any actions, rank <= states / (4 waves)",
       100,
       4,
       5,
       {{"waves", 1, 1, 16, "how many periods the latent coordinate runs through over [0,1]"},
        kFittedVolume},
       make_continuous},
      {"latent",
       "latent process seen through emissions that may overlap, signed factors",
       "any actions, 2 <= rank <= states / 8",
       64,
       4,
       8,
       {{"concentration", 1, 0.05, kInf, "Dirichlet concentration of a latent's moves"},
        {"overlap", 0.1, 0, 0.49, "weight of the next latent's block in a latent's emission"},
        kEmission,
        kRotate,
        kFittedVolume},
       make_latent},
      {"needle",
       "doors that must be entered on purpose, one winning action behind every second one",
       "rank = 2 M + 4 with an even number M of doors, actions >= 2, states is 3 (M + 1) copies",
       0,
       4,
       12,
       {{"overlap", 0.1, 0, 0.49, "weight of the sibling's block in a context's emission"},
        {"lead", 0.4, 1e-6, 0.499, "Delta: the needle wins with 1/2 + Delta"},
        {"copies", 8, 2, 1e6, "observations of a latent, an even number"},
        {"one_key", 0, 0, 1, "1: action 1 alone enters; 0: every odd action"},
        kRotate,
        kFittedVolume},
       make_needle},
      {"comblock",
       "rich-observation combination lock: H right actions in a row, a bad chain with a decoy at "
       "its "
       "end",
       "rank = 2 H + 3 with H >= 2 levels, actions >= 2, states is rank * copies",
       0,
       3,
       11,
       {{"decoy", 0.05, 0, 0.5, "reward of the fall; the prize has 1"},
        {"leak", 0.5, 0.01, 1, "probability that a step in the bad chain ends in the fall"},
        {"overlap", 0, 0, 0.49,
         "weight of the sibling's block in an emission; a shortcut when > 0"},
        {"copies", 8, 2, 1e6, "observations of a latent, an even number"},
        kRotate,
        kFittedVolume},
       make_comblock},
      {"leaves",
       "a tree of moves whose leaves are bandits, one better arm among all: hard for every learner",
       "rank = 2 L + 2 with L = 2, 4, 8, ... leaves, actions >= 2, states is rank * copies",
       0,
       4,
       10,
       {{"lead", 0.3, 1e-6, 0.499, "Delta: the better arm wins with 1/2 + Delta"},
        {"copies", 8, 2, 1e6, "observations of a latent, an even number"},
        kRotate,
        kFittedVolume},
       make_leaves},
      {"chain",
       "levels that must be climbed on purpose, one better arm at one of two ends, a safe bet at "
       "the "
       "foot",
       "rank = L + 5 with L >= 2 levels, actions >= 2, states is rank * copies",
       0,
       3,
       8,
       {{"lead", 0.3, 1e-6, 0.499, "Delta: the better arm wins with 1/2 + Delta"},
        {"climb", 0.9, 0.01, 1, "probability that a climb succeeds; else it stays where it is"},
        {"overlap", 0.1, 0, 0.49, "weight of the other end's block in an end's emission"},
        {"copies", 8, 2, 1e6, "observations of a latent, an even number"},
        kRotate,
        kFittedVolume},
       make_chain_family},
      {"file",
       "your own MDP from an HDF5 file (docs/mdp-files.md)",
       "states, actions and rank come from the file",
       0,
       0,
       0,
       {},
       make_file}};
}

std::string knob_list(const Family& f) {
  std::string text;
  for (const KnobInfo& k : f.knobs) {
    text += fmt::format("{}{} (default {}, range [{}, {}]: {})", text.empty() ? "" : "; ", k.name,
                        k.fallback, k.low, k.high, k.meaning);
  }
  return text.empty() ? "none" : text;
}

void resolve_knobs(const Family& f, std::map<std::string, double>& knobs) {
  for (const auto& [name, value] : knobs) {
    const auto known = std::find_if(f.knobs.begin(), f.knobs.end(),
                                    [&key = name](const KnobInfo& k) { return k.name == key; });
    if (known == f.knobs.end()) {
      throw InputError(
          fmt::format("family {} has no knob '{}'; its knobs: {}", f.name, name, knob_list(f)));
    }
    if (!(known->low <= value && value <= known->high && std::isfinite(value))) {
      throw InputError(fmt::format("family {}: knob {} must lie in [{}, {}], got {} ({})", f.name,
                                   name, known->low, known->high, value, known->meaning));
    }
  }
  for (const KnobInfo& k : f.knobs) knobs.emplace(std::string(k.name), k.fallback);
}

void resolve_size(const Family& f, std::string_view what, Index fallback, Index& size) {
  if (size < 0 || size > kAnySize) {
    throw InputError(
        fmt::format("family {}: {} must lie in [1, {}], got {}", f.name, what, kAnySize, size));
  }
  if (size == 0) size = fallback;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> table = make_table();
  return table;
}

const Family& family(std::string_view name) {
  std::vector<std::string> names;
  for (const Family& f : families()) {
    if (f.name == name) return f;
    names.emplace_back(f.name);
  }
  refuse_name("family", name, names);
}

InstanceSpec resolve(InstanceSpec spec) {
  const Family& f = family(spec.family);
  if (!(0 < spec.gamma && spec.gamma < 1))
    throw InputError(fmt::format("gamma must lie in (0,1), got {}", spec.gamma));
  resolve_knobs(f, spec.knobs);
  resolve_size(f, "states", f.states, spec.states);
  resolve_size(f, "actions", f.actions, spec.actions);
  resolve_size(f, "rank", f.rank, spec.rank);
  if (spec.states > 0 && spec.actions > kAnySize / spec.states) {
    throw InputError(fmt::format("family {}: states * actions must be at most {}, got {} * {}",
                                 f.name, kAnySize, spec.states, spec.actions));
  }
  return spec;
}

TabularMdp generate(const InstanceSpec& spec, const SeedTree& seeds) {
  InstanceSpec resolved = resolve(spec);
  resolved.seed = seeds.root();
  return family(spec.family).make(resolved, seeds);
}

TabularMdp generate(const InstanceSpec& spec) { return generate(spec, SeedTree(spec.seed)); }

}  // namespace speder
