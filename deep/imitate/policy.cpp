#include "speder/deep/imitate/policy.hpp"

#include <algorithm>

#include "speder/deep/sim/maze/models.hpp"

namespace speder::deep {
namespace {

MlpShape policy_shape(const ImitateConfig& config, const Sizes& sizes, int latent) {
  const bool direct = find_method(config.method).kind == MethodKind::kDirect;
  return {.input = sizes.state,
          .hidden = config.hidden,
          .output = 2 * (direct ? sizes.action : latent),
          .copies = 1,
          .activation = direct ? Activation::kRelu : Activation::kSwish};
}

GaussianHead rows_of(const GaussianHead& head, const Tensor& index) {
  return {head.mean.index_select(0, index), head.log_std.index_select(0, index)};
}

}  // namespace

LatentPolicy::LatentPolicy(const ImitateConfig& config, const ImitationSets& sets,
                           const LatentModel& model)
    : config_(config),
      kind_(find_method(config.method).kind),
      sets_(&sets),
      model_(&model),
      network_(make_mlp(policy_shape(config, sets.sizes, model.latent), at::kCPU,
                        SeedTree(config.seed), "latent-policy")),
      entropy_(direct() ? config : ImitateConfig{}, sets.sizes.action),
      adam_(entropy_.with(network_.parameters()), learning_rate(config, 0)) {}

void LatentPolicy::begin() {
  const at::NoGradGuard no_grad;
  const LoggedRows& rows = sets_->expert;
  const Windows all = windows_at(rows, rows.starts, rows.starts, hold(config_));
  states_ = all.states.select(1, 0).contiguous();
  if (direct()) {
    targets_ = all.actions.select(1, 0).contiguous();
    return;
  }
  posterior_ = model_->encode(all);
  targets_ = posterior_.mean;
  if (config_.method == "spirl") prior_ = model_->prior(states_);
}

GaussianHead LatentPolicy::head(const Tensor& states) const {
  const Tensor out = network_(states);
  return direct() ? gaussian_head(out)
                  : clipped_gaussian(out, config_.logvar_low, config_.logvar_high);
}

Diagnostics LatentPolicy::update(std::int64_t step, Rng& rng) {
  const Tensor index = at::empty({config_.batch}, at::kLong);
  for (int i = 0; i < config_.batch; ++i) {
    index.data_ptr<std::int64_t>()[i] = rng.index(states_.size(0));
  }
  const GaussianHead pi = head(states_.index_select(0, index));
  const Tensor target = targets_.index_select(0, index);
  Tensor loss = direct() ? action_nll(config_, pi, target).mean() + entropy_.loss(pi, rng)
                         : gaussian_nll(pi, target).mean();
  if (config_.method == "spirl") {
    loss = loss + config_.skill_kl * gaussian_kl(pi, rows_of(prior_, index)).mean();
  }
  if (config_.method == "skild") {
    loss = loss + config_.skill_kl * gaussian_kl(pi, rows_of(posterior_, index)).mean();
  }
  adam_.set_learning_rate(learning_rate(config_, step));
  adam_.step(loss);
  return {{"policy_loss", loss.detach()}};
}

Tensor LatentPolicy::act(const Tensor& states, bool redraw, Tensor& z, Rng& rng) const {
  const at::NoGradGuard no_grad;
  const auto noise = [&rng](const Tensor& like) { return normal_tensor(like.sizes(), rng); };
  const bool sampled = config_.decoder_action == "sample";
  if (direct()) {
    const GaussianHead pi = head(states);
    return to_action(config_, pi, sampled ? noise(pi.mean) : Tensor());
  }
  if (redraw) {
    const GaussianHead pi = head(states);
    z = config_.latent_action == "sample" ? draw(pi, noise(pi.mean)) : pi.mean;
  }
  const GaussianHead a = model_->decode(states, z);
  return to_action(config_, a, sampled ? noise(a.mean) : Tensor());
}

void LatentPolicy::name_tensors(std::vector<NamedTensor>& out) const {
  network_.name_tensors("latent-policy", out);
  entropy_.name_tensors(out);
  adam_.name_tensors("phase2", out);
}

TrialPlan trial_plan(const ImitateConfig& config, const std::shared_ptr<const Physics>& physics) {
  TrialPlan plan{.hold = hold(config), .goal = {}};
  if (config.goal != "fixed") return plan;
  Env env(physics);
  Rng rng = SeedTree(config.seed).stream("goal");
  env.reset(rng);
  plan.goal = goal_of(env.world());
  return plan;
}

Trial try_policy(const LatentPolicy& policy, const ImitationSets& sets, std::vector<Env>& envs,
                 const TrialPlan& plan, const SeedTree& seeds) {
  const auto count = std::ssize(envs);
  const int width = sets.sizes.state, actions = sets.sizes.action;
  std::vector<double> action(static_cast<std::size_t>(actions));
  std::vector<bool> running(envs.size(), true);
  Trial trial;
  for (std::size_t e = 0; e < envs.size(); ++e) {
    Rng start = seeds.stream("episode", e);
    envs[e].reset(start);
    if (plan.goal) set_goal(envs[e].world(), *plan.goal);
  }
  Rng rng = seeds.stream("policy");
  const Tensor states = at::empty({count, width});
  Tensor z;
  std::size_t left = envs.size();
  for (int t = 0; left > 0; ++t) {
    float* out = states.data_ptr<float>();
    for (const Env& env : envs) {
      for (const double v : env.observation()) *out++ = static_cast<float>(v);
    }
    const Tensor a =
        policy.act((states - sets.mean) / sets.scale, t % plan.hold == 0, z, rng).contiguous();
    for (std::size_t e = 0; e < envs.size(); ++e) {
      if (!running[e]) continue;
      const float* row = a.data_ptr<float>() + static_cast<std::ptrdiff_t>(e) * actions;
      std::copy(row, row + actions, action.begin());
      const StepResult result = envs[e].step(action);
      if (!result.ended()) continue;
      running[e] = false;
      --left;
      trial.success += result.terminated ? 1 : 0;
      trial.length += envs[e].steps();
    }
  }
  trial.success /= static_cast<double>(count);  // once: a sum of shares of 1 may come out above 1
  trial.length /= static_cast<double>(count);
  return trial;
}

}  // namespace speder::deep
