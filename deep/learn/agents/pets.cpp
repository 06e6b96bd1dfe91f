#include "speder/deep/learn/agents/pets.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <cmath>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

constexpr double kFirstVariance = 0.25;  // of every action of a plan
constexpr double kSettled = 1e-3;        // a plan that is settled stays
constexpr double kCut = 2;               // deviations
constexpr double kWorstReturn = -1e6;    // of a plan that ends in no number

/// (1, N, H, A), the same draws for every environment
template <class Fill>
Tensor drawn(const Tensor& like, int samples, const Fill& fill) {
  const Tensor host = at::empty({1, samples, like.size(1), like.size(2)}, at::kFloat);
  fill(std::span<float>(host.data_ptr<float>(), static_cast<std::size_t>(host.numel())));
  return host.to(like.device());
}

/// The plans with the K largest returns: (n, K, H, A).
Tensor elites(const Tensor& plans, const Tensor& returns, int k) {
  const Tensor best = std::get<1>(returns.topk(k, 1, /*largest=*/true));  // (n, K)
  const auto size = plans.sizes();
  return plans.gather(1, best.view({size[0], k, 1, 1}).expand({size[0], k, size[2], size[3]}));
}

}  // namespace

Propagation propagation_named(const std::string& name) {
  if (name == "mean") return Propagation::kMean;
  if (name == "ts1") return Propagation::kTs1;
  if (name == "tsinf") return Propagation::kTsInf;
  throw InputError(fmt::format("propagation = \"{}\": there are mean, ts1 and tsinf", name));
}

void fill_cut_normal(std::span<float> out, Rng& rng) {
  for (float& x : out) {
    double z = rng.normal();
    while (std::abs(z) > kCut) z = rng.normal();
    x = static_cast<float>(z);
  }
}

Tensor cross_entropy_plan(const PlanScore& score, const Tensor& start, const CemOptions& options,
                          Rng& rng) {
  const at::NoGradGuard no_grad;
  Tensor mean = start;  // (n, H, A)
  Tensor variance = at::full_like(mean, kFirstVariance);
  for (int i = 0; i < options.iterations; ++i) {
    const Tensor z =
        drawn(mean, options.samples, [&](std::span<float> out) { fill_cut_normal(out, rng); });
    const Tensor room = at::minimum(((mean + 1) / 2).square(), ((1 - mean) / 2).square());
    const Tensor width = at::minimum(variance, room).sqrt().unsqueeze(1);
    const Tensor plans = mean.unsqueeze(1) + width * z;  // (n, N, H, A)
    const Tensor best = elites(plans, score(plans), options.elites);
    const Tensor best_mean = best.mean(1);
    const Tensor best_variance = (best - best_mean.unsqueeze(1)).square().mean(1);
    const Tensor going = variance.amax({1, 2}, /*keepdim=*/true).ge(kSettled);
    mean = at::where(going, mean.lerp(best_mean, 1 - options.inertia), mean);
    variance = at::where(going, variance.lerp(best_variance, 1 - options.inertia), variance);
  }
  return mean;
}

Tensor random_plan(const PlanScore& score, const Tensor& like, int samples, Rng& rng) {
  const at::NoGradGuard no_grad;
  const Tensor draws = drawn(like, samples, [&](std::span<float> out) {
    for (float& x : out) x = static_cast<float>(rng.uniform(-1, 1));
  });
  const Tensor plans = draws.expand({like.size(0), samples, like.size(1), like.size(2)});
  return elites(plans, score(plans), 1).squeeze(1);
}

Tensor shifted(const Tensor& plan) {
  return at::cat({plan.narrow(1, 1, plan.size(1) - 1), at::zeros_like(plan.narrow(1, 0, 1))}, 1);
}

Tensor imagined_return(const ModelStep& step, const KnownTask& task, const Tensor& start,
                       const Tensor& plans, bool stop_at_end) {
  const at::NoGradGuard no_grad;
  const std::int64_t n = plans.size(0), samples = plans.size(1);
  Tensor state = start.unsqueeze(1).expand({n, samples, start.size(1)}).reshape({n * samples, -1});
  Tensor sum = at::zeros({n * samples}, state.options());
  Tensor alive = at::ones_like(sum);
  for (std::int64_t h = 0; h < plans.size(2); ++h) {
    const Tensor action = plans.select(2, h).reshape({n * samples, -1});
    state = step(state, action);
    sum = sum + alive * task.reward(state, action);
    if (stop_at_end) alive = alive * (1 - task.ended(state));
  }
  return at::nan_to_num(sum, kWorstReturn, kWorstReturn, kWorstReturn).view({n, samples});
}

Pets::Pets(const AgentConfig& config, Planner planner, const EnvSpec& spec, Device device,
           const SeedTree& seeds)
    : config_(config),
      planner_(planner),
      propagation_(propagation_named(config.propagation)),
      device_(device),
      actions_(spec.action_size),
      task_(KnownTask::of(spec, device)),
      ensemble_({.members = config.ensemble,
                 .hidden = config.model_hidden,
                 .gaussian = planner != Planner::kRandomDeterministic,
                 .activation = Activation::kSwish,
                 .learning_rate = config.model_lr,
                 .decay = config.model_decay,
                 .batch = config.model_batch,
                 .most_steps = config.model_steps},
                spec, device, seeds) {
  if (planner == Planner::kRandomDeterministic && propagation_ != Propagation::kMean) {
    throw InputError(
        fmt::format("propagation = \"{}\": the network of rs has no variance to draw from",
                    config.propagation));
  }
}

Tensor Pets::first_plan(int n) const {
  return at::zeros({n, config_.plan_horizon, actions_},
                   at::TensorOptions(at::kFloat).device(device_));
}

Tensor Pets::score(const Tensor& start, const Tensor& plans, Rng& rng) const {
  if (propagation_ == Propagation::kMean) {
    const auto step = [this](const Tensor& s, const Tensor& a) {
      return ensemble_.mean_step(s, a);
    };
    return imagined_return(step, task_, start, plans, config_.stop_at_end);
  }
  // Particles beside the plans: (n, N·P, H, A). Row r belongs to member r modulo E, or after a shuffle.
  const std::int64_t p = config_.particles, e = ensemble_.members();
  const Tensor many = plans.repeat_interleave(p, 1);
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(rng());
  const auto step = [&](const Tensor& s, const Tensor& a) {
    const auto rows = [&](const Tensor& x) {  // (R, k) → (E, R/E, k)
      return x.view({-1, e, x.size(1)}).transpose(0, 1);
    };
    const auto back = [&](const Tensor& x) { return x.transpose(0, 1).reshape({-1, x.size(2)}); };
    Tensor order;
    if (propagation_ == Propagation::kTs1)
      order = at::randperm(s.size(0), generator, at::kLong).to(device_);
    const auto mixed = [&](const Tensor& x) {
      return order.defined() ? x.index_select(0, order) : x;
    };
    const auto next = ensemble_.predict(rows(mixed(s)), rows(mixed(a)));
    const Tensor z = at::randn(next.mean.sizes(), generator, at::TensorOptions(at::kFloat));
    const Tensor moved = back(next.mean + next.std * z.to(device_));
    return order.defined() ? at::empty_like(moved).index_copy(0, order, moved) : moved;
  };
  const Tensor each = imagined_return(step, task_, start, many, config_.stop_at_end);
  return each.view({plans.size(0), plans.size(1), p}).mean(2);
}

Tensor Pets::act(const Tensor& observations, Tensor& plan, Rng& rng) const {
  const Tensor start = observations.to(device_);
  const PlanScore value = [&](const Tensor& plans) { return score(start, plans, rng); };
  if (planner_ == Planner::kCem) {
    plan = cross_entropy_plan(value, plan,
                              {.samples = config_.plan_samples,
                               .elites = config_.plan_elites,
                               .iterations = config_.plan_iterations,
                               .inertia = config_.plan_inertia},
                              rng);
  } else {
    plan = random_plan(value, plan, config_.plan_samples * config_.plan_iterations, rng);
  }
  const Tensor action = plan.select(1, 0);
  plan = config_.plan_on ? shifted(plan) : at::zeros_like(plan);
  return action.to(at::kCPU);
}

std::vector<NamedTensor> Pets::tensors() const {
  std::vector<NamedTensor> out;
  ensemble_.name_tensors("model", out);
  return out;
}

}  // namespace speder::deep
