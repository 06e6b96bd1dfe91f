#include "speder/deep/learn/nn/device.hpp"

#include <array>
#include <thread>
#include <vector>

#include "speder/deep/learn/nn/torch.hpp"
#include "tests/catch.hpp"

namespace speder::deep::block_cache_test {
namespace {

constexpr std::int64_t kNumbers = 5000;  // 20,000 bytes: no multiple of a cache line's 64

void* block_of(const Tensor& x) { return x.data_ptr(); }

}  // namespace

TEST_CASE("Block cache: a freed block is the next one of its size, and no live one is",
          "[block-cache]") {
  keep_tensor_blocks();
  Tensor first = at::empty({kNumbers});
  void* const block = block_of(first);
  CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
  const Tensor second = at::empty({kNumbers});
  CHECK(block_of(second) != block);
  first = Tensor();
  CHECK(block_of(at::empty({2 * kNumbers})) != block);  // another size
  const Tensor third = at::empty({kNumbers});
  CHECK(block_of(third) == block);
  CHECK(block_of(at::empty({kNumbers})) != block);
}

TEST_CASE("Block cache: blocks that two threads hand to each other keep their numbers",
          "[block-cache]") {
  keep_tensor_blocks();
  constexpr int kRounds = 2000;
  constexpr std::size_t kHeld = 8;
  std::array<bool, 2> whole = {true, true};
  const auto work = [&](std::size_t me) {
    std::vector<Tensor> held;
    const auto mark = [me](int round) {
      return static_cast<float>(2 * round + static_cast<int>(me));
    };
    for (int i = 0; i < kRounds; ++i) {
      held.push_back(at::full({kNumbers}, mark(i)));
      if (held.size() < kHeld) continue;
      whole[me] =
          whole[me] && (held[0] == mark(i + 1 - static_cast<int>(kHeld))).all().item<bool>();
      held.erase(held.begin());
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  CHECK(whole[0]);
  CHECK(whole[1]);
}

}  // namespace speder::deep::block_cache_test
