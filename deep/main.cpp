#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "speder/cli/output.hpp"
#include "speder/cli/strict.hpp"
#include "speder/cli/suggest.hpp"
#include "speder/core/check.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/learn/nn/device.hpp"
#include "speder/sweep/stop_signal.hpp"
#include "speder/sweep/transport.hpp"

namespace {

constexpr int kBadInput = 2;
constexpr int kKeepBytes = 64 << 20;

int fail(std::string_view what) {
  // libtorch appends the place in its own sources to its message
  what = what.substr(0, what.find("\nException raised from"));
  fmt::print(stderr, "speder-deep: error: {}\n", speder::cli::one_line(std::string(what)));
  return kBadInput;
}

/// Bad input: under mpirun every rank sees it, and rank 0 alone reports it.
int refuse(const std::string& what) {
  if (speder::rank_in_job() == 0) return fail(what);
  speder::wait_for_rank_0();
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
  speder::deep::cli::add_report(app);
  speder::cli::require_sound_numbers(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return refuse(speder::cli::explain(app, e, argc, argv));
  }
  if (app.get_subcommands().empty()) fmt::print("{}", app.help());
  return 0;
}

int guarded_run(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const speder::Interrupted& e) {
    fmt::print(stderr, "speder-deep: {}\n", e.what());
    return speder::kInterruptedExit;
  } catch (const speder::InputError& e) {
    return refuse(e.what());
  } catch (const std::bad_alloc&) {
    return fail("the memory does not suffice for this; smaller sizes need less");
  } catch (const std::exception& e) {
    return fail(e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Minibatch tensors are allocated and freed thousands of times a second. Keeping their pages saves
  // a tenth of an update's time, which the system would spend on taking them back and clearing them.
  mallopt(M_MMAP_THRESHOLD, kKeepBytes);
  mallopt(M_TRIM_THRESHOLD, kKeepBytes);
  speder::deep::keep_tensor_blocks();
  speder::cli::ignore_file_size_signal();
  const int code = speder::cli::finish_output(guarded_run(argc, argv), "speder-deep");
  // Exits without running destructors of static objects: libtorch's threads and static objects end
  // in no fixed order, and a bench has crashed after its last output. All files are closed by now.
  std::fflush(nullptr);
  std::_Exit(code);
}
