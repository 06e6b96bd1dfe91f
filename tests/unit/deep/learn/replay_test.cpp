#include <numeric>

#include "speder/deep/learn/replay/minibatch.hpp"
#include "tests/catch.hpp"

using namespace speder;
using namespace speder::deep;

namespace replay_test {
namespace {

/// Step number i: observation (i, i+½), action (−i), successor (i+1, i+1½).
void add_numbered(RingBuffer& buffer, int i) {
  const auto x = static_cast<float>(i);
  const std::vector<float> s = {x, x + 0.5F};
  const std::vector<float> a = {-x};
  const std::vector<float> next = {x + 1, x + 1.5F};
  buffer.add({s, a, 10 * x, next, i % 3 == 0, i % 2 == 0});
}

RingBuffer numbered(int capacity, int steps) {
  RingBuffer buffer(2, 1, capacity);
  for (int i = 0; i < steps; ++i) add_numbered(buffer, i);
  return buffer;
}

}  // namespace

TEST_CASE("ring buffer: keeps the last `capacity` steps, each in one row", "[learn][replay]") {
  const RingBuffer buffer = numbered(5, 12);
  CHECK(buffer.size() == 5);
  CHECK(buffer.added() == 12);
  std::vector<float> kept;
  for (Index i = 0; i < buffer.size(); ++i) kept.push_back(buffer.row(i)[0]);
  CHECK(kept == std::vector<float>{10, 11, 7, 8, 9});  // step 10 took the place of step 5
  const auto row = buffer.row(4);                      // [s | a | r | terminated | ended | s']
  CHECK(std::vector<float>(row.begin(), row.end()) ==
        std::vector<float>{9, 9.5, -9, 90, 1, 0, 10, 10.5});
}

TEST_CASE("ring buffer: bounds, sizes and empty draws are refused", "[learn][replay]") {
  RingBuffer buffer = numbered(5, 2);
  Rng rng(1);
  const std::vector<float> one = {1};
  const std::vector<float> two = {1, 2};
  CHECK_THROWS_AS(buffer.row(2), std::invalid_argument);
  CHECK_THROWS_AS(buffer.row(-1), std::invalid_argument);
  CHECK_THROWS_AS(buffer.add({one, one, 0, two, false, false}), std::invalid_argument);
  CHECK_THROWS_AS(buffer.add({two, two, 0, two, false, false}), std::invalid_argument);
  CHECK_THROWS_AS(RingBuffer(2, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(RingBuffer(2, 1, 4).draw(rng), std::invalid_argument);
  CHECK_THROWS_AS(buffer.restore(one, 1), std::invalid_argument);
  CHECK_THROWS_AS(buffer.restore(buffer.rows(), 1), std::invalid_argument);
}

TEST_CASE("ring buffer: restored, it goes on exactly where it was", "[learn][replay]") {
  RingBuffer original = numbered(5, 13);
  RingBuffer copy(2, 1, 5);
  copy.restore(original.rows(), original.added());
  add_numbered(original, 13);
  add_numbered(copy, 13);
  CHECK(std::ranges::equal(original.rows(), copy.rows()));
}

TEST_CASE("ring buffer: a million steps of 17 + 6 numbers stay below 250 MiB", "[learn][replay]") {
  const RingBuffer buffer(17, 6, 1'000'000);
  CHECK(buffer.capacity() * buffer.row_size() * 4 < 250 * 1024 * 1024);
}

TEST_CASE("minibatch: rows of the buffer, base states of other rows, one draw one batch",
          "[learn][replay]") {
  const RingBuffer buffer = numbered(100, 100);
  Rng rng(4);
  const Minibatch m = draw_minibatch(buffer, {.size = 64}, at::kCPU, rng);
  CHECK(at::equal(m.pair, at::cat({m.state, m.action}, 1)));
  const Tensor i = m.state.select(1, 0);
  CHECK(at::equal(m.action.select(1, 0), -i));
  CHECK(at::equal(m.reward, 10 * i));
  CHECK(at::equal(m.next_state.select(1, 0), i + 1));
  CHECK(at::equal(m.terminated, i.remainder(3).eq(0).to(at::kFloat)));
  CHECK(at::equal(m.ended, i.remainder(2).eq(0).to(at::kFloat)));
  CHECK(at::equal(m.base_state.select(1, 1), m.base_state.select(1, 0) + 0.5));
  CHECK_FALSE(at::equal(m.base_state, m.next_state));
  CHECK_FALSE(at::equal(m.noise, m.next_noise));
  Rng again(4);
  CHECK(at::equal(draw_minibatch(buffer, {.size = 64}, at::kCPU, again).noise, m.noise));
  Rng gauss(4);
  const Minibatch g =
      draw_minibatch(buffer, {.size = 64, .base = BaseMeasure::kGaussian}, at::kCPU, gauss);
  CHECK(g.base_state.abs().max().item<double>() < 6);  // standard normal: P < 1e-6 over 128 draws
}

}  // namespace replay_test
