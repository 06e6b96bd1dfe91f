#include <ATen/ops/lstm.h>

#include <memory>

#include "speder/deep/imitate/model.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/mlp.hpp"

namespace speder::deep {
namespace {

/// Encoder q(z|window): a Swish layer a step, a bidirectional LSTM, a linear head. Prior p(z|s₀) and
/// decoder π(a|s,z). Phase 1: ∑_t −log π(a_t|s_t,z) + β KL(q(z|window) ‖ p(z|s₀)).
/// spirl's encoder sees the actions only.  [docs/imitation.md]
class Skill {
 public:
  Skill(const ImitateConfig& config, const Sizes& sizes, const SeedTree& seeds)
      : config_(config),
        actions_only_(config.method == "spirl"),
        width_(config.hidden.back()),
        step_(network(actions_only_ ? sizes.action : sizes.state + sizes.action, width_, seeds,
                      "encoder")),
        head_(make_mlp({.input = 2 * config.rnn, .hidden = {}, .output = 2 * latent_size(config)},
                       at::kCPU, seeds, "encoder-head")),
        prior_(network(sizes.state, 2 * latent_size(config), seeds, "prior")),
        decoder_(make_mlp({.input = sizes.state + latent_size(config),
                           .hidden = config.hidden,
                           .output = 2 * sizes.action},
                          at::kCPU, seeds, "decoder")),
        recurrent_(recurrent_weights(seeds)),
        adam_(all_parameters(), config.pretrain_lr) {}

  Diagnostics update(const Windows& w, Rng& rng) {
    const GaussianHead q = encode(w);
    const Tensor z = draw(q, normal_tensor(q.mean.sizes(), rng));  // (B, Z)
    const auto t = w.actions.size(1);
    const Tensor s = w.states.narrow(1, 0, t);  // (B, t, S)
    const Tensor held = z.unsqueeze(1).expand({z.size(0), t, z.size(1)});
    const Tensor nll = action_nll(config_, decode(s, held), w.actions).sum(1).mean();
    const Tensor kl = gaussian_kl(q, prior(w.states.select(1, 0))).mean();
    adam_.step(nll + config_.skill_kl * kl);
    return {{"decoder_loss", nll.detach()}, {"kl_loss", kl.detach()}};
  }

  [[nodiscard]] GaussianHead encode(const Windows& w) const {
    const auto t = w.actions.size(1);
    const Tensor input =
        actions_only_ ? w.actions : at::cat({w.states.narrow(1, 0, t), w.actions}, 2);
    const Tensor x = at::silu(step_(input));  // (B, t, H)
    const Tensor zero = at::zeros({2, x.size(0), config_.rnn});
    const Tensor last = std::get<1>(at::lstm(x, {zero, zero}, recurrent_, /*has_biases=*/true,
                                             /*num_layers=*/1, /*dropout=*/0.0, /*train=*/false,
                                             /*bidirectional=*/true, /*batch_first=*/true));
    return clipped(head_(at::cat({last[0], last[1]}, 1)));
  }
  [[nodiscard]] GaussianHead prior(const Tensor& s) const { return clipped(prior_(s)); }
  [[nodiscard]] GaussianHead decode(const Tensor& s, const Tensor& z) const {
    return gaussian_head(decoder_(at::cat({s, z}, -1)));
  }

  [[nodiscard]] std::vector<NamedTensor> tensors() const {
    std::vector<NamedTensor> out;
    step_.name_tensors("encoder", out);
    head_.name_tensors("encoder-head", out);
    prior_.name_tensors("prior", out);
    decoder_.name_tensors("decoder", out);
    for (std::size_t i = 0; i < recurrent_.size(); ++i) {
      out.push_back({"lstm." + std::to_string(i), recurrent_[i]});
    }
    adam_.name_tensors("phase1", out);
    return out;
  }

 private:
  [[nodiscard]] Mlp network(int in, int out, const SeedTree& seeds, const char* name) const {
    return make_mlp(
        {.input = in, .hidden = config_.hidden, .output = out, .activation = Activation::kSwish},
        at::kCPU, seeds, name);
  }
  [[nodiscard]] GaussianHead clipped(const Tensor& output) const {
    return clipped_gaussian(output, config_.logvar_low, config_.logvar_high);
  }

  /// w_ih, w_hh, b_ih, b_hh of both directions, in ATen's order.
  [[nodiscard]] std::vector<Tensor> recurrent_weights(const SeedTree& seeds) const {
    std::vector<Tensor> out;
    for (const char* direction : {"lstm-forward", "lstm-backward"}) {
      const SeedTree own = seeds.child(direction);
      const int gates = 4 * config_.rnn;
      const Mlp in =
          make_mlp({.input = width_, .hidden = {}, .output = gates}, at::kCPU, own, "in");
      const Mlp back =
          make_mlp({.input = config_.rnn, .hidden = {}, .output = gates}, at::kCPU, own, "back");
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        out.push_back(in.parameters()[k]);
        out.push_back(back.parameters()[k]);
      }
    }
    return out;
  }
  [[nodiscard]] std::vector<Tensor> all_parameters() const {
    std::vector<Tensor> all = joined({&step_, &head_, &prior_, &decoder_});
    all.insert(all.end(), recurrent_.begin(), recurrent_.end());
    return all;
  }

  ImitateConfig config_;
  bool actions_only_;
  int width_;
  Mlp step_, head_, prior_, decoder_;
  std::vector<Tensor> recurrent_;
  Adam adam_;
};

}  // namespace

LatentModel skill_model(const ImitateConfig& config, const Sizes& sizes, const SeedTree& seeds) {
  const auto model = std::make_shared<Skill>(config, sizes, seeds);
  return {.latent = latent_size(config),
          .update = [model](const Windows& w, Rng& rng) { return model->update(w, rng); },
          .encode = [model](const Windows& w) { return model->encode(w); },
          .prior = [model](const Tensor& s) { return model->prior(s); },
          .decode = [model](const Tensor& s, const Tensor& z) { return model->decode(s, z); },
          .tensors = [model] { return model->tensors(); }};
}

}  // namespace speder::deep
