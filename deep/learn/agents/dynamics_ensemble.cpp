#include "speder/deep/learn/agents/dynamics_ensemble.hpp"

#include <algorithm>
#include <numeric>

#include "speder/core/check.hpp"
#include "speder/deep/learn/nn/product.hpp"

namespace speder::deep {
namespace {

constexpr double kLogVarianceHigh = 0.5;
constexpr double kLogVarianceLow = -10;
constexpr double kStandsStill = 1e-8;  // deviation below which an entry is a constant
constexpr Index kMostHeldOut = 5000;
constexpr int kCheckEvery = 100;
constexpr int kPatience = 5;         // checks without a gain
constexpr double kLeastFall = 0.01;  // relative, to count as a gain

/// Copies of the parameters, from which single members are taken back.
class BestMembers {
 public:
  BestMembers(const std::vector<Tensor>& parameters, int members)
      : parameters_(parameters), members_(members) {
    for (const Tensor& p : parameters) kept_.push_back(p.detach().clone());
  }
  /// mask (E): which to keep as they are now.
  void keep(const Tensor& mask) { choose(mask, parameters_, kept_, kept_); }
  void restore() {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < kept_.size(); ++i) parameters_[i].copy_(kept_[i]);
  }

 private:
  void choose(const Tensor& mask, const std::vector<Tensor>& yes, const std::vector<Tensor>& no,
              const std::vector<Tensor>& out) const {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto rows = [&](const Tensor& t) { return t.detach().view({members_, -1}); };
      rows(out[i]).copy_(at::where(mask.unsqueeze(1), rows(yes[i]), rows(no[i])));
    }
  }

  const std::vector<Tensor>& parameters_;
  int members_;
  std::vector<Tensor> kept_;
};

std::vector<std::int64_t> shuffled(Index n, Rng& rng) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (Index i = n - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(rng.index(i + 1))]);
  return order;
}

}  // namespace

Tensor bounded_log_variance(const Tensor& raw) {
  const Tensor below = kLogVarianceHigh - at::softplus(kLogVarianceHigh - raw);
  return kLogVarianceLow + at::softplus(below - kLogVarianceLow);
}

Tensor gaussian_loss(const Tensor& mean, const Tensor& log_variance, const Tensor& y) {
  return ((mean - y).square() * (-log_variance).exp() + log_variance).mean({1, 2}).sum();
}

Tensor square_loss(const Tensor& mean, const Tensor& y) {
  return (mean - y).square().mean({1, 2}).sum();
}

DynamicsEnsemble::DynamicsEnsemble(const EnsembleOptions& options, const EnvSpec& spec,
                                   Device device, const SeedTree& seeds)
    : options_(options),
      device_(device),
      networks_(make_mlp({.input = spec.observation_size + spec.action_size,
                          .hidden = options.hidden,
                          .output = (options.gaussian ? 2 : 1) * spec.observation_size,
                          .copies = options.members,
                          .activation = options.activation},
                         device, seeds, "dynamics")),
      adam_(networks_.parameters(),
            AdamOptions{.learning_rate = options.learning_rate, .decay = options.decay}),
      state_mean_(at::zeros({spec.observation_size}, at::TensorOptions(at::kFloat).device(device))),
      state_scale_(at::ones_like(state_mean_)),
      change_mean_(at::zeros_like(state_mean_)),
      change_std_(at::zeros_like(state_mean_)) {}

void DynamicsEnsemble::measure(const Tensor& state, const Tensor& change) {
  const auto deviation = [](const Tensor& x) { return x.std(0, /*unbiased=*/false); };
  const Tensor s = state.to(at::kDouble), d = change.to(at::kDouble);
  const Tensor spread = deviation(s), move = deviation(d);
  const Tensor moves = move.gt(kStandsStill);
  state_mean_.copy_(s.mean(0));
  state_scale_.copy_(at::where(spread.gt(kStandsStill), 1 / spread, at::zeros_like(spread)));
  // an entry whose change is always the same: that change, and no network
  change_mean_.copy_(at::where(moves.logical_or(d.mean(0).abs().gt(kStandsStill)), d.mean(0),
                               at::zeros_like(move)));
  change_std_.copy_(at::where(moves, move, at::zeros_like(move)));
}

Tensor DynamicsEnsemble::input(const Tensor& state, const Tensor& action) const {
  return at::cat({(state - state_mean_) * state_scale_, action.clamp(-1, 1)}, -1);
}

std::pair<Tensor, Tensor> DynamicsEnsemble::raw(const Tensor& input) const {
  Tensor out = networks_(input);
  if (out.dim() == 2) out = out.unsqueeze(0);  // of a single member
  if (!options_.gaussian) return {out, {}};
  const auto halves = out.chunk(2, -1);
  return {halves[0], bounded_log_variance(halves[1])};
}

Tensor DynamicsEnsemble::loss(const Tensor& input, const Tensor& y) const {
  const auto [mean, log_variance] = raw(input);
  return options_.gaussian ? gaussian_loss(mean, log_variance, y) : square_loss(mean, y);
}

Diagnostics DynamicsEnsemble::fit(const RingBuffer& buffer, Rng& rng) {
  const Index s = buffer.observation_size(), a = buffer.action_size(), n = buffer.size();
  const auto rows = buffer.rows();
  const Tensor host = at::empty({n, buffer.row_size()}, at::kFloat);
  std::copy(rows.begin(), rows.end(), host.data_ptr<float>());
  Tensor x, y;
  {
    const at::NoGradGuard no_grad;
    const Tensor all = host.index_select(0, at::tensor(shuffled(n, rng), at::kLong)).to(device_);
    const Tensor state = all.narrow(1, 0, s);
    const Tensor change = all.narrow(1, s + a + 3, s) - state;
    measure(state, change);
    x = input(state, all.narrow(1, s, a));
    const Tensor moves = change_std_.gt(0);
    y = at::where(moves, (change - change_mean_) / at::where(moves, change_std_, 1), 0);
  }
  const Index held = std::min({n / 10, kMostHeldOut, n - 1});
  const Index learn = n - held;
  const Tensor test_x = x.narrow(0, learn, held), test_y = y.narrow(0, learn, held);
  const auto e = static_cast<std::int64_t>(options_.members);
  std::vector<std::int64_t> own(static_cast<std::size_t>(e * learn));  // each member's rows
  for (std::int64_t& row : own) row = rng.index(learn);
  const Tensor draw = at::empty({e * options_.batch}, at::kLong);

  adam_.restart();
  BestMembers best(networks_.parameters(), options_.members);
  Tensor best_error = at::full({e}, std::numeric_limits<float>::infinity(), x.options());
  Tensor last_loss;
  const auto check = [&] {
    const at::NoGradGuard no_grad;
    const Tensor error = held > 0 ? (raw(test_x).first - test_y).square().mean({1, 2})
                                  : at::full({e}, 0.0, x.options());
    const Tensor fell = error.lt(best_error * (1 - kLeastFall));
    best.keep(fell);
    best_error = at::where(fell, error, best_error);
    return fell.any().item<bool>();
  };
  static_cast<void>(check());
  int waited = 0;
  for (int step = 1; step <= options_.most_steps && waited < kPatience; ++step) {
    auto* out = draw.data_ptr<std::int64_t>();
    for (std::int64_t m = 0; m < e; ++m) {
      for (int i = 0; i < options_.batch; ++i)
        *out++ = own[static_cast<std::size_t>(m * learn + rng.index(learn))];
    }
    const Tensor pick = draw.to(device_);
    const Tensor bx = x.index_select(0, pick).view({e, options_.batch, -1});
    const Tensor by = y.index_select(0, pick).view({e, options_.batch, -1});
    const Tensor l = loss(bx, by);
    adam_.step(l);
    last_loss = l.detach();
    if (step % kCheckEvery == 0 || step == options_.most_steps) waited = check() ? 0 : waited + 1;
  }
  best.restore();
  return {{"model_loss", last_loss / static_cast<double>(e)}, {"model_error", best_error.mean()}};
}

DynamicsEnsemble::Prediction DynamicsEnsemble::predict(const Tensor& state,
                                                       const Tensor& action) const {
  const auto [mean, log_variance] = raw(input(state, action));
  Prediction out{.mean = state + (change_mean_ + change_std_ * mean), .std = {}};
  if (options_.gaussian) out.std = change_std_ * (0.5 * log_variance).exp();
  return out;
}

Tensor DynamicsEnsemble::mean_step(const Tensor& state, const Tensor& action) const {
  const at::NoGradGuard no_grad;
  if (options_.members == 1) return predict(state, action).mean.squeeze(0);
  // This is where a planner's time goes: first and last layer are one product each for all members, the last one
  // of the columns that give means; between them one member at a time, so that it stays in the cache.
  const std::vector<Tensor>& p = networks_.parameters();
  const std::size_t last = p.size() / 2 - 1;
  const std::int64_t e = options_.members, rows = state.size(0), size = state.size(1);
  const auto activated = [this](const Tensor& z, Tensor out) {
    if (options_.activation == Activation::kSwish) {
      at::silu_out(out, z);
    } else {
      out.copy_(z);
      activate(out, options_.activation);
    }
  };
  const Tensor first = linear_product(input(state, action), p[0], p[1]);    // (R, E·H)
  const Tensor mean_weight = p[2 * last].narrow(2, 0, size).flatten(0, 1);  // (E·H', S)
  const Tensor mean_bias = p[2 * last + 1].narrow(2, 0, size).sum({0, 1});
  const Tensor hidden = at::empty({rows, mean_weight.size(0)}, first.options());
  const auto firsts = first.chunk(e, 1), lasts = hidden.chunk(e, 1);
  for (std::size_t m = 0; m < firsts.size(); ++m) {
    Tensor z = firsts[m];
    for (std::size_t l = 1; l < last; ++l) {
      const Tensor h = at::empty(z.sizes(), z.options());
      activated(z, h);
      z = linear_product(h, p[2 * l][m].t(), p[2 * l + 1][m][0]);
    }
    activated(z, lasts[m]);
  }
  const Tensor sum = linear_product(hidden, mean_weight.t(), mean_bias);
  return state + (change_mean_ + change_std_ * (sum / static_cast<double>(e)));
}

Tensor DynamicsEnsemble::limits() const {
  constexpr double kDeviations = 20;
  const Tensor width =
      kDeviations * at::where(state_scale_.gt(0), 1 / state_scale_, at::zeros_like(state_scale_));
  return at::stack({state_mean_ - width, state_mean_ + width});
}

void DynamicsEnsemble::name_tensors(const std::string& prefix,
                                    std::vector<NamedTensor>& out) const {
  networks_.name_tensors(prefix, out);
  out.push_back({prefix + ".state_mean", state_mean_});
  out.push_back({prefix + ".state_scale", state_scale_});
  out.push_back({prefix + ".change_mean", change_mean_});
  out.push_back({prefix + ".change_std", change_std_});
}

}  // namespace speder::deep
