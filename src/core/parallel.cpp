#include "speder/core/parallel.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace speder {
namespace {

/// What TBB guarantees and ThreadSanitizer cannot see in a library without its instrumentation: the
/// call comes before every body, and every body before the return. Bodies stay unordered among
/// themselves, so a race between two of them is still found.
class Order {
 public:
  class Body {
   public:
    explicit Body(Order& order) : order_(order) { acquire(order_.call_); }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;
    ~Body() { release(order_.end_); }

   private:
    Order& order_;
  };
  Order() { release(call_); }
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;
  ~Order() { acquire(end_); }

 private:
#if defined(__SANITIZE_THREAD__)
  static void acquire(char& token) { __tsan_acquire(&token); }
  static void release(char& token) { __tsan_release(&token); }
#else
  static void acquire(char&) {}
  static void release(char&) {}
#endif
  char call_ = 0, end_ = 0;
};

}  // namespace

int hardware_jobs() { return std::max(1, tbb::this_task_arena::max_concurrency()); }

void parallel_for(Index n, int jobs, const std::function<void(Index)>& body) {
  if (jobs == 1) {
    for (Index i = 0; i < n; ++i) body(i);
    return;
  }
  Order order;
  tbb::task_arena arena(jobs > 0 ? jobs : tbb::task_arena::automatic);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<Index>(0, n, 1),
        [&](const auto& range) {
          const Order::Body in_order(order);
          for (Index i = range.begin(); i != range.end(); ++i) body(i);
        },
        tbb::simple_partitioner{});
  });
}

}  // namespace speder
