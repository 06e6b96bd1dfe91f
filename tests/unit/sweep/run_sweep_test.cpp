#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <exception>
#include <filesystem>
#include <ios>
#include <limits>
#include <mutex>
#include <new>
#include <thread>

#include "speder/core/check.hpp"
#include "speder/sweep/cluster.hpp"
#include "speder/sweep/run_sweep.hpp"
#include "speder/sweep/stop_signal.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

using namespace speder;
using speder::testing::Folder;

namespace run_sweep_test {
namespace {

const std::atomic<bool> kNever = false;

Sweep four_runs() {
  Sweep sweep{.record = {.id = "e", .config = "", .seed = 1, .planned = 9, .build = {}},
              .runs = {}};
  for (std::int64_t i = 0; i < 4; ++i) sweep.runs.push_back({"e", "x=1", i});
  return sweep;
}

/// A job of three ranks within one process.
class Ranks {
 public:
  static constexpr int kSize = 3;
  Transport of(int rank) {
    return {.rank = rank,
            .size = kSize,
            .send =
                [this, rank](int to, const Bytes& bytes) {
                  const std::lock_guard guard(mutex_);
                  boxes_.at(static_cast<std::size_t>(to)).push_back({rank, bytes});
                },
            .receive =
                [this, rank](Message& out) {
                  const std::lock_guard guard(mutex_);
                  auto& box = boxes_.at(static_cast<std::size_t>(rank));
                  if (box.empty()) return false;
                  out = box.front();
                  box.pop_front();
                  return true;
                }};
  }

 private:
  std::mutex mutex_;
  std::array<std::deque<Message>, kSize> boxes_;
};

Outcome finished(const RunKey& key) { return {.run = Run{.key = key, .measures = {{"y", 0, 1}}}}; }

}  // namespace

TEST_CASE("run_sweep: a run told to stop is not stored; the next start makes it", "[sweep]") {
  const Folder folder;
  const Sweep sweep = four_runs();
  ResultStore store = ResultStore::open(folder.path / "a.db");
  std::vector<std::int64_t> asked;  // one thread: no lock needed
  std::atomic<bool> stop = false;
  bool interrupted = true;
  const RunTask task = [&](std::int64_t i) -> Outcome {
    asked.push_back(i);
    if (interrupted && i == 1) stop = true;
    if (stop) return {};
    return finished(sweep.runs[static_cast<std::size_t>(i)]);
  };
  const SweepResult first = run_sweep(store, sweep, thread_workers(1, task), stop);
  CHECK_FALSE(first.complete);
  CHECK(first.obstacle.empty());
  CHECK(first.progress.done == 1);
  asked.clear();
  stop = interrupted = false;
  const SweepResult second = run_sweep(store, sweep, thread_workers(1, task), stop);
  CHECK(second.complete);
  CHECK(second.progress.restored == 1);
  CHECK(asked == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("run_sweep: an obstacle leaves its run for another time and stops no other", "[sweep]") {
  const Folder folder;
  const Sweep sweep = four_runs();
  ResultStore store = ResultStore::open(folder.path / "a.db");
  const RunTask task = [&](std::int64_t i) -> Outcome {
    if (i == 0 || i == 2) return {.run = {}, .obstacle = fmt::format("no room for {}", i)};
    return finished(sweep.runs[static_cast<std::size_t>(i)]);
  };
  std::vector<std::int64_t> stored;
  const SweepResult result =
      run_sweep(store, sweep, thread_workers(1, task), kNever,
                {.stored = [&](const Run& run) { stored.push_back(run.key.repetition); }});
  CHECK_FALSE(result.complete);
  CHECK(result.obstacle == "no room for 0");
  CHECK(result.progress.failed == 0);
  CHECK(stored == std::vector<std::int64_t>{1, 3});
  CHECK(store.finished("e") == std::vector<RunKey>{sweep.runs[1], sweep.runs[3]});
}

TEST_CASE("run_sweep: a shortage is no result, a run's own exception is", "[sweep]") {
  const auto outcome = [](const auto& body) {
    try {
      body();
    } catch (...) {
      return outcome_of_exception({"e", "x=1", 0}, 2);
    }
    return Outcome{};
  };
  const Outcome memory = outcome([] { throw std::bad_alloc(); });
  CHECK(!memory.run);
  CHECK(memory.obstacle == "not enough memory");
  CHECK(!outcome([] {
           throw std::filesystem::filesystem_error("a", std::make_error_code(std::errc::io_error));
         }).run);
  CHECK(!outcome([] { throw std::ios_base::failure("read"); }).run);
  CHECK(outcome([] { throw InputError("a.h5: no such file"); }).obstacle == "a.h5: no such file");
  const Outcome own = outcome([] { throw std::domain_error("diverged"); });
  REQUIRE(own.run);
  CHECK(own.run->failed);
  CHECK(own.run->error == "diverged");
  CHECK(own.run->seconds == 2);
}

TEST_CASE("run_sweep: failed runs of before are counted, and made again when asked", "[sweep]") {
  const Folder folder;
  Sweep sweep = four_runs();
  ResultStore store = ResultStore::open(folder.path / "a.db");
  bool broken = true;
  const RunTask task = [&](std::int64_t i) -> Outcome {
    Outcome out = finished(sweep.runs[static_cast<std::size_t>(i)]);
    out.run->failed = broken && i < 2;
    return out;
  };
  CHECK(run_sweep(store, sweep, thread_workers(1, task), kNever).progress.failed == 2);
  broken = false;
  const SweepResult kept = run_sweep(store, sweep, thread_workers(1, task), kNever);
  CHECK(kept.progress.failed_before == 2);
  CHECK(kept.progress.restored == 4);
  sweep.retry_failed = true;
  const SweepResult again = run_sweep(store, sweep, thread_workers(1, task), kNever);
  CHECK(again.complete);
  CHECK(again.progress.restored == 2);
  CHECK(again.progress.failed + again.progress.failed_before == 0);
  ResultStore fresh = ResultStore::open(folder.path / "b.db");
  run_sweep(fresh, sweep, thread_workers(1, task), kNever);
  CHECK(store.content() == fresh.content());
}

TEST_CASE("run_sweep_here: when the store refuses, the runs under way are told to stop",
          "[sweep]") {
  const Folder folder;
  const Sweep sweep = four_runs();
  bool told = false;  // written by one task, read when its thread is gone
  const RunTask task = [&](std::int64_t i) -> Outcome {
    if (i != 1) return finished(sweep.runs[0]);  // again and again: the store refuses
    constexpr int kTimes = 1000;
    for (int t = 0; t < kTimes && !told; ++t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      told = StopSignal::flag();
    }
    return {};
  };
  CHECK_THROWS_AS(run_sweep_here({.store = folder.path / "a.db", .jobs = 2}, sweep, task),
                  InputError);
  CHECK(told);
}

TEST_CASE("run_sweep: the same run twice is refused before anything is stored", "[sweep]") {
  const Folder folder;
  Sweep sweep = four_runs();
  sweep.runs.push_back(sweep.runs[2]);
  ResultStore store = ResultStore::open(folder.path / "a.db");
  CHECK_THROWS_WITH(run_sweep(store, sweep, {}, kNever),
                    "the run 'x=1', repetition 2, is asked for twice");
  CHECK(store.experiments().empty());
}

TEST_CASE("run_sweep: over ranks it is the sweep over threads, and then the ranks leave",
          "[sweep]") {
  const Folder folder;
  const Sweep sweep = four_runs();
  const RunTask task = [&](std::int64_t i) -> Outcome {
    Outcome out = finished(sweep.runs[static_cast<std::size_t>(i)]);
    out.run->measures[0].value = static_cast<double>(i);
    return out;
  };
  Ranks ranks;
  std::array<int, Ranks::kSize> made{};  // each rank counts its own
  std::vector<std::thread> others;
  for (int r = 1; r < Ranks::kSize; ++r) {
    others.emplace_back([&, r] {
      serve(ranks.of(r), [&, r](std::int64_t i) {
        ++made.at(static_cast<std::size_t>(r));
        return task(i);
      });
    });
  }
  ResultStore store = ResultStore::open(folder.path / "a.db");
  {
    const Workers workers = rank_workers(ranks.of(0));
    CHECK(workers.capacity == 2);
    CHECK(run_sweep(store, sweep, workers, kNever).complete);
  }
  for (std::thread& t : others) t.join();
  CHECK(made[1] > 0);  // the first two runs go to two ranks
  CHECK(made[2] > 0);
  CHECK(made[1] + made[2] == 4);
  ResultStore threads = ResultStore::open(folder.path / "b.db");
  run_sweep(threads, sweep, thread_workers(2, task), kNever);
  CHECK(store.content() == threads.content());
}

TEST_CASE("serve: a rank that cannot answer ends, so that rank 0 does not wait for it", "[sweep]") {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr int kEnded = 7;
    std::set_terminate([] { ::_exit(kEnded); });
    try {
      serve({.rank = 1,
             .size = 2,
             .send = [](int, const Bytes&) { throw std::bad_alloc(); },
             .receive =
                 [](Message& out) {
                   out.bytes = Bytes(sizeof(std::int64_t), '\0');
                   return true;
                 }},
            [](std::int64_t) { return Outcome{}; });
    } catch (...) {  // on its way to MPI's end
    }
    ::_exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("pack: an outcome survives the way to another rank, a cut message is refused",
          "[sweep]") {
  Run run;
  run.key = {"e", "x=1", 7};
  run.measures = {{"a", -1, 0.1}, {"", 5, std::numeric_limits<double>::infinity()}};
  run.failed = true;
  run.error = std::string("nul \0 inside", 12);
  run.seconds = 2;
  const Outcome back = unpack(pack({.run = run}));
  REQUIRE(back.run);
  CHECK(back.run->key == run.key);
  CHECK(back.run->measures == run.measures);
  CHECK(back.run->failed);
  CHECK(back.run->error == run.error);
  CHECK(back.run->seconds == run.seconds);
  CHECK(back.obstacle.empty());
  const Outcome none = unpack(pack({.run = {}, .obstacle = "disk full"}));
  CHECK_FALSE(none.run);
  CHECK(none.obstacle == "disk full");
  Bytes cut = pack({.run = run});
  cut.pop_back();
  CHECK_THROWS_AS(unpack(cut), std::invalid_argument);
}

}  // namespace run_sweep_test
