#include <malloc.h>

#include <cstdio>
#include <cstdlib>

#include "speder/cli/program.hpp"
#include "speder/cli/strict.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/learn/nn/device.hpp"

namespace {

constexpr int kKeepBytes = 64 << 20;

void add_commands(CLI::App& app, int& exit_code) {
  using namespace speder::deep::cli;
  app.name("speder deep");
  app.description(
      "speder deep: SPEDER and its baselines on the MBBL and DeepMind Control tasks of the paper.");
  app.require_subcommand(0, 1);
  add_envs(app);
  add_rollout(app);
  add_export(app);
  add_bench_env(app);
  add_train(app);
  add_bench(app, exit_code);
  add_bench_update(app);
  add_probe(app);
  add_table(app);
  add_data(app);
  add_exact(app);
  add_heatmap(app);
  add_imitate(app, exit_code);
  add_report(app);
  speder::cli::require_sound_numbers(app);
}

}  // namespace

int main(int argc, char** argv) {
  // Minibatch tensors are allocated and freed thousands of times a second. Keeping their pages saves
  // a tenth of an update's time, which the system would spend on taking them back and clearing them.
  mallopt(M_MMAP_THRESHOLD, kKeepBytes);
  mallopt(M_TRIM_THRESHOLD, kKeepBytes);
  speder::deep::keep_tensor_blocks();
  const int code = speder::cli::run_program("speder-deep", add_commands, argc, argv);
  // Exits without running destructors of static objects: libtorch's threads and static objects end
  // in no fixed order, and a bench has crashed after its last output. All files are closed by now.
  std::fflush(nullptr);
  std::_Exit(code);
}
