#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "speder/core/check.hpp"
#include "speder/sweep/workers.hpp"

namespace speder {
namespace {

class ThreadPool {
 public:
  ThreadPool(int threads, RunTask run) : run_(std::move(run)) {
    threads_.reserve(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i) {
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error&) {  // fewer have to do; with none there is no sweep
        if (threads_.empty()) throw InputError("no thread could be started (ulimit -u, ulimit -v)");
        break;
      }
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    {
      const std::lock_guard guard(mutex_);
      closing_ = true;
      tasks_.clear();
    }
    task_ready_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  void submit(std::int64_t task) {
    {
      const std::lock_guard guard(mutex_);
      tasks_.push_back(task);
    }
    task_ready_.notify_one();
  }

  int drop() {
    const std::lock_guard guard(mutex_);
    const int dropped = static_cast<int>(tasks_.size());
    tasks_.clear();
    return dropped;
  }

  [[nodiscard]] std::optional<Outcome> wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!outcome_ready_.wait_for(lock, patience, [this] { return !finished_.empty(); })) return {};
    Outcome outcome = std::move(finished_.front());
    finished_.pop_front();
    return outcome;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      task_ready_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
      if (closing_) return;
      const std::int64_t task = tasks_.front();
      tasks_.pop_front();
      lock.unlock();
      Outcome outcome = run_(task);
      lock.lock();
      finished_.push_back(std::move(outcome));
      outcome_ready_.notify_one();
    }
  }

  RunTask run_;
  std::mutex mutex_;
  std::condition_variable task_ready_;
  std::condition_variable outcome_ready_;
  std::deque<std::int64_t> tasks_;
  std::deque<Outcome> finished_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

Workers thread_workers(int threads, RunTask run) {
  const auto pool = std::make_shared<ThreadPool>(threads, std::move(run));
  constexpr int kDepth =
      16;  // short runs finish in tens of microseconds, a commit takes milliseconds
  return {.capacity = kDepth * threads,
          .submit = [pool](std::int64_t task) { pool->submit(task); },
          .wait = [pool](std::chrono::milliseconds patience) { return pool->wait(patience); },
          .drop = [pool] { return pool->drop(); }};
}

}  // namespace speder
