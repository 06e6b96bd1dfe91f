#include "speder/deep/train/interaction.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder::deep {

Interaction::Interaction(const std::shared_ptr<const Physics>& physics, Device device,
                         const SeedTree& seeds)
    : device_(device),
      seeds_(seeds),
      env_(physics),
      action_(static_cast<std::size_t>(physics->spec.action_size)) {}

void Interaction::start_episode(std::int64_t episode) {
  Rng rng = seeds_.stream("episode", static_cast<std::uint64_t>(episode));
  const auto first = env_.reset(rng);
  observation_.assign(first.begin(), first.end());
  episode_return_ = 0;
  player_.reset();
}

void Interaction::choose_action(const Agent* agent, Rng& rng) {
  if (agent == nullptr) {
    for (float& a : action_) a = static_cast<float>(rng.uniform(-1, 1));
    if (env_.spec().discrete) {  // stored as the learner will see them: a unit vector
      const auto best = std::max_element(action_.begin(), action_.end()) - action_.begin();
      std::fill(action_.begin(), action_.end(), 0.0F);
      action_[static_cast<std::size_t>(best)] = 1;
    }
    return;
  }
  const Tensor observation =
      at::from_blob(observation_.data(), {1, std::ssize(observation_)}, at::kFloat);
  if (agent->play) {
    if (!player_) player_ = agent->play(1);
    const Tensor chosen = (*player_)(observation, rng, /*explore=*/true).to(at::kCPU);
    std::copy_n(chosen.contiguous().data_ptr<float>(), action_.size(), action_.begin());
    return;
  }
  const Tensor noise = at::empty({1, std::ssize(action_)}, at::kFloat);
  for (std::size_t i = 0; i < action_.size(); ++i) {
    noise.data_ptr<float>()[i] = static_cast<float>(rng.normal());
  }
  const Tensor chosen = agent->act(observation.to(device_), noise.to(device_)).to(at::kCPU);
  std::copy_n(chosen.data_ptr<float>(), action_.size(), action_.begin());
}

void Interaction::step(const Agent* agent, std::int64_t number) {
  Rng rng = seeds_.stream("act", static_cast<std::uint64_t>(number));
  choose_action(agent, rng);
  double_action_.assign(action_.begin(), action_.end());
  result_ = env_.step(double_action_);
  const auto next = env_.observation();
  next_.assign(next.begin(), next.end());
  episode_return_ += result_.reward;
}

EnvStep Interaction::taken() const {
  return {observation_,       action_,        static_cast<float>(result_.reward), next_,
          result_.terminated, result_.ended()};
}

bool Interaction::advance() {
  observation_.swap(next_);
  return result_.ended();
}

SideThread::SideThread(int product_threads)
    : thread_([this, product_threads] {
        at::set_num_threads(product_threads);  // counts per thread
        for (begin_.acquire(); work_; begin_.acquire()) {
          try {
            work_();
          } catch (...) {
            error_ = std::current_exception();
          }
          end_.release();
        }
      }) {}

SideThread::~SideThread() {
  work_ = nullptr;
  begin_.release();
  thread_.join();
}

void SideThread::start(std::function<void()> work) {
  work_ = std::move(work);
  begin_.release();
}

void SideThread::join() {
  end_.acquire();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

Evaluation evaluate(const Agent& agent, const std::shared_ptr<const Physics>& physics, int episodes,
                    Device device, const SeedTree& seeds) {
  require(episodes > 0, "an evaluation needs episodes", episodes);
  const auto n = static_cast<std::size_t>(episodes);
  const Index s = physics->spec.observation_size;
  const auto a = static_cast<std::size_t>(physics->spec.action_size);
  const Tensor observations = at::zeros({episodes, s}, at::kFloat);
  const auto store = [&](std::size_t i, std::span<const double> from) {
    std::copy(from.begin(), from.end(), observations.data_ptr<float>() + static_cast<Index>(i) * s);
  };
  std::vector<Env> envs;
  for (std::size_t i = 0; i < n; ++i) {
    Rng rng = seeds.stream("episode", i);
    store(i, envs.emplace_back(physics).reset(rng));
  }
  std::vector<double> returns(n, 0.0);
  std::vector<bool> ended(n, false);
  std::vector<double> action(a);
  std::size_t running = n;
  double steps = 0;
  const Player player = agent.play ? agent.play(episodes) : Player{};
  const auto act = [&](std::uint64_t t) {
    if (!player) return agent.act(observations.to(device), {});
    Rng rng = seeds.stream("plan", t);
    return player(observations, rng, /*explore=*/false);
  };
  for (std::uint64_t t = 0; running > 0; ++t) {
    const Tensor actions = act(t).to(at::kCPU).contiguous();
    for (std::size_t i = 0; i < n; ++i) {
      if (ended[i]) continue;
      std::copy_n(actions.data_ptr<float>() + i * a, a, action.begin());
      const StepResult r = envs[i].step(action);
      returns[i] += r.reward;
      steps += 1;
      store(i, envs[i].observation());
      if (r.ended()) {
        ended[i] = true;
        --running;
      }
    }
  }
  Evaluation out;
  for (const double r : returns) out.mean += r / episodes;
  for (const double r : returns) out.deviation += (r - out.mean) * (r - out.mean);
  out.deviation = episodes > 1 ? std::sqrt(out.deviation / (episodes - 1)) : 0;
  out.mean_length = steps / episodes;
  return out;
}

}  // namespace speder::deep
