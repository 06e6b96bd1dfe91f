#include "speder/deep/sim/maze/maze.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "speder/core/check.hpp"
#include "speder/deep/sim/maze/models.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/fixture.hpp"

namespace speder::deep::maze_test {
namespace {

const SeedTree kSeeds(77);
constexpr double kRounding = 1e-12;  // a few operations on numbers near 1

std::vector<double> still(const Env& env) {
  return std::vector<double>(static_cast<std::size_t>(env.spec().action_size), 0.0);
}

/// The state of the task's model at rest, moved to a place.
std::vector<double> positions_at(Env& env, const Place& place) {
  const mjModel& model = *env.physics().model;
  std::vector<double> q(model.qpos0, model.qpos0 + model.nq);
  q[0] = place.x;
  q[1] = place.y;
  return q;
}

double cell_of(const std::string& task) { return task.starts_with("Ant") ? kAntCell : kPointCell; }

}  // namespace

TEST_CASE("the maps have D4RL's free cells, goals and path lengths", "[deep][maze]") {
  const Maze medium(find_layout("medium"), 4), large(find_layout("large"), 4);
  CHECK(medium.free_cells().size() == 26);
  CHECK(large.free_cells().size() == 46);
  CHECK(medium.path_length({1, 1}, {6, 6}) == 10);  // 40 m
  CHECK(large.path_length({1, 1}, {7, 9}) == 14);   // 56 m
  for (const Maze* maze : {&medium, &large}) {
    CHECK(maze->free(maze->layout().goal));
    for (const Cell goal : maze->layout().play_goals) CHECK(maze->free(goal));
    for (const Cell a : maze->free_cells()) CHECK(maze->path_length(a, maze->layout().start) >= 0);
  }
  CHECK_THROWS_AS(find_layout("huge"), InputError);
}

TEST_CASE("cells and places: row is y, column is x, the start is the origin", "[deep][maze]") {
  const Maze maze(find_layout("large"), 4);
  CHECK(maze.centre({1, 1}).x == 0);
  CHECK(maze.centre({7, 9}).x == 32);
  CHECK(maze.centre({7, 9}).y == 24);
  for (const Cell cell : maze.free_cells()) {
    const Place c = maze.centre(cell);
    for (const double dx : {-1.99, 0.0, 1.99}) {
      for (const double dy : {-1.99, 1.99}) CHECK(maze.cell_at({c.x + dx, c.y + dy}) == cell);
    }
  }
  CHECK(maze.cell_at({-100, 1e6}) == Cell{8, 0});
}

TEST_CASE("following the next cell reaches the target in path_length moves", "[deep][maze]") {
  const Maze maze(find_layout(GENERATE("medium", "large")), 1);
  for (const Cell from : maze.free_cells()) {
    for (const Cell to : maze.free_cells()) {
      Cell at = from;
      const int moves = maze.path_length(from, to);
      for (int k = 0; k < moves; ++k) {
        const Cell then = maze.next(at, to);
        REQUIRE(std::abs(then.row - at.row) + std::abs(then.column - at.column) == 1);
        REQUIRE(maze.free(then));
        at = then;
      }
      REQUIRE(at == to);
      REQUIRE(maze.next(at, to) == to);
    }
  }
}

TEST_CASE("the joined boxes cover the wall cells, all of them and nothing else", "[deep][maze]") {
  const Maze maze(find_layout(GENERATE("medium", "large")), 4);
  const std::vector<Wall> walls = maze.walls();
  const auto inside = [&](const Place& p) {
    return std::count_if(walls.begin(), walls.end(), [&](const Wall& w) {
      return std::abs(p.x - w.centre.x) < w.half_x && std::abs(p.y - w.centre.y) < w.half_y;
    });
  };
  for (int i = 0; i < maze.rows(); ++i) {
    for (int j = 0; j < maze.columns(); ++j) {
      const Place c = maze.centre({i, j});
      for (const double dx : {-1.99, 1.99}) {
        for (const double dy : {-1.99, 1.99}) {
          CHECK(inside({c.x + dx, c.y + dy}) == (maze.free({i, j}) ? 0 : 1));
        }
      }
    }
  }
}

TEST_CASE("the ant has gymnasium's bodies and D4RL's differences", "[deep][maze]") {
  const ModelPtr ours = parse_model(ant_model());
  const ModelPtr peer = load_model(model_path(SPEDER_PACKAGES_DIR, Package::kGymnasium, "ant.xml"));
  REQUIRE(ours->nq == 15);
  REQUIRE(ours->nv == 14);
  REQUIRE(ours->nu == 8);
  REQUIRE(ours->nbody == peer->nbody);
  const auto same = [](const mjtNum* a, const mjtNum* b, mjtSize n) {
    for (mjtSize i = 0; i < n; ++i) CHECK(a[i] == Approx(b[i]).margin(kRounding));
  };
  same(ours->qpos0, peer->qpos0, 15);
  same(ours->body_mass, peer->body_mass, ours->nbody);
  same(ours->body_inertia, peer->body_inertia, 3 * ours->nbody);
  same(ours->body_pos, peer->body_pos, 3 * ours->nbody);
  same(ours->jnt_range, peer->jnt_range, 2 * ours->njnt);
  same(ours->jnt_axis, peer->jnt_axis, 3 * ours->njnt);
  same(ours->dof_armature, peer->dof_armature, 14);
  same(ours->dof_damping, peer->dof_damping, 14);
  for (int u = 0; u < 8; ++u) {
    CHECK(ours->actuator_trnid[2 * u] == peer->actuator_trnid[2 * u]);  // order of the motors
    CHECK(ours->actuator_gear[6 * u] == 1);
    CHECK(ours->actuator_ctrlrange[2 * u + 1] == 30);
  }
  CHECK(ours->opt.timestep == 0.02);
  CHECK(ours->opt.integrator == mjINT_RK4);
  CHECK(ours->geom_solimp[0] == 0.8);
}

TEST_CASE("the ball weighs a sphere of water-like density and moves as F = ma", "[deep][maze]") {
  Env env(physics_of("PointMaze-medium"));
  const mjModel& model = *env.physics().model;
  CHECK(model.body_mass[1] == Approx(4.0 / 3 * M_PI * 1e-3 * 1000));
  env.place(std::vector<double>{0, 0}, std::vector<double>{0, 9});
  env.step(std::vector<double>{1, 0});
  // Euler with implicit damping: v' = (m v + Δ F) / (m + Δ b), the velocity clipped to 5 beforehand
  const double m = model.body_mass[1];
  CHECK(env.qvel()[0] == Approx(0.01 * 100 / (m + 0.01)));
  CHECK(env.qvel()[1] == Approx(5 * m / (m + 0.01)));
  CHECK(env.qpos()[0] == Approx(0.01 * env.qvel()[0]));
}

TEST_CASE("walls block: a push of 300 steps never leaves the free cells", "[deep][maze]") {
  const std::string name = GENERATE("PointMaze-medium", "PointMaze-large", "AntMaze-medium");
  CAPTURE(name);
  const Maze maze(find_layout(name.substr(name.find('-') + 1)), cell_of(name));
  Env env(physics_of(name), {.keep_going = true});
  for (const std::vector<double>& v : {std::vector<double>{5, 0}, {-5, 0}, {0, 5}, {0, -5}}) {
    std::vector<double> speed(env.qvel().size(), 0.0);
    std::copy(v.begin(), v.end(), speed.begin());
    env.place(positions_at(env, {0, 0}), speed);
    std::vector<double> push(still(env));
    if (push.size() == 2) push = {v[0] / 5, v[1] / 5};
    for (int t = 0; t < 300; ++t) {
      env.step(push);
      REQUIRE(maze.free(maze.cell_at(place_of(env.world()))));
    }
  }
  // (0, −1) from the start cell is a wall: the body is stopped short of it by its radius.
  CHECK(env.qpos()[1] > -0.5 * maze.cell_size());
}

TEST_CASE("a goal lies in D4RL's box and is drawn for every episode", "[deep][maze]") {
  struct Row {
    const char* name;
    double low_x, high_x, low_y, high_y;
  };
  const Row row = GENERATE(
      Row{"AntMaze-medium", 20, 21.5, 20, 21.5}, Row{"AntMaze-large", 32, 33.5, 24, 25.5},
      Row{"PointMaze-medium", 4.9, 5.1, 4.9, 5.1}, Row{"PointMaze-large", 7.9, 8.1, 5.9, 6.1});
  CAPTURE(row.name);
  Env env(physics_of(row.name));
  Rng rng = kSeeds.stream("goal");
  std::map<double, int> seen;
  for (int e = 0; e < 50; ++e) {
    env.reset(rng);
    const Place goal = goal_of(env.world());
    CHECK(goal.x >= row.low_x);
    CHECK(goal.x <= row.high_x);
    CHECK(goal.y >= row.low_y);
    CHECK(goal.y <= row.high_y);
    CHECK(distance(place_of(env.world()), {0, 0}) <= 0.1 * std::sqrt(2.0));
    ++seen[goal.x];
  }
  CHECK(seen.size() == 50);
}

TEST_CASE("success is a distance of at most half a metre: reward 1, terminated", "[deep][maze]") {
  const std::string name = GENERATE("PointMaze-large", "AntMaze-large");
  CAPTURE(name);
  const double inside = GENERATE(0.0, 0.45, 0.55);
  CAPTURE(inside);
  Env env(physics_of(name));
  const Maze maze(find_layout("large"), cell_of(name));
  const Place goal = maze.centre({7, 9});
  env.place(positions_at(env, {goal.x, goal.y - inside}), std::vector<double>(env.qvel().size()));
  CHECK(goal_of(env.world()).x == goal.x);  // a given state has the centre of the goal cell
  const StepResult result = env.step(still(env));
  CHECK(result.terminated == (inside < 0.5));
  CHECK(result.reward == (inside < 0.5 ? 1.0 : 0.0));
  CHECK_FALSE(result.truncated);
}

TEST_CASE("standing still is truncated at the limit and the same seed gives the same episode",
          "[deep][maze]") {
  const std::string name = GENERATE("PointMaze-medium", "PointMaze-large", "AntMaze-medium");
  CAPTURE(name);
  Env one(physics_of(name)), two(physics_of(name));
  Rng a = kSeeds.stream("same"), b = kSeeds.stream("same");
  one.reset(a);
  two.reset(b);
  StepResult last;
  while (!last.ended()) {
    last = one.step(still(one));
    two.step(still(two));
    REQUIRE(
        std::equal(one.observation().begin(), one.observation().end(), two.observation().begin()));
  }
  CHECK(one.steps() == (name == "PointMaze-medium" ? 600 : name == "PointMaze-large" ? 800 : 1000));
  CHECK(last.truncated);
  CHECK_FALSE(last.terminated);
}

TEST_CASE("AntDirection rewards metres per second along the commanded direction", "[deep][maze]") {
  Env env(physics_of("AntDirection"), {.keep_going = true});
  Rng rng = kSeeds.stream("direction"), noise = kSeeds.stream("noise");
  env.reset(rng);
  int changes = 0;
  for (int t = 0; t < 250; ++t) {
    const std::vector<double> before(env.observation().begin(), env.observation().end());
    const Place from = place_of(env.world());
    std::vector<double> action(8);
    for (double& u : action) u = noise.uniform(-1, 1);
    const StepResult result = env.step(action);
    const Place to = place_of(env.world());
    CHECK(before[27] * before[27] + before[28] * before[28] == Approx(1.0));
    CHECK(result.reward ==
          Approx(10 * ((to.x - from.x) * before[27] + (to.y - from.y) * before[28]))
              .margin(100 * kRounding));
    if (env.observation()[27] != before[27]) {
      ++changes;
      CHECK((t + 1) % 100 == 0);
    }
  }
  CHECK(changes == 2);
}

}  // namespace speder::deep::maze_test
