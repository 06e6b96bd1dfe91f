#include "speder/deep/sim/env/env.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "speder/core/check.hpp"
#include "speder/deep/sim/exact/exact_task.hpp"

namespace speder::deep {
namespace {

constexpr int kResetAttempts = 100;  // draws whose settling blows up are drawn again

EnvSpec make_spec(const Task& task, const mjModel* model) {
  EnvSpec spec{.name = std::string(task.name),
               .suite = std::string(task.suite),
               .observation_size = task.observation_size,
               .action_size = task.action_size,
               .action_low = {},
               .action_high = {},
               .control_step = task.closed_form.control_step,
               .physics_steps = task.substeps,
               .max_steps = task.max_steps};
  const auto size = static_cast<std::size_t>(task.action_size);
  if (model == nullptr) {
    spec.action_low.assign(size, -task.closed_form.control_limit);
    spec.action_high.assign(size, task.closed_form.control_limit);
    return spec;
  }
  require(model->nu == task.action_size, "the model's actuators differ from the task's", model->nu);
  spec.control_step = model->opt.timestep * task.substeps;
  for (std::size_t i = 0; i < size; ++i) {
    spec.action_low.push_back(model->actuator_ctrlrange[2 * i]);
    spec.action_high.push_back(model->actuator_ctrlrange[2 * i + 1]);
  }
  return spec;
}

World make_world(const Physics& physics, mjData& data) {
  const mjModel& m = *physics.model;
  World world{.model = &m,
              .passive = physics.passive.get(),
              .data = &data,
              .qpos = {data.qpos, static_cast<std::size_t>(m.nq)},
              .qvel = {data.qvel, static_cast<std::size_t>(m.nv)},
              .control = {data.ctrl, static_cast<std::size_t>(m.nu)},
              .substeps = physics.task->substeps};
  const Task& task = *physics.task;
  require(task.bodies.size() <= world.body.size(), "too many bodies named", task.bodies.size());
  require(task.sensors.size() <= world.sensor.size(), "too many sensors named",
          task.sensors.size());
  for (std::size_t i = 0; i < task.bodies.size(); ++i) world.body[i] = body_id(m, task.bodies[i]);
  for (std::size_t i = 0; i < task.sensors.size(); ++i) {
    world.sensor[i] = sensor_address(m, task.sensors[i]);
  }
  return world;
}

World make_world(const Physics& physics, std::vector<double>& memory) {
  const auto nq = static_cast<std::size_t>(physics.task->closed_form.nq);
  const auto nv = static_cast<std::size_t>(physics.task->closed_form.nv);
  const auto nu = static_cast<std::size_t>(physics.task->action_size);
  memory.assign(nq + nv + nu, 0.0);
  World world;
  world.qpos = std::span(memory).subspan(0, nq);
  world.qvel = std::span(memory).subspan(nq, nv);
  world.control = std::span(memory).subspan(nq + nv, nu);
  world.exact = physics.exact.get();
  return world;
}

/// Finite, and still finite as float32, which is what buffers hold. False for NaN.
bool storable(double value) { return std::abs(value) <= std::numeric_limits<float>::max(); }

void check_state(std::span<const double> given, std::span<const double> wanted, const char* name) {
  if (given.size() != wanted.size()) {
    throw std::invalid_argument(
        fmt::format("{} has {} entries, the task has {}", name, given.size(), wanted.size()));
  }
  for (const double x : given) {
    if (std::abs(x) <= mjMAXVAL) continue;  // MuJoCo's own limit; false for NaN
    throw std::invalid_argument(
        fmt::format("{} must be finite and at most {:g} (got {})", name, mjMAXVAL, x));
  }
}

}  // namespace

std::shared_ptr<const Physics> load_physics(std::string_view name,
                                            const std::filesystem::path& packages) {
  if (is_exact(name)) return exact_physics(name);
  auto physics = std::make_shared<Physics>();
  physics->task = &find_task(name);
  if (!physics->task->model_file.empty()) {
    const Task& task = *physics->task;
    physics->model = load_model(model_path(packages, task.package, task.model_file));
    if (task.package == Package::kDmControl) physics->passive = without_actuation(*physics->model);
  } else if (physics->task->model_text != nullptr) {
    physics->model = parse_model(physics->task->model_text());
  }
  physics->spec = make_spec(*physics->task, physics->model.get());
  return physics;
}

Env::Env(std::shared_ptr<const Physics> physics, EnvOptions options)
    : physics_(std::move(physics)), options_(options) {
  if (physics_->model) {
    data_ = make_data(*physics_->model);
    world_ = make_world(*physics_, *data_);
  } else {
    world_ = make_world(*physics_, closed_form_);
  }
  const EnvSpec& s = spec();
  for (std::size_t i = 0; i < s.action_low.size(); ++i) {
    middle_.push_back((s.action_low[i] + s.action_high[i]) / 2);
    half_.push_back((s.action_high[i] - s.action_low[i]) / 2);
  }
  observation_.resize(static_cast<std::size_t>(s.observation_size));
  next_.resize(observation_.size());
}

bool Env::sound(std::span<const double> observation) const {
  if (world_.data != nullptr && warning_count(*world_.data) > 0) return false;
  return std::all_of(observation.begin(), observation.end(), storable);
}

/// The state is written: derive the rest, take the first observation.
bool Env::begin() {
  physics_->task->dynamics.finish(world_);
  physics_->task->observe(world_, observation_);
  steps_ = 0;
  ended_ = false;
  broken_ = !sound(observation_);
  return !broken_;
}

std::span<const double> Env::reset(Rng& rng) {
  for (int attempt = 0; attempt < kResetAttempts; ++attempt) {
    physics_->task->dynamics.clear(world_);
    physics_->task->sample(world_, rng);
    if (begin()) return observation_;
    ++unstable_;
  }
  throw std::runtime_error(fmt::format("{}: no stable initial state found", spec().name));
}

std::span<const double> Env::place(std::span<const double> qpos, std::span<const double> qvel) {
  check_state(qpos, world_.qpos, "qpos");
  check_state(qvel, world_.qvel, "qvel");
  physics_->task->dynamics.clear(world_);
  std::copy(qpos.begin(), qpos.end(), world_.qpos.begin());
  std::copy(qvel.begin(), qvel.end(), world_.qvel.begin());
  if (!begin()) {
    throw std::invalid_argument(fmt::format("{}: the simulation rejects this state", spec().name));
  }
  return observation_;
}

void Env::set_control(std::span<const double> action) {
  if (action.size() != half_.size()) {
    throw std::invalid_argument(
        fmt::format("{} takes {} actions, got {}", spec().name, half_.size(), action.size()));
  }
  for (const double a : action) require(std::isfinite(a), "an action must be finite", a);
  for (std::size_t i = 0; i < half_.size(); ++i) {
    world_.control[i] = middle_[i] + half_[i] * std::clamp(action[i], -1.0, 1.0);
  }
}

StepResult Env::step(std::span<const double> action) {
  if (broken_ || (ended_ && !options_.keep_going)) {
    throw std::logic_error("step() without a running episode: call reset() first");
  }
  const Task& task = *physics_->task;
  set_control(action);
  task.dynamics.advance(world_);
  task.observe(world_, next_);
  ++steps_;
  const double reward = task.reward({world_, observation_, world_.control});
  if (!sound(next_) || !storable(reward)) {
    ++unstable_;
    broken_ = ended_ = true;
    return {.reward = 0, .terminated = false, .truncated = true, .unstable = true};
  }
  observation_.swap(next_);
  const bool terminated =
      task.terminated(observation_) || (task.success != nullptr && task.success(world_));
  const bool truncated = !terminated && steps_ >= task.max_steps;
  ended_ = terminated || truncated;
  return {.reward = reward, .terminated = terminated, .truncated = truncated};
}

}  // namespace speder::deep
