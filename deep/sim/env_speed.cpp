#include "speder/deep/sim/env_speed.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "speder/core/check.hpp"
#include "speder/deep/sim/env/vector_env.hpp"

namespace speder::deep {
namespace {

constexpr std::size_t kActionRows = 1021;  // drawn beforehand: the generator is not what is timed

double cpu_seconds() {  // of this thread: other processes on the core do not count
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A fixed piece of work: episodes with known lengths from named streams and a table of actions.
class Workload {
 public:
  Workload(const std::shared_ptr<const Physics>& physics, const SpeedOptions& options)
      : seeds_(options.seed), env_(physics), bare_(physics) {
    Rng rng = seeds_.stream("bench-actions");
    const auto width = static_cast<std::size_t>(physics->spec.action_size);
    table_.assign(kActionRows, std::vector<double>(width));
    for (auto& row : table_) {
      for (double& a : row) a = rng.uniform(-1.0, 1.0);
    }
    scaled_ = table_;
    for (auto& row : scaled_) {
      for (std::size_t i = 0; i < width; ++i) row[i] *= physics->spec.action_high[i];
    }
    find_lengths(options.seconds);
  }

  [[nodiscard]] double steps() const { return static_cast<double>(steps_); }

  [[nodiscard]] double time_env() {
    const double start = cpu_seconds();
    std::size_t row = 0;
    for (std::size_t e = 0; e < lengths_.size(); ++e) {
      Rng rng = seeds_.stream("bench-reset", e);
      env_.reset(rng);
      for (int t = 0; t < lengths_[e]; ++t) env_.step(table_[row++ % kActionRows]);
    }
    return cpu_seconds() - start;
  }

  /// The same episodes with nothing but the task's MuJoCo calls: no observation, reward or check.
  [[nodiscard]] double time_bare() {
    World& world = bare_.world();
    const Task& task = *bare_.physics().task;
    const double start = cpu_seconds();
    std::size_t row = 0;
    for (std::size_t e = 0; e < lengths_.size(); ++e) {
      Rng rng = seeds_.stream("bench-reset", e);
      task.dynamics.clear(world);
      task.sample(world, rng);
      task.dynamics.finish(world);
      for (int t = 0; t < lengths_[e]; ++t) {
        const std::vector<double>& action = scaled_[row++ % kActionRows];
        std::copy(action.begin(), action.end(), world.control.begin());
        task.dynamics.advance(world);
      }
    }
    return cpu_seconds() - start;
  }

 private:
  void find_lengths(double seconds) {
    const double start = cpu_seconds();
    std::size_t row = 0;
    while (cpu_seconds() - start < seconds) {
      Rng rng = seeds_.stream("bench-reset", lengths_.size());
      env_.reset(rng);
      bool ended = false;
      for (int t = 0; !ended && (t % 16 != 0 || cpu_seconds() - start < seconds); ++t) {
        ended = env_.step(table_[row++ % kActionRows]).ended();
      }
      lengths_.push_back(env_.steps());
      steps_ += env_.steps();
    }
  }

  SeedTree seeds_;
  Env env_;
  Env bare_;
  std::vector<std::vector<double>> table_;   // actions in [−1, 1]
  std::vector<std::vector<double>> scaled_;  // the same in the task's own units
  std::vector<int> lengths_;
  std::int64_t steps_ = 0;
};

void check(const SpeedOptions& options) {
  require(options.seconds > 0, "seconds must be positive", options.seconds);
  require(options.repeats >= 1, "repeats must be at least 1", options.repeats);
}

double time_vector(VectorEnv& env, const std::vector<float>& actions, int steps) {
  const double start = wall_seconds();
  for (int t = 0; t < steps; ++t) env.step(actions);
  return wall_seconds() - start;
}

}  // namespace

double env_speed(const std::shared_ptr<const Physics>& physics, const SpeedOptions& options) {
  check(options);
  Workload work(physics, options);
  return work.steps() / work.time_env();
}

WrapperSpeed wrapper_speed(const std::shared_ptr<const Physics>& physics,
                           const SpeedOptions& options) {
  check(options);
  Workload work(physics, options);
  std::vector<double> env_times, bare_times, ratios;
  for (int r = 0; r < options.repeats; ++r) {
    const bool env_first = r % 2 == 0;  // alternate, so that drift hits both alike
    const double first = env_first ? work.time_env() : work.time_bare();
    const double second = env_first ? work.time_bare() : work.time_env();
    env_times.push_back(env_first ? first : second);
    bare_times.push_back(env_first ? second : first);
    ratios.push_back(bare_times.back() / env_times.back());
  }
  WrapperSpeed speed{.env_steps_per_second = work.steps() / median(env_times)};
  if (!physics->model) return speed;
  speed.bare_steps_per_second = work.steps() / median(bare_times);
  speed.ratio = median(ratios);
  return speed;
}

VectorSpeed vector_speed(const std::shared_ptr<const Physics>& physics, int envs, int threads,
                         const SpeedOptions& options) {
  check(options);
  const SeedTree seeds(options.seed);
  VectorEnv one(physics, {.envs = envs, .threads = 1}, seeds);
  VectorEnv many(physics, {.envs = envs, .threads = threads}, seeds);
  std::vector<float> actions(static_cast<std::size_t>(envs * physics->spec.action_size));
  Rng rng = seeds.stream("bench-actions");
  for (float& a : actions) a = static_cast<float>(rng.uniform(-1.0, 1.0));
  one.reset();
  many.reset();
  const double probe = std::max(time_vector(one, actions, 20), 1e-6);
  time_vector(many, actions, 20);  // both stay at the same step of the same episodes
  const int steps = std::max(1, static_cast<int>(20 * options.seconds / probe));
  std::vector<double> ones, manys, ratios;
  for (int r = 0; r < options.repeats; ++r) {
    const bool one_first = r % 2 == 0;
    const double first = time_vector(one_first ? one : many, actions, steps);
    const double second = time_vector(one_first ? many : one, actions, steps);
    ones.push_back(one_first ? first : second);
    manys.push_back(one_first ? second : first);
    ratios.push_back(ones.back() / manys.back());
  }
  const double total = static_cast<double>(steps) * envs;
  return {total / median(ones), total / median(manys), median(ratios)};
}

}  // namespace speder::deep
