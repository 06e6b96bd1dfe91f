// Initial states: the peers' recorded draws and the closed forms, by Kolmogorov–Smirnov tests.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "speder/core/tolerance.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/fixture.hpp"

namespace speder::deep::reset_test {
namespace {

constexpr int kDraws = 3000;
const SeedTree kSeeds(5);

struct Draws {
  std::vector<std::vector<float>> qpos;  // per coordinate
  std::vector<std::vector<float>> qvel;
};

void append(std::vector<std::vector<float>>& columns, std::span<const double> values) {
  columns.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    columns[i].push_back(static_cast<float>(values[i]));
  }
}

Draws draw(const std::string& task, int n) {
  Env env(physics_of(task));
  Rng rng = kSeeds.stream(task);
  Draws draws;
  for (int i = 0; i < n; ++i) {
    env.reset(rng);
    append(draws.qpos, env.qpos());
    append(draws.qvel, env.qvel());
  }
  return draws;
}

/// sup |F_a − F_b| of two samples; ties are passed together.
double ks_distance(std::vector<float> a, std::vector<float> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double distance = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const float x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= x) ++i;
    while (j < b.size() && b[j] <= x) ++j;
    const double fa = static_cast<double>(i) / static_cast<double>(a.size());
    const double fb = static_cast<double>(j) / static_cast<double>(b.size());
    distance = std::max(distance, std::abs(fa - fb));
  }
  return distance;
}

/// P[D > limit] ≤ alpha for equal distributions (Smirnov's bound 2 exp(−2 D² nm/(n+m))).
double ks_limit(std::size_t n, std::size_t m, double alpha) {
  const double inverse = 1.0 / static_cast<double>(n) + 1.0 / static_cast<double>(m);
  return std::sqrt(-std::log(alpha / 2) / 2 * inverse);
}

std::vector<float> column(const H5Array& table, std::size_t i) {
  std::vector<float> values;
  for (std::size_t r = 0; r < table.shape[0]; ++r) {
    values.push_back(static_cast<float>(row(table, r)[i]));
  }
  return values;
}

void compare(const std::vector<std::vector<float>>& ours, const H5Array& theirs, std::size_t first,
             std::size_t last) {
  const double alpha = tol::kFalseAlarm / 100;  // fewer than 100 coordinates per task
  for (std::size_t i = first; i < last; ++i) {
    CAPTURE(i);
    const std::vector<float> peer = column(theirs, i);
    CHECK(ks_distance(ours[i], peer) < ks_limit(ours[i].size(), peer.size(), alpha));
  }
}

/// Kolmogorov distance of a sample from a distribution function.
template <class Cdf>
double distance_from(std::vector<float> sample, const Cdf& cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = cdf(static_cast<double>(sample[i]));
    const auto k = static_cast<double>(i);
    distance = std::max({distance, std::abs(f - k / n), std::abs(f - (k + 1) / n)});
  }
  return distance;
}

double limit_of_closed_form() {
  return std::sqrt(-std::log(tol::kFalseAlarm / 100 / 2) / 2 / kDraws);
}

void check_uniform(const std::vector<float>& sample, double low, double high) {
  const auto cdf = [=](double x) { return std::clamp((x - low) / (high - low), 0.0, 1.0); };
  CHECK(distance_from(sample, cdf) < limit_of_closed_form());
  // The support is exact, and each end's last hundredth is hit: missed by chance 0.99^3000 ≈ 10⁻¹³.
  const auto [least, most] = std::minmax_element(sample.begin(), sample.end());
  CHECK(*least >= static_cast<float>(low));
  CHECK(*most <= static_cast<float>(high));
  CHECK(*least < low + 0.01 * (high - low));
  CHECK(*most > high - 0.01 * (high - low));
}
void check_uniform(const std::vector<float>& sample, double half_width) {
  check_uniform(sample, -half_width, half_width);
}
void check_normal(const std::vector<float>& sample, double deviation) {
  const auto cdf = [=](double x) { return std::erfc(-x / deviation / std::numbers::sqrt2) / 2; };
  CHECK(distance_from(sample, cdf) < limit_of_closed_form());
}

}  // namespace

TEST_CASE("DMC resets are distributed as dm_control's", "[deep][reset]") {
  const std::string task = GENERATE("cheetah_run", "walker_run", "humanoid_run", "hopper_hop");
  CAPTURE(task);
  const H5File file = fixture(task);
  const H5Array qpos = file.read("resets/qpos"), qvel = file.read("resets/qvel");
  const Draws ours = draw(task, task == "cheetah_run" ? kDraws / 3 : kDraws);
  compare(ours.qpos, qpos, 0, ours.qpos.size());
  compare(ours.qvel, qvel, 0, ours.qvel.size());
}

TEST_CASE("MBBL resets are distributed as gymnasium's, but for what MBBL hides", "[deep][reset]") {
  struct Row {
    const char* name;
    std::size_t hidden, goal;  // first and last positions MBBL draws differently
  };
  const Row task = GENERATE(Row{"HalfCheetah", 1, 0}, Row{"Hopper-ET", 1, 0},
                            Row{"Walker-ET", 1, 0}, Row{"Ant-ET", 2, 0}, Row{"S-Humanoid-ET", 0, 0},
                            Row{"Reacher", 0, 2}, Row{"I-Pendulum", 0, 0});
  CAPTURE(task.name);
  const H5File file = fixture(task.name);
  const H5Array qpos = file.read("resets/qpos"), qvel = file.read("resets/qvel");
  const Draws ours = draw(task.name, kDraws);
  compare(ours.qpos, qpos, task.hidden, ours.qpos.size() - task.goal);
  compare(ours.qvel, qvel, 0, ours.qvel.size());
}

TEST_CASE("MBBL initial noise has the published width", "[deep][reset]") {
  struct Row {
    const char* name;
    double qpos, qvel;
    bool normal;
    std::size_t hidden, last;  // positions and velocities from hidden to size − last
  };
  const Row task = GENERATE(  // start noise of position and speed in MBBL
      Row{"HalfCheetah", .1, .1, true, 1, 0}, Row{"Ant-ET", .1, .1, true, 2, 0},
      Row{"Hopper-ET", .005, .005, false, 1, 0}, Row{"Walker-ET", .005, .005, false, 1, 0},
      Row{"Humanoid-ET", .01, .01, false, 0, 0}, Row{"S-Humanoid-ET", .01, .01, false, 0, 0},
      Row{"Reacher", .1, .005, false, 0, 2}, Row{"I-Pendulum", .01, .01, false, 0, 0});
  CAPTURE(task.name);
  const auto physics = physics_of(task.name);
  const Draws draws = draw(task.name, kDraws);
  for (std::size_t i = task.hidden; i + task.last < draws.qpos.size(); ++i) {
    CAPTURE(i);
    const double centre = physics->model->qpos0[i];
    check_uniform(draws.qpos[i], centre - task.qpos, centre + task.qpos);
  }
  for (std::size_t i = 0; i + task.last < draws.qvel.size(); ++i) {
    CAPTURE(i);
    task.normal ? check_normal(draws.qvel[i], task.qvel) : check_uniform(draws.qvel[i], task.qvel);
  }
}

TEST_CASE("DMC walker and hopper draw every joint from its range, the pitch from the circle",
          "[deep][reset]") {
  const std::string name = GENERATE("walker_run", "hopper_hop");
  CAPTURE(name);
  const auto physics = physics_of(name);
  const mjModel& m = *physics->model;
  const Draws draws = draw(name, kDraws);
  for (int j = 2; j < m.njnt; ++j) {  // 0, 1: the root's slides, untouched
    CAPTURE(j);
    const auto& sample = draws.qpos[static_cast<std::size_t>(j)];
    if (m.jnt_limited[j] == 0) {
      check_uniform(sample, std::numbers::pi);
    } else {
      check_uniform(sample, m.jnt_range[2 * j], m.jnt_range[2 * j + 1]);
    }
  }
}

TEST_CASE("closed-form tasks and Reacher's goal start as published", "[deep][reset]") {
  const Draws cart = draw("CartPole", kDraws);
  for (const auto& sample : {cart.qpos[0], cart.qpos[1], cart.qvel[0], cart.qvel[1]}) {
    check_uniform(sample, 0.05);
  }
  const Draws pendulum = draw("Pendulum", kDraws);
  check_uniform(pendulum.qpos[0], std::numbers::pi);
  check_uniform(pendulum.qvel[0], 1.0);
  const Draws reacher = draw("Reacher", kDraws);
  check_uniform(reacher.qpos[2], 0.2);  // the square, not gymnasium's disc
  check_uniform(reacher.qpos[3], 0.2);
}

TEST_CASE("humanoid_run starts without contact, every reset is a function of the stream",
          "[deep][reset]") {
  Env env(physics_of("humanoid_run"));
  Rng rng = kSeeds.stream("contact-free");
  for (int i = 0; i < 100; ++i) {
    env.reset(rng);
    CHECK(env.world().data->ncon == 0);
  }
  Rng a = kSeeds.stream("same"), b = kSeeds.stream("same");
  const auto first = env.reset(a);
  const std::vector<double> kept(first.begin(), first.end());
  env.step(std::vector<double>(21, 1.0));
  const auto second = env.reset(b);
  CHECK(std::equal(kept.begin(), kept.end(), second.begin()));
}

}  // namespace speder::deep::reset_test
