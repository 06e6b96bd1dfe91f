#include <ATen/Parallel.h>

// Products in these tests are small: one thread each, whatever the machine, so that sums have one
// order.
const int kTestThreads = (at::set_num_threads(1), at::get_num_threads());
