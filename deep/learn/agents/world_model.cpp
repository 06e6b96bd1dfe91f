#include "speder/deep/learn/agents/world_model.hpp"

namespace speder::deep {
namespace {

constexpr double kFreeNats = 1;
constexpr double kBalance = 0.8;  // the prior moves towards the posterior more than the other way

Tensor grouped(const Tensor& logits, int classes) {
  return logits.unflatten(-1, at::IntArrayRef{-1, classes});
}

MlpShape chain(int input, std::vector<int> hidden, int output) {
  return {.input = input,
          .hidden = std::move(hidden),
          .output = output,
          .copies = 1,
          .activation = Activation::kElu};
}

/// The first layers of `hidden`; the last one is the output, activated by the caller.
MlpShape encoder_shape(const WorldModelShape& s) {
  std::vector<int> hidden = s.hidden;
  const int last = hidden.back();
  hidden.pop_back();
  return chain(s.states, hidden, last);
}

int latent_size(const WorldModelShape& s) { return s.groups * s.classes; }
int feature_size(const WorldModelShape& s) { return latent_size(s) + s.recurrent; }

/// KL of categoricals from log-probabilities (…, G, C): summed over groups, mean over the rest
Tensor mean_categorical_kl(const Tensor& log_q, const Tensor& log_p) {
  return (log_q.exp() * (log_q - log_p)).sum({-2, -1}).mean();
}

}  // namespace

Tensor sample_one_hot(const Tensor& logits, const Tensor& u, int classes) {
  const Tensor p = grouped(logits, classes).softmax(-1);  // (…, G, C)
  Tensor hot;
  {
    const at::NoGradGuard no_grad;
    // the number of classes whose distribution function is at most u; rounding must not give C
    const Tensor drawn = p.cumsum(-1)
                             .le(u.unsqueeze(-1))
                             .to(at::kLong)
                             .sum(-1, /*keepdim=*/true)
                             .clamp_max(classes - 1);
    hot = at::zeros_like(p).scatter(-1, drawn, 1.0);
  }
  return (hot + p - p.detach()).flatten(-2);
}

Tensor balanced_kl(const Tensor& q, const Tensor& p, int classes, double free) {
  const Tensor log_q = grouped(q, classes).log_softmax(-1);
  const Tensor log_p = grouped(p, classes).log_softmax(-1);
  const Tensor to_p = mean_categorical_kl(log_q.detach(), log_p);
  const Tensor to_q = mean_categorical_kl(log_q, log_p.detach());
  return kBalance * to_p.clamp_min(free) + (1 - kBalance) * to_q.clamp_min(free);
}

WorldModel::WorldModel(const WorldModelShape& s, Device device, const SeedTree& seeds)
    : shape_(s),
      device_(device),
      encoder_(make_mlp(encoder_shape(s), device, seeds, "encoder")),
      decoder_(make_mlp(chain(feature_size(s), s.hidden, s.states), device, seeds, "decoder")),
      reward_(make_mlp(chain(feature_size(s), s.hidden, 1), device, seeds, "reward")),
      end_(make_mlp(chain(feature_size(s), s.hidden, 1), device, seeds, "end")),
      inward_(
          make_mlp(chain(latent_size(s) + s.actions, {}, s.recurrent), device, seeds, "inward")),
      gates_(make_mlp(chain(2 * s.recurrent, {}, 3 * s.recurrent), device, seeds, "gates")),
      gain_(at::ones({3 * s.recurrent}, at::TensorOptions(at::kFloat).device(device))
                .set_requires_grad(true)),
      shift_(at::zeros({3 * s.recurrent}, at::TensorOptions(at::kFloat).device(device))
                 .set_requires_grad(true)),
      prior_(make_mlp(chain(s.recurrent, {s.recurrent}, latent_size(s)), device, seeds, "prior")),
      posterior_(make_mlp(chain(s.recurrent + s.hidden.back(), {s.recurrent}, latent_size(s)),
                          device, seeds, "posterior")) {}

WorldModel::Latent WorldModel::start(std::int64_t rows) const {
  const auto kind = at::TensorOptions(at::kFloat).device(device_);
  return {.h = at::zeros({rows, shape_.recurrent}, kind),
          .z = at::zeros({rows, latent_size(shape_)}, kind)};
}

Tensor WorldModel::advance(const Latent& now, const Tensor& action) const {
  const Tensor in = at::elu(inward_(at::cat({now.z, action}, -1)));
  const Tensor all =
      at::layer_norm(gates_(at::cat({in, now.h}, -1)), {3 * shape_.recurrent}, gain_, shift_);
  const auto part = all.chunk(3, -1);
  const Tensor r = part[0].sigmoid();
  const Tensor c = (r * part[1]).tanh();
  const Tensor u = (part[2] - 1).sigmoid();  // remembers at first
  return u * c + (1 - u) * now.h;
}

Tensor WorldModel::prior(const Tensor& h) const { return prior_(h); }

Tensor WorldModel::posterior(const Tensor& h, const Tensor& code) const {
  return posterior_(at::cat({h, code}, -1));
}

WorldModel::Latent WorldModel::imagine(const Latent& now, const Tensor& action,
                                       const Tensor& u) const {
  const Tensor h = advance(now, action);
  return {.h = h, .z = sample_one_hot(prior(h), u, shape_.classes)};
}

WorldModel::Latent WorldModel::observe(const Latent& now, const Tensor& action, const Tensor& first,
                                       const Tensor& code, const Tensor& u, Tensor* logits) const {
  const Tensor kept = (1 - first).unsqueeze(-1);
  const Tensor h = advance({.h = now.h * kept, .z = now.z * kept}, action * kept);
  const Tensor q = posterior(h, code);
  if (logits != nullptr) *logits = q;
  return {.h = h, .z = sample_one_hot(q, u, shape_.classes)};
}

WorldModel::Loss WorldModel::loss(const Tensor& x, const SequenceBatch& batch,
                                  const Tensor& u) const {
  const std::int64_t length = x.size(0), rows = x.size(1);
  const auto flat = [](const Tensor& t) { return t.flatten(0, 1); };
  const Tensor code = encode(flat(x)).view({length, rows, -1});
  Latent now = start(rows);
  std::vector<Tensor> h, z, q;
  for (std::int64_t t = 0; t < length; ++t) {
    Tensor logits;
    now = observe(now, batch.action[t], batch.first[t], code[t], u[t], &logits);
    h.push_back(now.h);
    z.push_back(now.z);
    q.push_back(logits);
  }
  const Latent all{.h = at::cat(h), .z = at::cat(z)};
  const Tensor features = all.features();
  Loss out;
  out.state = 0.5 * (decode(features) - flat(x)).square().sum(-1).mean();
  out.reward = 0.5 * (reward(features) - flat(batch.reward)).square().mean();
  out.kl = balanced_kl(at::cat(q), prior(all.h), shape_.classes, kFreeNats);
  out.total = out.state + out.reward + out.kl;
  if (shape_.ends) {
    out.total = out.total +
                at::binary_cross_entropy_with_logits(goes_on(features), 1 - flat(batch.terminal));
  }
  out.posteriors = {.h = all.h.detach(), .z = all.z.detach()};
  return out;
}

Tensor WorldModel::foresee(const Tensor& x, const SequenceBatch& batch, const Tensor& u,
                           std::int64_t seen) const {
  const at::NoGradGuard no_grad;
  Latent now = start(x.size(1));
  std::vector<Tensor> out;
  for (std::int64_t t = 0; t < x.size(0); ++t) {
    if (t < seen) {
      now = observe(now, batch.action[t], batch.first[t], encode(x[t]), u[t]);
    } else {
      now = imagine(now, batch.action[t], u[t]);
      out.push_back(decode(now.features()));
    }
  }
  return at::stack(out);
}

std::vector<Tensor> WorldModel::parameters() const {
  std::vector<const Mlp*> networks = {&encoder_, &decoder_, &reward_,   &inward_,
                                      &gates_,   &prior_,   &posterior_};
  if (shape_.ends) networks.push_back(&end_);
  return with(with(joined(networks), gain_), shift_);
}

void WorldModel::name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const {
  encoder_.name_tensors(prefix + ".encoder", out);
  decoder_.name_tensors(prefix + ".decoder", out);
  reward_.name_tensors(prefix + ".reward", out);
  end_.name_tensors(prefix + ".end", out);
  inward_.name_tensors(prefix + ".inward", out);
  gates_.name_tensors(prefix + ".gates", out);
  prior_.name_tensors(prefix + ".prior", out);
  posterior_.name_tensors(prefix + ".posterior", out);
  out.push_back({prefix + ".gain", gain_});
  out.push_back({prefix + ".shift", shift_});
}

}  // namespace speder::deep
