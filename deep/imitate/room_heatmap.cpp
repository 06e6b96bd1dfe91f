#include "speder/deep/imitate/room_heatmap.hpp"

#include "speder/core/check.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/mlp.hpp"

namespace speder::deep {
namespace {

constexpr int kShowEvery = 500;

struct RoomBatch {
  Tensor pair;  // (B, 4)  [s | a]
  Tensor next;  // (B, 2)
  Tensor base;  // (B, 2)  uniform on the room
};

/// Places are scaled to [−1, 1] for the networks.
RoomBatch draw_batch(const Room& room, int size, Rng& rng) {
  Tensor table = at::empty({size, 8}, at::kFloat);
  float* out = table.data_ptr<float>();
  const double scale = 2 / room.side;
  for (int i = 0; i < size; ++i, out += 8) {
    const RoomStep s = draw_step(room, rng);
    const Place base = draw_place(room, rng);
    const double row[8] = {s.query.from.x * scale, s.query.from.y * scale, s.query.velocity.x,
                           s.query.velocity.y,     s.next.x * scale,       s.next.y * scale,
                           base.x * scale,         base.y * scale};
    for (int k = 0; k < 8; ++k) out[k] = static_cast<float>(row[k]);
  }
  return {table.narrow(1, 0, 4), table.narrow(1, 4, 2), table.narrow(1, 6, 2)};
}

Tensor grid_places(const Room& room, Index n) {
  Tensor table = at::empty({n * n, 2}, at::kFloat);
  float* out = table.data_ptr<float>();
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const Place p = square_centre(room, n, i, j);
      *out++ = static_cast<float>(2 * p.x / room.side);
      *out++ = static_cast<float>(2 * p.y / room.side);
    }
  }
  return table;
}

Matrix density_at(const Room& room, const RoomQuery& q, Index n, const Mlp& phi, const Mlp& mu) {
  const at::NoGradGuard no_grad;
  const Tensor pair =
      at::tensor({2 * q.from.x / room.side, 2 * q.from.y / room.side, q.velocity.x, q.velocity.y},
                 at::kFloat)
          .view({1, 4});
  const Tensor ratio = at::mm(mu(grid_places(room, n)), phi(pair).t()).to(at::kDouble).contiguous();
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
      values(ratio.data_ptr<double>(), n, n);
  return values / (room.side * room.side);  // φᵀμ estimates P/p with p = 1/area
}

}  // namespace

HeatmapResult learn_heatmap(const Room& room, const HeatmapOptions& options,
                            const std::function<bool(int, double)>& observer) {
  require(options.objective != Objective::kLiteral, "the room knows the objectives dual and exact");
  const SeedTree seeds(options.seed);
  const auto network = [&](int input, const char* name) {
    return make_mlp({.input = input,
                     .hidden = options.hidden,
                     .output = options.features,
                     .activation = Activation::kSwish},
                    at::kCPU, seeds, name);
  };
  const Mlp phi = network(4, "phi"), mu = network(2, "mu");
  Adam adam(joined({&phi, &mu}), options.learning_rate);
  HeatmapResult result;
  Rng rng = seeds.stream("room");
  bool going = true;
  for (; going && result.steps < options.steps; ++result.steps) {
    const RoomBatch b = draw_batch(room, options.batch, rng);
    const SpectralTerms terms = spectral_loss(
        options.objective, {.phi = phi(b.pair), .mu_next = mu(b.next), .mu_base = mu(b.base)},
        {.ortho = options.ortho, .prob = 0});
    adam.step(terms.loss);
    if (result.steps % kShowEvery != 0 && result.steps + 1 != options.steps) continue;
    result.loss = terms.loss.item<double>();
    if (observer) going = observer(result.steps, result.loss);
  }
  for (const RoomQuery& query : options.queries) {
    result.raw.push_back(density_at(room, query, options.squares, phi, mu));
    result.scores.push_back(score_density(room, query, result.raw.back()));
  }
  return result;
}

}  // namespace speder::deep
