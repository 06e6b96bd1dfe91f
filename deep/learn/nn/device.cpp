#include "speder/deep/learn/nn/device.hpp"

#include <ATen/Context.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

/// libtorch_cuda.so in the folder libtorch_cpu was loaded from; "" or what went wrong.
std::string load_cuda() {
  static std::once_flag once;
  static std::string problem;
  std::call_once(once, [] {
    Dl_info info{};
    const auto* symbol = reinterpret_cast<const void*>(&at::globalContext);
    if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) {
      problem = "libtorch_cpu cannot be located";
      return;
    }
    const auto file = std::filesystem::path(info.dli_fname).parent_path() / "libtorch_cuda.so";
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      const char* message = dlerror();
      problem = message != nullptr ? message : "libtorch_cuda cannot be loaded";
    }
  });
  return problem;
}

int cuda_count() { return static_cast<int>(at::detail::getCUDAHooks().deviceCount()); }

/// Empty when device `index` can be used.
std::string cuda_problem(int index) {
  const std::string loading = load_cuda();
  if (!loading.empty()) {
    return loading + " (docs/deep.md has the one command that installs the CUDA libraries)";
  }
  try {
    if (!at::hasCUDA()) return "no CUDA driver or no GPU was found";
    if (index >= cuda_count()) return fmt::format("there are {} CUDA devices", cuda_count());
  } catch (const std::exception& error) {
    return std::string(error.what()).substr(0, std::string(error.what()).find('\n'));
  }
  return {};
}

}  // namespace

Device choose_device(const std::string& name) {
  if (name == "cpu") return {at::kCPU};
  int index = 0;
  const bool numbered = name.starts_with("cuda:") && name.size() > 5 && name.size() < 9 &&
                        name.find_first_not_of("0123456789", 5) == std::string::npos;
  if (numbered) index = std::stoi(name.substr(5));
  if (!numbered && name != "cuda" && name != "auto") {
    throw InputError(fmt::format("no device '{}': cpu, cuda, cuda:<n> or auto", name));
  }
  const std::string problem = cuda_problem(index);
  if (problem.empty()) return {at::kCUDA, static_cast<at::DeviceIndex>(index)};
  if (name == "auto") return {at::kCPU};
  throw InputError(fmt::format("--device {}: {}", name, problem));
}

int cuda_devices() { return cuda_problem(0).empty() ? cuda_count() : 0; }

std::string device_of_process(const std::string& name, int process,
                              const std::function<int()>& devices) {
  if (name != "cuda" && name != "auto") return name;
  const int count = devices();
  return count > 0 ? fmt::format("cuda:{}", process % count) : name;
}

namespace {

constexpr std::size_t kAlignment = 64;          // as libtorch has it
constexpr std::size_t kLargestKept = 8U << 20;  // bytes of a block; larger ones are few
constexpr std::size_t kMostKept = 64U << 20;    // bytes of all kept blocks

/// Free blocks by size. A block's size stands in the line before it.
class BlockCache final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* block = bytes == 0 ? nullptr : take((bytes + kAlignment - 1) / kAlignment * kAlignment);
    return {block, block, &give_back, c10::Device(c10::DeviceType::CPU)};
  }
  [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

  static BlockCache& instance() {
    static auto* cache = new BlockCache;  // never destroyed: tensors of static storage outlive it
    return *cache;
  }

 private:
  void* take(std::size_t bytes) {
    if (bytes <= kLargestKept) {
      const std::lock_guard lock(mutex_);
      std::vector<void*>& blocks = free_[bytes];
      if (!blocks.empty()) {
        void* block = blocks.back();
        blocks.pop_back();
        kept_ -= bytes;
        return block;
      }
    }
    auto* start = static_cast<std::byte*>(std::aligned_alloc(kAlignment, bytes + kAlignment));
    if (start == nullptr) throw std::bad_alloc();
    *reinterpret_cast<std::size_t*>(start) = bytes;
    return start + kAlignment;
  }

  static void give_back(void* block) {
    if (block == nullptr) return;
    std::byte* start = static_cast<std::byte*>(block) - kAlignment;
    const std::size_t bytes = *reinterpret_cast<std::size_t*>(start);
    BlockCache& cache = instance();
    if (bytes <= kLargestKept) {
      const std::lock_guard lock(cache.mutex_);
      if (cache.kept_ + bytes <= kMostKept) {
        cache.free_[bytes].push_back(block);
        cache.kept_ += bytes;
        return;
      }
    }
    std::free(start);  // NOLINT(cppcoreguidelines-no-malloc)
  }

  std::mutex mutex_;
  std::unordered_map<std::size_t, std::vector<void*>> free_;
  std::size_t kept_ = 0;
};

}  // namespace

void keep_tensor_blocks() { c10::SetCPUAllocator(&BlockCache::instance()); }

}  // namespace speder::deep
