#include <fmt/format.h>

#include <iterator>

#include "speder/core/check.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {

const std::vector<Task>& tasks() {
  static const std::vector<Task> table = {
      half_cheetah(),      reacher(),
      humanoid_et(),       pendulum(),
      inverted_pendulum(), ant_et(),
      hopper_et(),         slim_humanoid_et(),
      cart_pole(),         walker_et(),  // MBBL, in the order of the paper's table
      cheetah_run(),       cheetah_run_sparse(),
      walker_run(),        walker_run_sparse(),
      humanoid_run(),      hopper_hop(),  // DeepMind Control
      point_maze_medium(), point_maze_large(),
      ant_maze_medium(),   ant_maze_large(),
      ant_direction(),  // latent behavioural cloning
  };
  return table;
}

const Task& find_task(std::string_view name) {
  std::string names;
  for (const Task& task : tasks()) {
    if (task.name == name) return task;
    fmt::format_to(std::back_inserter(names), " {}", task.name);
  }
  throw InputError(fmt::format("no task is called '{}'; there are:{}", name, names));
}

}  // namespace speder::deep
