#include "speder/sweep/run_sweep.hpp"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "speder/core/check.hpp"
#include "speder/experiments/rates/suite.hpp"
#include "speder/sweep/cluster.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

using namespace speder;
using speder::testing::Folder;

namespace sweep_test {
namespace {

constexpr std::uint64_t kSeed = 5;
const std::atomic<bool> kNever = false;

// Six cells, three repetitions; the cell x = 3 always fails.
Suite small_suite() {
  Suite suite{.id = "planted", .size = "quick", .plan = {}};
  for (int x = 0; x < 6; ++x) suite.plan.cells.push_back(GridCell().set("x", x));
  suite.plan.repetitions = 3;
  suite.plan.run = [](const RunContext& context) -> std::vector<Measure> {
    const double x = context.cell.number("x");
    if (x == 3) throw std::runtime_error("three is not allowed");
    Rng rng = context.seeds.child(context.cell.key()).stream("noise");
    return {{"y", 1, x + rng.uniform()}, {"y", 2, rng.uniform()}};
  };
  return suite;
}

std::string content_with(const Workers& workers, const Suite& suite) {
  const Folder folder;
  ResultStore store = ResultStore::open(folder.path / "a.db");
  const SweepResult result = run_sweep(store, suite_runs(suite, kSeed), workers, kNever);
  CHECK(result.complete);
  CHECK(result.progress.failed == 3);
  return store.content();
}

// Ranks as threads of this process: mailboxes in place of a network.
class Mailboxes {
 public:
  Transport of(int rank, int size) {
    return {.rank = rank,
            .size = size,
            .send =
                [this, rank](int to, const Bytes& bytes) {
                  const std::lock_guard guard(mutex_);
                  boxes_[to].push_back({rank, bytes});
                },
            .receive =
                [this, rank](Message& out) {
                  const std::lock_guard guard(mutex_);
                  if (boxes_[rank].empty()) return false;
                  out = boxes_[rank].front();
                  boxes_[rank].pop_front();
                  return true;
                }};
  }

 private:
  std::mutex mutex_;
  std::map<int, std::deque<Message>> boxes_;
};

std::string content_on_ranks(int size) {
  const Suite suite = small_suite();
  const RunTask task = run_task(suite, kSeed);
  Mailboxes mail;
  std::vector<std::thread> ranks;
  for (int r = 1; r < size; ++r) {
    ranks.emplace_back([&mail, &task, r, size] { serve(mail.of(r, size), task); });
  }
  std::string content;
  {
    const Workers workers = rank_workers(mail.of(0, size));
    content = content_with(workers, suite);
  }  // tells the ranks to leave
  for (std::thread& t : ranks) t.join();
  return content;
}

}  // namespace

TEST_CASE("run_sweep: rows do not depend on the number of threads or ranks", "[sweep]") {
  const Suite suite = small_suite();
  const RunTask task = run_task(suite, kSeed);
  const std::string alone = content_with(thread_workers(1, task), suite);
  CHECK(alone == content_with(thread_workers(2, task), suite));
  CHECK(alone == content_with(thread_workers(7, task), suite));
  CHECK(alone == content_on_ranks(2));
  CHECK(alone == content_on_ranks(5));
  CHECK_THAT(alone, Catch::Contains("run [x=3] 0 failed three is not allowed"));
}

TEST_CASE("run_sweep: stopped and started again, it repeats nothing and ends the same", "[sweep]") {
  const Suite suite = small_suite();
  const std::string whole = content_with(thread_workers(2, run_task(suite, kSeed)), suite);
  const Folder folder;
  std::map<std::int64_t, int> computed;  // one thread: no lock needed
  const RunTask counting = [&](std::int64_t task) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // longer than it takes to stop
    ++computed[task];
    return run_task(suite, kSeed)(task);
  };
  int starts = 0;
  for (bool complete = false; !complete; ++starts) {
    REQUIRE(starts < 20);
    ResultStore store = ResultStore::open(folder.path / "a.db");
    const Workers workers = thread_workers(1, counting);
    std::atomic<bool> stop = false;
    const SweepResult result = run_sweep(store, suite_runs(suite, kSeed), workers, stop,
                                         {.progress = [&](const SweepProgress& p) {
                                           if (p.done > p.restored) stop = true;
                                         }});
    complete = result.complete;
    CHECK(result.progress.done == static_cast<std::int64_t>(store.finished("planted").size()));
  }
  CHECK(starts > 1);
  CHECK(computed.size() == 18);
  for (const auto& [task, times] : computed) CHECK(times == 1);
  CHECK(ResultStore::read(folder.path / "a.db").content() == whole);
}

TEST_CASE("run_sweep: another seed gives other rows and does not continue this store", "[sweep]") {
  const Suite suite = small_suite();
  const Folder folder;
  ResultStore store = ResultStore::open(folder.path / "a.db");
  const Workers workers = thread_workers(1, run_task(suite, kSeed));
  run_sweep(store, suite_runs(suite, kSeed), workers, kNever);
  CHECK_THROWS_AS(run_sweep(store, suite_runs(suite, kSeed + 1), workers, kNever), InputError);
  const RunTask other = run_task(suite, kSeed + 1);
  const auto rows = [](const RunTask& task, std::int64_t i) { return task(i).run->measures; };
  CHECK(rows(other, 0) != rows(run_task(suite, kSeed), 0));
  // Repetitions and cells have streams of their own.
  CHECK(rows(other, 0)[1] != rows(other, 1)[1]);
  CHECK(rows(other, 0)[1] != rows(other, 3)[1]);
}

}  // namespace sweep_test
