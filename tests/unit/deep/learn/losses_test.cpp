#include "speder/deep/learn/agents/losses.hpp"

#include <cmath>
#include <numbers>
#include <tuple>

#include "speder/deep/learn/agents/bonus.hpp"
#include "speder/deep/learn/agents/ppo.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/mlp.hpp"
#include "tests/catch.hpp"
#include "tests/unit/deep/learn/known_kernel.hpp"

using namespace speder;
using namespace speder::deep;

namespace losses_test {
namespace {

Tensor doubles(const std::vector<double>& v) { return at::tensor(v, at::kDouble); }
double number(const Tensor& t) { return t.item<double>(); }

constexpr double kRounding = 1e-12;      // some hundred double operations on numbers of order one
constexpr double kFloatRounding = 1e-5;  // the same in single precision

}  // namespace

TEST_CASE("tanh-Gaussian: the density integrates to one and has the right mean",
          "[learn][policy]") {
  // ∫ π(a) da and ∫ a π(a) da over a = tanh(x) by the trapezoid rule in x: da = (1 − a²) dx.
  const double mean = 0.4;
  const double log_std = -0.3;
  constexpr double h = 1e-3;
  const Tensor x = at::arange(-12.0, 12.0, h, at::kDouble).unsqueeze(1);
  const GaussianHead head{at::full_like(x, mean), at::full_like(x, log_std)};
  const PolicySample s = tanh_gaussian(head, (x - mean) / std::exp(log_std));
  const Tensor weight = s.log_prob.exp() * (1 - s.action.squeeze(1).square()) * h;
  CHECK_THAT(number(weight.sum()), WithinAbs(1.0, 1e-8));
  // E tanh(mean + σ z) by the trapezoid rule in z: an integral without the density of a
  const Tensor z = at::arange(-9.0, 9.0, h, at::kDouble);
  const Tensor gauss = (z.square() * -0.5).exp() * (h / std::sqrt(2 * std::numbers::pi));
  const double expected = number((gauss * (mean + std::exp(log_std) * z).tanh()).sum());
  CHECK_THAT(number((weight * s.action.squeeze(1)).sum()), WithinAbs(expected, 1e-8));
}

TEST_CASE("tanh-Gaussian: log-density by the change of variables, and finite when saturated",
          "[learn][policy]") {
  const Tensor mean = doubles({0.2, -0.7}).unsqueeze(0);
  const Tensor log_std = doubles({-0.5, 0.3}).unsqueeze(0);
  const Tensor noise = doubles({0.9, -1.1}).unsqueeze(0);
  const PolicySample s = tanh_gaussian({mean, log_std}, noise);
  double expected = 0;
  for (int i = 0; i < 2; ++i) {
    const double a = s.action[0][i].item<double>();
    const double sigma = std::exp(log_std[0][i].item<double>());
    const double z = (std::atanh(a) - mean[0][i].item<double>()) / sigma;
    expected +=
        -0.5 * z * z - std::log(sigma) - 0.5 * std::log(2 * std::numbers::pi) - std::log(1 - a * a);
  }
  CHECK_THAT(number(s.log_prob), WithinAbs(expected, 1e-10));
  // x = 40: 1 − tanh² underflows in single precision, the log-density must not
  const Tensor far = at::full({1, 1}, 40.0F);
  const PolicySample edge = tanh_gaussian({far, at::zeros({1, 1})}, at::zeros({1, 1}));
  const double slope = 2 * (std::numbers::ln2 - 40);  // log(1 − tanh²x) → 2(log 2 − x)
  CHECK_THAT(number(edge.log_prob),
             WithinAbs(-0.5 * std::log(2 * std::numbers::pi) - slope, 40 * kFloatRounding));
}

TEST_CASE("log σ stays in [−5, 2]", "[learn][policy]") {
  const GaussianHead head = gaussian_head(doubles({0, -100, 0, 100, 3, 0}).view({3, 2}));
  CHECK_THAT(head.log_std[0].item<double>(), WithinAbs(-5, kFloatRounding));
  CHECK_THAT(head.log_std[1].item<double>(), WithinAbs(2, kFloatRounding));
  CHECK_THAT(head.log_std[2].item<double>(), WithinAbs(-1.5, kFloatRounding));
  CHECK_THAT(head.mean[2].item<double>(), WithinAbs(3, kFloatRounding));
}

TEST_CASE("TD target: nothing beyond a termination, the value beyond a truncation",
          "[learn][loss]") {
  // Two equal steps, the first terminated, the second cut by the time limit (terminated = 0).
  const Tensor y = td_target(doubles({1, 1}), doubles({1, 0}), doubles({10, 10}), 0.9);
  CHECK_THAT(y[0].item<double>(), WithinAbs(1, kRounding));
  CHECK_THAT(y[1].item<double>(), WithinAbs(10, kRounding));
}

TEST_CASE("SAC losses on two hand-worked samples", "[learn][loss]") {
  const Tensor q = doubles({1, 5, 3, 4}).view({2, 2});  // Q_1 = (1,5), Q_2 = (3,4)
  const Tensor log_prob = doubles({-1, 2});
  const Tensor alpha = at::full({}, 0.5, at::kDouble);
  // V = min Q − α log π = (1 + 0.5, 4 − 1)
  CHECK(at::allclose(soft_value(q, log_prob, alpha), doubles({1.5, 3})));
  // y = (2, 4): ((1−2)² + (5−4)²)/2 + ((3−2)² + 0)/2
  CHECK_THAT(number(critic_loss(q, doubles({2, 4}))), WithinAbs(1.5, kRounding));
  // mean(α log π − min Q) = ((−0.5 − 1) + (1 − 4))/2
  CHECK_THAT(number(actor_loss(q, log_prob, alpha)), WithinAbs(-2.25, kRounding));
  // entropy −mean log π = −0.5 above the target −1: α falls; the gradient in log α is α(−½ + 1)
  const Tensor log_alpha = at::full({}, std::log(0.5), at::kDouble).set_requires_grad(true);
  const Tensor loss = temperature_loss(log_alpha, log_prob, -1);
  CHECK_THAT(number(torch::autograd::grad({loss}, {log_alpha})[0]), WithinAbs(0.25, kRounding));
  CHECK_THAT(number(loss),
             WithinAbs(0.25, kRounding));  // SoftPolicy takes J itself for its gradient
}

TEST_CASE("gradients: targets and temperature carry none", "[learn][loss]") {
  const Tensor q = doubles({1, 2}).view({2, 1}).set_requires_grad(true);
  const Tensor y = td_target(doubles({0}), doubles({0}), q.amin(0), 0.9);
  CHECK_FALSE(y.requires_grad());
  const Tensor log_prob = doubles({0.3}).set_requires_grad(true);
  const Tensor log_alpha = doubles({0.1}).set_requires_grad(true);
  const auto g = torch::autograd::grad({temperature_loss(log_alpha, log_prob, -1)}, {log_prob}, {},
                                       {}, false, /*allow_unused=*/true);
  CHECK_FALSE(g[0].defined());
}

TEST_CASE("network: twin copies equal two separate products", "[learn][nn]") {
  Rng rng(2);
  const Mlp twin({.input = 3, .hidden = {5, 4}, .output = 2, .copies = 2}, at::kCPU, rng);
  const auto& p = twin.parameters();
  const Tensor x = at::linspace(-1, 1, 12).view({4, 3});
  const Tensor out = twin(x);  // (2, 4, 2)
  REQUIRE(out.sizes().vec() == std::vector<std::int64_t>{2, 4, 2});
  for (int e = 0; e < 2; ++e) {
    Tensor h = at::relu(at::mm(x, p[0].narrow(0, 5 * e, 5).t()) + p[1].narrow(0, 5 * e, 5));
    h = at::relu(at::mm(h, p[2][e]) + p[3][e]);
    h = at::mm(h, p[4][e]) + p[5][e];
    CHECK(at::allclose(out[e], h, kFloatRounding, kFloatRounding));
  }
  CHECK_FALSE(at::allclose(out[0], out[1]));
}

TEST_CASE("network: twin heads with one output equal two separate products", "[learn][nn]") {
  const auto [rows, in, width] = GENERATE(std::tuple(4, 3, 5), std::tuple(70, 65, 80));  // oneDNN's
  Rng rng(2);
  const bool norm = GENERATE(false, true);
  const Mlp twin({.input = in, .hidden = {width}, .output = 1, .copies = 2, .norm = norm}, at::kCPU,
                 rng);
  const auto& p = twin.parameters();
  const Tensor x =
      at::linspace(-1, 1, rows * in).cos().view({rows, in}).clone().set_requires_grad(true);
  std::vector<Tensor> heads;
  for (int e = 0; e < 2; ++e) {
    const auto own = [&](const Tensor& t) { return t.narrow(0, width * e, width); };
    Tensor z = at::mm(x, own(p[0]).t()) + own(p[1]);
    if (norm) {  // (z − mean)/√(variance + 1e-5) over the hidden layer
      z = z - z.mean(-1, true);
      z = z / (z.square().mean(-1, true) + 1e-5).sqrt();
    }
    heads.push_back(at::mm(at::relu(z), p[2][e]) + p[3][e]);
  }
  const Tensor wanted = at::stack(heads);  // (2, B, 1)
  const Tensor out = twin(x);
  REQUIRE(out.sizes() == wanted.sizes());
  CHECK(at::allclose(out, wanted, kFloatRounding, kFloatRounding));
  {
    const at::NoGradGuard no_grad;
    CHECK(at::allclose(twin(x), wanted, kFloatRounding, kFloatRounding));
  }
  // gradients of a loss in which the copies differ
  const Tensor weight = at::linspace(-1, 2, 2 * rows).view({2, rows, 1});
  std::vector<Tensor> of = p;
  of.push_back(x);
  const auto gradients = [&](const Tensor& y) {
    return torch::autograd::grad({(weight * y * y).sum()}, of);
  };
  const auto a = gradients(out);
  const auto b = gradients(wanted);
  for (std::size_t i = 0; i < of.size(); ++i) {
    CAPTURE(i);
    const double scale = b[i].abs().max().item<double>();
    CHECK(scale > 0);
    CHECK(at::allclose(a[i], b[i], 10 * kFloatRounding, 10 * kFloatRounding * scale));
  }
}

TEST_CASE("network: its gradients are those of the products written out", "[learn][nn]") {
  const Activation activation =
      GENERATE(Activation::kRelu, Activation::kElu, Activation::kTanh, Activation::kSwish);
  const std::vector<int> hidden =
      GENERATE(std::vector<int>{}, std::vector<int>{5, 4}, std::vector<int>{80, 72});
  const int rows = hidden == std::vector<int>{80, 72} ? 66 : 4;  // large enough for oneDNN
  Rng rng(2);
  const Mlp network(
      {.input = 3, .hidden = hidden, .output = 2, .copies = 1, .activation = activation}, at::kCPU,
      rng);
  const auto& p = network.parameters();
  const Tensor x = at::linspace(-2, 2, 3 * rows).view({rows, 3}).set_requires_grad(true);
  const auto written_out = [&] {
    Tensor h = x;
    for (std::size_t l = 0; l < p.size(); l += 2) {
      h = at::mm(h, p[l].t()) + p[l + 1];
      if (l + 2 == p.size()) break;
      h = activation == Activation::kRelu   ? at::relu(h)
          : activation == Activation::kElu  ? at::elu(h)
          : activation == Activation::kTanh ? at::tanh(h)
                                            : at::silu(h);
    }
    return h;
  };
  std::vector<Tensor> wanted = p;
  wanted.push_back(x);
  const auto gradients = [&](const Tensor& y) {
    return torch::autograd::grad({(y * y).sum()}, wanted);
  };
  const Tensor fused = network(x);
  CHECK(at::allclose(fused, written_out(), kFloatRounding, kFloatRounding));
  const auto a = gradients(fused);
  const auto b = gradients(written_out());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(i);
    const double scale = b[i].abs().max().item<double>();
    CHECK(scale > 0);
    CHECK(at::allclose(a[i], b[i], 10 * kFloatRounding, 10 * kFloatRounding * scale));
  }
  // only what is asked for: the input alone, or the parameters of a network on plain data
  CHECK(at::allclose(torch::autograd::grad({network(x).sum()}, {x})[0],
                     torch::autograd::grad({written_out().sum()}, {x})[0], 10 * kFloatRounding,
                     10 * kFloatRounding));
  CHECK(torch::autograd::grad({network(x.detach()).sum()}, p).size() == p.size());
}

TEST_CASE("Adam: three steps against the formulas", "[learn][nn]") {
  const Tensor x = doubles({1.0, -2.0}).set_requires_grad(true);
  Adam adam({x}, 0.1);
  std::vector<double> v = {1.0, -2.0};
  std::vector<double> m(2, 0), s(2, 0);
  for (int t = 1; t <= 3; ++t) {
    adam.step((x.square() * doubles({1.0, 0.5})).sum());  // gradient (2x₁, x₂)
    for (std::size_t i = 0; i < 2; ++i) {
      const double g = i == 0 ? 2 * v[0] : v[1];
      m[i] = 0.9 * m[i] + 0.1 * g;
      s[i] = 0.999 * s[i] + 0.001 * g * g;
      v[i] -= 0.1 * (m[i] / (1 - std::pow(0.9, t))) /
              (std::sqrt(s[i] / (1 - std::pow(0.999, t))) + 1e-8);
    }
  }
  CHECK(at::allclose(x.detach(), doubles(v), kFloatRounding, kFloatRounding));
}

TEST_CASE("polyak: target moves by τ of the gap", "[learn][nn]") {
  Rng rng(3);
  const Mlp online({.input = 2, .hidden = {3}, .output = 1}, at::kCPU, rng);
  const Mlp target({.input = 2, .hidden = {3}, .output = 1}, at::kCPU, rng);
  const Mlp before = target.frozen_copy();
  polyak(target, online, 0.25);
  for (std::size_t i = 0; i < online.parameters().size(); ++i) {
    const Tensor expected = 0.75 * before.parameters()[i] + 0.25 * online.parameters()[i].detach();
    CHECK(at::allclose(target.parameters()[i].detach(), expected, kFloatRounding, kFloatRounding));
  }
}

TEST_CASE("bonus: α sqrt(φᵀ Σ⁻¹ φ) with Σ from a sample scaled to the buffer", "[learn][bonus]") {
  Rng rng = SeedTree(6).stream("bonus");
  const Tensor sample = random_table(20, 4, rng).to(at::kFloat);
  const Tensor phi = random_table(5, 4, rng).to(at::kFloat);
  EllipticalBonus bonus({.scale = 5, .ridge = 0.5}, 4, at::kCPU);
  bonus.refresh(sample, 300);
  const Eigen::MatrixXd X = to_eigen(sample);
  const Eigen::MatrixXd Sigma =
      300.0 / 20 * X.transpose() * X + 0.5 * Eigen::MatrixXd::Identity(4, 4);
  const Eigen::MatrixXd F = to_eigen(phi);
  const Tensor b = bonus(phi);
  for (int i = 0; i < 5; ++i) {
    const Vector f = F.row(i).transpose();
    const double expected = 5 * std::sqrt(f.dot(Sigma.ldlt().solve(f)));
    CHECK_THAT(b[i].item<double>(), WithinRel(expected, 10 * kFloatRounding));
  }
}

TEST_CASE("generalised advantage: direct sums, cut at ends, bootstrapped at truncations",
          "[learn][ppo]") {
  // Steps 0,1 of one episode (1 truncated), step 2 terminated, step 3 running.
  const AdvantageInput in{.reward = doubles({1, 2, 3, 4}),
                          .terminated = doubles({0, 0, 1, 0}),
                          .ended = doubles({0, 1, 1, 0}),
                          .value = doubles({0.5, 0.25, 1, 2}),
                          .next_value = doubles({0.25, 8, 9, 3}),
                          .discount = 0.9,
                          .lambda = 0.8};
  const double d1 = 2 + 0.9 * 8 - 0.25;  // truncated: V(s') counts
  const double d0 = 1 + 0.9 * 0.25 - 0.5;
  const std::vector<double> expected = {d0 + 0.72 * d1, d1, 3 - 1, 4 + 0.9 * 3 - 2};
  CHECK(at::allclose(generalised_advantage(in), doubles(expected)));
}

TEST_CASE("clipped surrogate: gains are capped, losses are not", "[learn][ppo]") {
  const Tensor log_ratio = doubles({2.0, 0.5}).log();
  // ratio 2, A = 1: min(2, 1.2); ratio ½, A = −1: min(−½, −0.8)
  const double loss = number(clipped_surrogate(log_ratio, doubles({1, -1}), 0.2));
  CHECK_THAT(loss, WithinAbs(-(1.2 - 0.8) / 2, kRounding));
}

}  // namespace losses_test
