#include "speder/deep/learn/nn/block_cache.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace speder::deep {
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
