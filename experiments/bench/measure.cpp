#include "speder/experiments/bench/measure.hpp"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

namespace speder::bench {
namespace {

// A "VmHWM:   1234 kB" line of /proc/self/status, in bytes.
std::int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key, 0) == 0) return std::stoll(line.substr(key.size())) * 1024;
  }
  return -1;
}

}  // namespace

double median_seconds(int repeats, const std::function<void()>& body) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    body();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[static_cast<std::size_t>(repeats / 2)];
}

std::int64_t peak_memory() { return status_bytes("VmHWM:"); }

std::int64_t peak_growth(const std::function<void()>& body) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the high-water mark to the present
  const std::int64_t before = status_bytes("VmRSS:");
  body();
  const std::int64_t after = peak_memory();
  return before < 0 || after < 0 ? -1 : after - before;
}

}  // namespace speder::bench
