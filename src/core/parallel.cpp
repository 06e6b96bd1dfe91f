#include "core/parallel.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace speder {

int hardware_jobs() { return std::max(1, tbb::this_task_arena::max_concurrency()); }

void parallel_for(Index n, int jobs, const std::function<void(Index)>& body) {
  if (jobs == 1) {
    for (Index i = 0; i < n; ++i) body(i);
    return;
  }
  tbb::task_arena arena(jobs > 0 ? jobs : tbb::task_arena::automatic);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<Index>(0, n, 1),
        [&](const auto& range) {
          for (Index i = range.begin(); i != range.end(); ++i) body(i);
        },
        tbb::simple_partitioner{});
  });
}

}  // namespace speder
