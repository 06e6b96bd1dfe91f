#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace speder::deep {

/// Threads that stay alive between calls: a vectorised step lasts tens of microseconds, less than
/// starting a thread. The caller works too, so `threads` counts it.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  /// body(i) for i in {0, …, n−1}, in any order and on any thread: each i writes to its own slots.
  /// The first exception is rethrown when all are done.
  void run(int n, const std::function<void(int)>& body);
  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

 private:
  void work();
  void drain();

  std::vector<std::thread> workers_;
  const std::function<void(int)>* body_ = nullptr;
  int count_ = 0;
  std::atomic<int> next_{0};
  std::atomic<int> active_{0};           // workers still inside the current round
  std::atomic<std::uint32_t> round_{0};  // bumped to start a round
  std::atomic<bool> stop_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace speder::deep
