#include "speder/deep/sim/exact/exact_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/deep/sim/tasks/common.hpp"
#include "speder/mdp/file/mdp_file.hpp"

namespace speder::deep {
namespace {

constexpr std::string_view kPrefix = "mdp";
constexpr int kLongestEpisode = 1000;
constexpr Index kLargestObservation = 4096;

// State of the world: qpos = (s), qvel = (reward of the last step), control = scores of the actions.

StateId state_of(const World& world) { return static_cast<StateId>(std::lround(world.qpos[0])); }

void clear_exact(World& world) {
  world.qpos[0] = world.qvel[0] = 0;
  world.noise = Rng(0);
}

void finish_exact(World& world) {
  const double s = world.qpos[0];
  const auto states = static_cast<double>(world.exact->simulator.states());
  require(s == std::round(s) && 0 <= s && s < states, "qpos is no state of the MDP", s);
}

void sample_exact(World& world, Rng& rng) {
  world.noise = Rng(rng());
  world.qpos[0] = static_cast<double>(index(world.exact->simulator.reset(world.noise)));
}

void advance_exact(World& world) {
  const auto best = std::max_element(world.control.begin(), world.control.end());
  const auto action = static_cast<ActionId>(best - world.control.begin());
  const Transition t = world.exact->simulator.step(state_of(world), action, world.noise);
  world.qpos[0] = static_cast<double>(index(t.next));
  world.qvel[0] = t.reward;
}

void observe_exact(const World& world, std::span<double> out) {
  const auto row = world.exact->observations.row(index(state_of(world)));
  std::copy(row.begin(), row.end(), out.begin());
}

double reward_exact(const RewardInput& input) { return input.world.qvel[0]; }

/// "" of "mdp:…" is 0, "16" of "mdp16:…" is 16; −1 when it is neither.
Index observation_size(std::string_view digits) {
  if (digits.empty()) return 0;
  Index n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return error == std::errc{} && end == digits.data() + digits.size() ? n : -1;
}

Matrix observations_of(Index states, Index size) {
  if (size == 0) return Matrix::Identity(states, states);
  Rng rng = SeedTree(0).stream("observations");
  return Matrix::NullaryExpr(states, size, [&] { return rng.normal(); });
}

}  // namespace

bool is_exact(std::string_view task) {
  const auto colon = task.find(':');
  return task.starts_with(kPrefix) && colon != std::string_view::npos &&
         observation_size(task.substr(kPrefix.size(), colon - kPrefix.size())) >= 0;
}

std::shared_ptr<const Physics> exact_physics(std::string_view task) {
  require(is_exact(task), "expected mdp:FILE or mdp<n>:FILE", task);
  const auto colon = task.find(':');
  const Index size = observation_size(task.substr(kPrefix.size(), colon - kPrefix.size()));
  if (colon > kPrefix.size() && (size < 1 || size > kLargestObservation)) {
    throw InputError(
        fmt::format("{}: observations have 1 to {} numbers", task, kLargestObservation));
  }
  const std::string file(task.substr(colon + 1));
  return exact_physics(std::string(task), std::make_shared<const TabularMdp>(load_mdp(file)), size);
}

std::shared_ptr<const Physics> exact_physics(std::string name,
                                             std::shared_ptr<const TabularMdp> mdp, Index size) {
  auto exact = std::make_shared<const ExactMdp>(
      ExactMdp{.name = std::move(name),
               .mdp = mdp,
               .simulator = Simulator(mdp),
               .observations = observations_of(mdp->states(), size)});
  auto task = std::make_shared<Task>();
  task->name = exact->name;
  task->suite = "exact";
  task->description = "an exact MDP";
  task->observation_size = static_cast<int>(exact->observations.cols());
  task->action_size = static_cast<int>(mdp->actions());
  const double horizon = std::round(kHorizons / (1 - mdp->gamma()));
  task->max_steps = static_cast<int>(std::min<double>(horizon, kLongestEpisode));
  task->closed_form = {.nq = 1, .nv = 1, .control_limit = 1, .control_step = 1};
  task->dynamics = {.clear = clear_exact, .finish = finish_exact, .advance = advance_exact};
  task->sample = sample_exact;
  task->observe = observe_exact;
  task->reward = reward_exact;
  task->terminated = never;
  auto physics = std::make_shared<Physics>();
  const auto size_a = static_cast<std::size_t>(task->action_size);
  physics->spec = {.name = exact->name,
                   .suite = "exact",
                   .observation_size = task->observation_size,
                   .action_size = task->action_size,
                   .action_low = std::vector<double>(size_a, -1.0),
                   .action_high = std::vector<double>(size_a, 1.0),
                   .control_step = 1,
                   .physics_steps = 1,
                   .max_steps = task->max_steps,
                   .discrete = true,
                   .discount = mdp->gamma()};
  physics->exact = std::move(exact);
  physics->exact_task = task;
  physics->task = task.get();
  return physics;
}

}  // namespace speder::deep
