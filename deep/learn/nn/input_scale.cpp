#include "speder/deep/learn/nn/input_scale.hpp"

#include <algorithm>
#include <cmath>

#include "speder/stats/statistics.hpp"

namespace speder::deep {
namespace {

constexpr double kSmallestDeviation = 1e-4;  // of an entry that does not move, such as a fixed goal

Tensor identity(Index size) { return at::stack({at::zeros({size}), at::ones({size})}); }

}  // namespace

InputScale::InputScale(Index observation_size, Index action_size, Device device)
    : calls_(at::zeros({}, at::kLong)),
      moments_(identity(observation_size + action_size).to(device)) {}

void InputScale::measure(const RingBuffer& buffer, int every) {
  const std::int64_t call = (*calls_.data_ptr<std::int64_t>())++;
  if (call > 0 && (every == 0 || call % every != 0)) return;
  const Tensor moments = identity(moments_.size(1));
  auto out = moments.accessor<float, 2>();
  for (Index j = 0; j < buffer.observation_size(); ++j) {
    RunningMean entry;
    for (Index i = 0; i < buffer.size(); ++i) entry.add(buffer.row(i)[static_cast<std::size_t>(j)]);
    out[0][j] = static_cast<float>(entry.mean());
    out[1][j] = static_cast<float>(1 / std::max(std::sqrt(entry.variance()), kSmallestDeviation));
  }
  moments_.copy_(moments);
}

Tensor InputScale::operator()(const Tensor& rows) const {
  const auto m = moments_.narrow(1, 0, rows.size(1)).unbind(0);
  return (rows - m[0]) * m[1];
}

void InputScale::name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const {
  out.push_back({prefix + ".calls", calls_});
  out.push_back({prefix + ".moments", moments_});
}

}  // namespace speder::deep
