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

/// [∑ γ^k r_{t+k} | terminated | γ^m | s_{t+m}] of the steps that follow row i in its episode.
void write_far(const RingBuffer& buffer, Index i, const MinibatchOptions& options, float* out) {
  const Index s = buffer.observation_size();
  const auto at = static_cast<std::size_t>(s + buffer.action_size());
  double sum = 0, weight = 1;
  std::span<const float> row;
  for (int k = 0; k < options.returns && i >= 0; ++k, i = buffer.following(i)) {
    row = buffer.row(i);
    sum += weight * row[at];
    weight *= options.discount;
    if (row[at + 2] != 0) break;  // the episode ended
  }
  out[0] = static_cast<float>(sum);
  out[1] = row[at + 1];
  out[2] = static_cast<float>(weight);
  std::copy_n(row.end() - s, s, out + 3);
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
  const bool far = options.returns > 1;
  const Index base_size = options.base == BaseMeasure::kNone ? 0 : s;
  const Index noise = stored + base_size;
  const Index near = noise + 2 * a;  // [row | base state | noise | next noise]
  const Index far_end = near + (far ? s + 3 : 0);
  const Index width = far_end + (options.state_noise ? s + base_size : 0);
  const Tensor host = at::empty({options.size, width}, at::kFloat);
  float* out = host.data_ptr<float>();
  for (Index i = 0; i < options.size; ++i, out += width) {
    const Index place = buffer.draw_index(rng);
    const auto row = buffer.row(place);
    std::copy(row.begin(), row.end(), out);
    const std::span<float> base(out + stored, static_cast<std::size_t>(base_size));
    if (options.base == BaseMeasure::kReplay) {
      const auto other = buffer.draw(rng).last(static_cast<std::size_t>(s));
      std::copy(other.begin(), other.end(), base.begin());
    } else {
      fill_normal(base, rng);
    }
    fill_normal({out + noise, static_cast<std::size_t>(2 * a)}, rng);
    if (far) write_far(buffer, place, options, out + near);
    fill_normal({out + far_end, static_cast<std::size_t>(width - far_end)}, rng);
  }
  const Tensor all = host.to(device, /*non_blocking=*/true);
  Minibatch m = columns(all, s, a);
  if (base_size > 0) m.base_state = all.narrow(1, stored, s);
  m.noise = all.narrow(1, noise, a);
  m.next_noise = all.narrow(1, noise + a, a);
  if (options.state_noise) m.state_noise = all.narrow(1, far_end, s + base_size);
  m.far = far ? Minibatch::Far{.reward = all.select(1, near),
                               .state = all.narrow(1, near + 3, s),
                               .terminated = all.select(1, near + 1),
                               .discount = all.select(1, near + 2)}
              : Minibatch::Far{m.reward, m.next_state, m.terminated, {}};
  return m;
}

Minibatch whole_buffer(const RingBuffer& buffer, Device device) {
  const auto rows = buffer.rows();
  const Tensor host = at::empty({buffer.size(), buffer.row_size()}, at::kFloat);
  std::copy(rows.begin(), rows.end(), host.data_ptr<float>());
  return columns(host.to(device), buffer.observation_size(), buffer.action_size());
}

}  // namespace speder::deep
