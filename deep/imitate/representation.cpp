#include <cmath>
#include <memory>
#include <numbers>

#include "speder/deep/imitate/model.hpp"
#include "speder/deep/learn/features/spectral_loss.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/mlp.hpp"

namespace speder::deep {
namespace {

constexpr double kLeastVariance = 1e-12;  // of a feature: below this it is constant in float
constexpr double kEdge = 1 - 1e-3;        // tanh: logged actions are moved inside    [TRAIL]
const double kHalfLogTwoPi = 0.5 * std::log(2 * std::numbers::pi);

/// φ, μ, the decoder and the running moments of φ.
class Representation {
 public:
  Representation(const ImitateConfig& config, const Sizes& sizes, const SeedTree& seeds)
      : config_(config),
        kind_(find_method(config.method).kind),
        weights_(kind_ == MethodKind::kSpectral ? coefficients(config) : SpectralCoefficients{}),
        latent_(kind_ == MethodKind::kFourier ? config.fourier : latent_size(config)),
        phi_(network(sizes.state + sizes.action, latent_size(config), seeds, "phi")),
        mu_(network(sizes.state, latent_size(config), seeds, "mu")),
        decoder_(make_mlp(
            {.input = sizes.state + latent_, .hidden = config.hidden, .output = 2 * sizes.action},
            at::kCPU, seeds, "decoder")),
        entropy_(config, sizes.action),
        adam_(entropy_.with(joined({&phi_, &mu_, &decoder_})), config.pretrain_lr),
        mean_(at::zeros({latent_size(config)})),
        variance_(at::ones({latent_size(config)})),
        seen_(at::zeros({})) {
    if (kind_ != MethodKind::kFourier) return;
    Rng rng = seeds.stream("fourier");
    frequencies_ = normal_tensor({latent_, latent_size(config)}, rng);
    shifts_ = at::empty({latent_});
    for (int i = 0; i < latent_; ++i) shifts_[i] = rng.uniform(0, 2 * std::numbers::pi);
  }

  Diagnostics update(const Windows& w, Rng& rng) {
    const Tensor s = w.states.select(1, 0), a = w.actions.select(1, 0);
    const Tensor F = phi_(at::cat({s, a}, 1));  // (B, d)  φ(s, a)
    follow(F.detach());
    Diagnostics shown;
    const Tensor rep = kind_ == MethodKind::kSpectral ? spectral(F, w, rng, shown)
                                                      : energy_loss(F, mu_(w.states.select(1, 1)));
    const Tensor z = scaled(config_.decoder_gradient ? F : F.detach());
    const GaussianHead pi = decode(s, z);
    const Tensor dec = action_nll(config_, pi, a).mean();
    adam_.step(rep + dec + entropy_.loss(pi, rng));
    shown.push_back({"representation_loss", rep.detach()});
    shown.push_back({"decoder_loss", dec.detach()});
    return shown;
  }

  [[nodiscard]] Tensor latent(const Tensor& s, const Tensor& a) const {
    return scaled(phi_(at::cat({s, a}, 1)));
  }
  [[nodiscard]] GaussianHead decode(const Tensor& s, const Tensor& z) const {
    return gaussian_head(decoder_(at::cat({s, z}, -1)));
  }
  [[nodiscard]] int size() const { return latent_; }

  [[nodiscard]] std::vector<NamedTensor> tensors() const {
    std::vector<NamedTensor> out = {
        {"phi.mean", mean_}, {"phi.variance", variance_}, {"phi.seen", seen_}};
    phi_.name_tensors("phi", out);
    mu_.name_tensors("mu", out);
    decoder_.name_tensors("decoder", out);
    entropy_.name_tensors(out);
    adam_.name_tensors("phase1", out);
    return out;
  }

 private:
  [[nodiscard]] Mlp network(int in, int out, const SeedTree& seeds, const char* name) const {
    return make_mlp(
        {.input = in, .hidden = config_.hidden, .output = out, .activation = Activation::kSwish},
        at::kCPU, seeds, name);
  }

  // −E[φᵀμ(s')] + α₁ E_p[μᵀμ]/(2d) + α₂ ‖E[φφᵀ] − I/d‖² + α₃ E[(log Z)²]
  // [eq:speder-objective, eq:speder-normalization-regularizer]; DEVIATION-12: what p and z are.
  [[nodiscard]] Tensor spectral(const Tensor& F, const Windows& w, Rng& rng,
                                Diagnostics& shown) const {
    const bool printed = config_.base == "gaussian";  // with the densities p(s') and p(s̃)
    const Tensor next = w.states.select(1, 1);
    const Tensor base = printed ? normal_tensor(w.base.sizes(), rng) : w.base;
    const Tensor U = mu_(next), V = mu_(base);  // (B, d)  μ(s'), μ(s̃)
    const Tensor p_next = printed ? gaussian_density(next) : Tensor();
    const Tensor p_base = printed ? gaussian_density(base) : Tensor();
    const Tensor ortho = config_.ortho == "u" ? ortho_u_statistic(F) : ortho_v_statistic(F);
    const Tensor Z = masses(F, V);
    shown.push_back({"small_mass", (Z.detach() <= config_.log_floor).to(at::kFloat).mean()});
    Tensor loss = weights_.mu * dual_quadratic(V, p_base) -
                  config_.pair_weight * paired_product(F, U, p_next) + weights_.ortho * ortho;
    if (weights_.norm == 0) return loss;
    return loss + weights_.norm * normalisation(Z, config_.log_floor);
  }

  void follow(const Tensor& F) {
    const at::NoGradGuard no_grad;
    const double rate = seen_.item<double>() == 0 ? 1.0 : config_.latent_rate;
    mean_.lerp_(F.mean(0), rate);
    variance_.lerp_(F.var(0), rate);
    seen_.fill_(1);
  }

  /// T(φ), and for trail-linear cos(T(φ) Wᵀ/√d + b).
  [[nodiscard]] Tensor scaled(const Tensor& F) const {
    const auto d = static_cast<double>(F.size(1));
    const Tensor unit = (F - mean_) * variance_.clamp_min(kLeastVariance).rsqrt();
    if (kind_ == MethodKind::kFourier) {
      return (at::mm(unit, frequencies_.t()) / std::sqrt(d) + shifts_).cos();
    }
    if (config_.latent_scale == "none") return F;
    return config_.latent_scale == "sqrt_d" ? F * std::sqrt(d) : unit;
  }

  ImitateConfig config_;
  MethodKind kind_;
  SpectralCoefficients weights_;
  int latent_;
  Mlp phi_, mu_, decoder_;
  EntropyBonus entropy_;
  Adam adam_;
  Tensor mean_, variance_, seen_;  // (d), (d), scalar
  Tensor frequencies_, shifts_;    // (F, d), (F): from the seed, not learned
};

}  // namespace

Tensor normal_tensor(at::IntArrayRef size, Rng& rng) {
  Tensor out = at::empty(size, at::kFloat);
  float* p = out.data_ptr<float>();
  for (std::int64_t i = 0; i < out.numel(); ++i) p[i] = static_cast<float>(rng.normal());
  return out;
}

GaussianHead clipped_gaussian(const Tensor& output, double low, double high) {
  const auto halves = output.chunk(2, -1);
  return {halves[0], halves[1].clamp(low, high) * 0.5};
}

Tensor gaussian_nll(const GaussianHead& head, const Tensor& x) {
  const Tensor u = (x - head.mean) * (-head.log_std).exp();
  return (u.square() * 0.5 + head.log_std + kHalfLogTwoPi).sum(-1);
}

Tensor gaussian_kl(const GaussianHead& p, const GaussianHead& q) {
  const Tensor ratio = ((p.log_std - q.log_std) * 2).exp();
  const Tensor shift = ((p.mean - q.mean) * (-q.log_std).exp()).square();
  return ((ratio + shift - 1) * 0.5 - (p.log_std - q.log_std)).sum(-1);
}

Tensor draw(const GaussianHead& head, const Tensor& noise) {
  return head.mean + head.log_std.exp() * noise;
}

Tensor energy_loss(const Tensor& f, const Tensor& g) {
  // ‖f_i − g_j‖² = ‖f_i‖² + ‖g_j‖² − 2 f_iᵀ g_j
  const Tensor squares = f.square().sum(1, true) + g.square().sum(1) - at::mm(f, g.t()) * 2;
  return (squares.diagonal() + (-squares).logsumexp(1)).mean();
}

Tensor action_nll(const ImitateConfig& config, const GaussianHead& head, const Tensor& action) {
  if (config.decoder == "tanh") return gaussian_nll(head, action.clamp(-kEdge, kEdge).atanh());
  return gaussian_nll(head, action);
}

Tensor to_action(const ImitateConfig& config, const GaussianHead& head, const Tensor& noise) {
  const Tensor x = noise.defined() ? draw(head, noise) : head.mean;
  return config.decoder == "tanh" ? x.tanh() : x.clamp(-1, 1);
}

EntropyBonus::EntropyBonus(const ImitateConfig& config, int actions)
    : tanh_(config.decoder == "tanh"), actions_(actions) {
  if (config.entropy_bonus) log_alpha_ = at::zeros({}).requires_grad_();
}

std::vector<Tensor> EntropyBonus::with(std::vector<Tensor> parameters) const {
  if (log_alpha_.defined()) parameters.push_back(log_alpha_);
  return parameters;
}

Tensor EntropyBonus::loss(const GaussianHead& head, Rng& rng) const {
  if (!log_alpha_.defined()) return at::zeros({});
  const Tensor noise = normal_tensor(head.mean.sizes(), rng);
  const Tensor log_prob =
      tanh_ ? tanh_gaussian(head, noise).log_prob : -gaussian_nll(head, draw(head, noise));
  return log_alpha_.exp().detach() * log_prob.mean() +
         temperature_loss(log_alpha_, log_prob, -actions_);
}

void EntropyBonus::name_tensors(std::vector<NamedTensor>& out) const {
  if (log_alpha_.defined()) out.push_back({"log_alpha", log_alpha_});
}

LatentModel representation_model(const ImitateConfig& config, const Sizes& sizes,
                                 const SeedTree& seeds) {
  const auto model = std::make_shared<Representation>(config, sizes, seeds);
  return {
      .latent = model->size(),
      .update = [model](const Windows& w, Rng& rng) { return model->update(w, rng); },
      .encode =
          [model](const Windows& w) {
            return GaussianHead{model->latent(w.states.select(1, 0), w.actions.select(1, 0)), {}};
          },
      .prior = {},
      .decode = [model](const Tensor& s, const Tensor& z) { return model->decode(s, z); },
      .tensors = [model] { return model->tensors(); }};
}

}  // namespace speder::deep
