#include "speder/deep/learn/replay/minibatch.hpp"

#include <algorithm>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

/// The stored columns of `all` as views.
Minibatch columns(const Tensor& all, Index s, Index a) {
  Minibatch m;
  m.pair = all.narrow(1, 0, s + a);
  m.state = all.narrow(1, 0, s);
  m.action = all.narrow(1, s, a);
  m.reward = all.select(1, s + a);
  m.terminated = all.select(1, s + a + 1);
  m.ended = all.select(1, s + a + 2);
  m.next_state = all.narrow(1, s + a + 3, s);
  return m;
}

void fill_normal(std::span<float> out, Rng& rng) {
  for (float& x : out) x = static_cast<float>(rng.normal());
}

}  // namespace

Minibatch draw_minibatch(const RingBuffer& buffer, const MinibatchOptions& options, Device device,
                         Rng& rng) {
  require(options.size > 0, "a minibatch must have a positive size", options.size);
  const Index s = buffer.observation_size();
  const Index a = buffer.action_size();
  const Index stored = buffer.row_size();
  const Index width = stored + s + 2 * a;  // [row | base state | noise | next noise]
  const Tensor host = at::empty({options.size, width}, at::kFloat);
  float* out = host.data_ptr<float>();
  for (Index i = 0; i < options.size; ++i, out += width) {
    const auto row = buffer.draw(rng);
    std::copy(row.begin(), row.end(), out);
    const std::span<float> base(out + stored, static_cast<std::size_t>(s));
    if (options.base == BaseMeasure::kReplay) {
      const auto other = buffer.draw(rng).last(static_cast<std::size_t>(s));
      std::copy(other.begin(), other.end(), base.begin());
    } else {
      fill_normal(base, rng);
    }
    fill_normal({out + stored + s, static_cast<std::size_t>(2 * a)}, rng);
  }
  const Tensor all = host.to(device, /*non_blocking=*/true);
  Minibatch m = columns(all, s, a);
  m.base_state = all.narrow(1, stored, s);
  m.noise = all.narrow(1, stored + s, a);
  m.next_noise = all.narrow(1, stored + s + a, a);
  return m;
}

Minibatch whole_buffer(const RingBuffer& buffer, Device device) {
  const auto rows = buffer.rows();
  const Tensor host = at::empty({buffer.size(), buffer.row_size()}, at::kFloat);
  std::copy(rows.begin(), rows.end(), host.data_ptr<float>());
  return columns(host.to(device), buffer.observation_size(), buffer.action_size());
}

}  // namespace speder::deep
