#include "speder/deep/learn/agents/trust_region.hpp"

#include <cmath>
#include <numbers>

#include "speder/deep/learn/nn/product.hpp"

namespace speder::deep {
namespace {

constexpr int kBacktracks = 10;
constexpr double kLeastGain = 0.1;        // of the linear prediction
constexpr double kKlSlack = 1.5;          // of the radius: the quadratic model of KL is not KL
constexpr double kSmallResidual = 1e-10;  // squared
constexpr double kSmallGradient = 1e-16;  // squared: a direction of rounding errors is not followed
constexpr double kSmallCurvature = 1e-30;  // keeps 0/0 of a converged iteration finite

void set_parameters(const std::vector<Tensor>& parameters, const std::vector<Tensor>& values) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].copy_(values[i]);
}

}  // namespace

Tensor GaussianPolicy::log_prob(const Tensor& states, const Tensor& actions) const {
  const Tensor z = (actions - mean(states)) * (-log_std).exp();
  return (z.square() * -0.5 - log_std - 0.5 * std::log(2 * std::numbers::pi)).sum(-1);
}

PolicyPoint policy_point(const GaussianPolicy& policy, const Tensor& states) {
  const at::NoGradGuard no_grad;
  return {policy.mean(states), policy.log_std.detach().clone()};
}

Tensor mean_kl(const PolicyPoint& old, const GaussianPolicy& policy, const Tensor& states) {
  const Tensor gap = (old.mean - policy.mean(states)).square();
  const Tensor spread = (2 * old.log_std).exp() + gap;  // σ₀² + (m₀ − m)²
  const Tensor kl = policy.log_std - old.log_std + 0.5 * spread * (-2 * policy.log_std).exp() - 0.5;
  return kl.sum(-1).mean();
}

Tensor surrogate(const Tensor& log_prob, const Tensor& old_log_prob, const Tensor& advantage) {
  return ((log_prob - old_log_prob).exp() * advantage).mean();
}

Tensor flattened(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors) parts.push_back(t.detach().reshape({-1}).to(at::kDouble));
  return at::cat(parts);
}

std::vector<Tensor> unflattened(const Tensor& flat, const std::vector<Tensor>& like) {
  std::vector<Tensor> out;
  std::int64_t from = 0;
  for (const Tensor& t : like) {
    out.push_back(flat.narrow(0, from, t.numel()).view(t.sizes()).to(t.scalar_type()));
    from += t.numel();
  }
  return out;
}

Tensor pushforward(const Mlp& network, const Tensor& x, const std::vector<Tensor>& tangents) {
  const at::NoGradGuard no_grad;
  const std::vector<Tensor>& p = network.parameters();
  const std::size_t layers = p.size() / 2;
  Tensor h = x, dh;
  for (std::size_t l = 0; l < layers; ++l) {
    Tensor dz = linear_product(h, tangents[2 * l], tangents[2 * l + 1]);
    if (l > 0) dz = dz + linear_product(dh, p[2 * l], {});
    h = linear_product(h, p[2 * l], p[2 * l + 1]);
    if (l + 1 == layers) return dz;
    activate(h, network.shape().activation);
    dh = activation_gradient(dz, h, network.shape().activation);
  }
  return dh;
}

Tensor fisher_product(const GaussianPolicy& policy, const Tensor& states, const Tensor& v,
                      double damping) {
  const std::vector<Tensor> all = policy.parameters();
  std::vector<Tensor> tangents = unflattened(v, all);
  const Tensor width = tangents.back();
  tangents.pop_back();
  // u = σ⁻² Jv / n, then Jᵀu
  const Tensor u = pushforward(policy.mean, states, tangents) *
                   (-2 * policy.log_std.detach()).exp() / static_cast<double>(states.size(0));
  std::vector<Tensor> product =
      torch::autograd::grad({policy.mean(states)}, policy.mean.parameters(), {u});
  product.push_back(2 * width);
  return flattened(product) + damping * v;
}

Tensor conjugate_gradient(const std::function<Tensor(const Tensor&)>& product, const Tensor& b,
                          int iterations) {
  Tensor x = at::zeros_like(b), r = b, p = b;
  Tensor rr = r.dot(r);
  for (int i = 0; i < iterations; ++i) {
    const Tensor going = rr.ge(kSmallResidual).to(b.scalar_type());  // 0: converged, nothing moves
    const Tensor Ap = product(p);
    const Tensor alpha = going * rr / p.dot(Ap).clamp_min(kSmallCurvature);
    x = x + alpha * p;
    r = r - alpha * Ap;
    const Tensor next = r.dot(r);
    p = r + going * (next / rr.clamp_min(kSmallCurvature)) * p;
    rr = next;
  }
  return x;
}

TrustRegionStep trust_region_step(const GaussianPolicy& policy, const Tensor& states,
                                  const std::function<Tensor()>& objective,
                                  const TrustRegionOptions& options) {
  const std::vector<Tensor> parameters = policy.parameters();
  const Tensor before = objective();
  const Tensor g = flattened(torch::autograd::grad({before}, parameters));
  TrustRegionStep out;
  const double start = before.item<double>();
  if (!(g.dot(g).item<double>() > kSmallGradient)) return out;  // NaN as well

  const auto F = [&](const Tensor& v) {
    return fisher_product(policy, states, v, options.damping);
  };
  const Tensor x = conjugate_gradient(F, g, options.iterations);
  // ½ (cx)ᵀF(cx) = δ
  const Tensor scale = (2 * options.radius / x.dot(F(x))).sqrt();
  const Tensor step = scale * x;
  const double predicted = g.dot(step).item<double>();

  const PolicyPoint old = policy_point(policy, states);
  std::vector<Tensor> kept;
  for (const Tensor& p : parameters) kept.push_back(p.detach().clone());
  const Tensor from = flattened(parameters);
  double fraction = 1;
  for (int j = 0; j < kBacktracks; ++j, fraction /= 2) {
    set_parameters(parameters, unflattened(from + fraction * step, parameters));
    const at::NoGradGuard no_grad;
    const Tensor both =
        at::stack({objective().to(at::kDouble), mean_kl(old, policy, states).to(at::kDouble)})
            .to(at::kCPU);
    const double gain = both[0].item<double>() - start;
    const double kl = both[1].item<double>();
    if (gain > kLeastGain * fraction * predicted && kl <= kKlSlack * options.radius) {
      return {.taken = true, .backtracks = j, .improvement = gain, .kl = kl};
    }
  }
  set_parameters(parameters, kept);
  out.backtracks = kBacktracks;
  return out;
}

}  // namespace speder::deep
