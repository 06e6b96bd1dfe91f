#include "speder/deep/sim/env/worker_pool.hpp"

#include <utility>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

// Some hundred microseconds of polling before sleeping in the kernel: waking a sleeper costs as much
// as stepping sixteen light environments, so that a pool that sleeps between steps is slower than one
// thread.
constexpr int kSpins = 8000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits until value differs from old: spins briefly, then sleeps.
template <class T>
void await_change(const std::atomic<T>& value, T old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

WorkerPool::WorkerPool(int threads) {
  require(threads >= 1, "a worker pool needs at least one thread", threads);
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  stop_.store(true);
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::drain() {
  for (int i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
    try {
      (*body_)(i);
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
}

void WorkerPool::work() {
  for (std::uint32_t seen = 0;; ++seen) {
    await_change(round_, seen);
    if (stop_.load()) return;
    drain();
    if (active_.fetch_sub(1) == 1) active_.notify_all();
  }
}

void WorkerPool::run(int n, const std::function<void(int)>& body) {
  body_ = &body;
  count_ = n;
  next_.store(0);
  if (!workers_.empty()) {
    active_.store(static_cast<int>(workers_.size()));
    round_.fetch_add(1);
    round_.notify_all();
  }
  drain();
  for (int left = active_.load(); left > 0; left = active_.load()) await_change(active_, left);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace speder::deep
