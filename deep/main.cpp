#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>
#include <exception>

#include "deep/cli/command.hpp"

namespace {

constexpr int kBadInput = 2;
constexpr int kKeepBytes = 64 << 20;

int fail(const char* what) {
  fmt::print(stderr, "speder-deep: error: {}\n", what);
  return kBadInput;
}

int run(int argc, char** argv) {
  CLI::App app(
      "speder deep: SPEDER and its baselines on the MBBL and DeepMind Control tasks of the paper.",
      "speder deep");
  app.require_subcommand(0, 1);
  speder::deep::cli::add_envs(app);
  speder::deep::cli::add_rollout(app);
  speder::deep::cli::add_bench_env(app);
  speder::deep::cli::add_train(app);
  speder::deep::cli::add_bench(app);
  speder::deep::cli::add_bench_update(app);
  speder::deep::cli::add_table(app);
  speder::deep::cli::add_data(app);
  speder::deep::cli::add_heatmap(app);
  speder::deep::cli::add_imitate(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return fail(fmt::format("{} (speder deep --help shows the options)", e.what()).c_str());
  }
  if (app.get_subcommands().empty()) fmt::print("{}", app.help());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // Minibatch tensors come and go thousands of times a second: keep their pages (a tenth of an
  // update's time otherwise goes to the system returning and clearing them).
  mallopt(M_MMAP_THRESHOLD, kKeepBytes);
  mallopt(M_TRIM_THRESHOLD, kKeepBytes);
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    return fail(e.what());
  }
}
