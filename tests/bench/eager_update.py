"""The learner's update (deep/learn/agents/spectral_actor_critic.cpp with the settings of compare_update.sh) in plain
eager PyTorch.

Straightforward modules, one network call per use, fused Adam; one thread, CPU-seconds. Prints updates per
CPU-second. Run by compare_update.sh.
"""
import argparse
import copy
import json
import math
import statistics
import time

import torch
from torch import nn

S, A, B = 17, 6, 256
DISCOUNT, TAU, RETURNS, NOISE = 0.99, 0.005, 3, 0.5


def mlp(sizes):
    layers = []
    for i, (n_in, n_out) in enumerate(zip(sizes, sizes[1:])):
        layers.append(nn.Linear(n_in, n_out))
        if i + 2 < len(sizes):
            layers.append(nn.ReLU())
    return nn.Sequential(*layers)


def head(d, width):
    layers = []
    for n_in in (d, width):
        layers += [nn.Linear(n_in, width), nn.LayerNorm(width, elementwise_affine=False), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, 1))


class Learner:
    def __init__(self, width, critic, hidden):
        self.d = d = width
        self.phi = mlp([S + A, width, width, d])
        self.mu = mlp([S, width, width, d])
        self.phi_ema = copy.deepcopy(self.phi).requires_grad_(False)
        self.reward = mlp([S + A, critic, 1])
        self.q1, self.q2 = head(d, critic), head(d, critic)
        self.t1, self.t2 = copy.deepcopy(self.q1), copy.deepcopy(self.q2)
        self.actor = mlp([S, hidden, hidden, 2 * A])
        self.log_alpha = torch.tensor(math.log(0.1), requires_grad=True)
        self.mean, self.per = torch.zeros(S), torch.ones(S)
        adam = lambda p, lr: torch.optim.Adam(p, lr=lr, fused=True)
        self.feature_opt = adam([*self.phi.parameters(), *self.mu.parameters()], 3e-4)
        self.reward_opt = adam(self.reward.parameters(), 1e-3)
        self.critic_opt = adam([*self.q1.parameters(), *self.q2.parameters()], 1e-3)
        self.actor_opt = adam(self.actor.parameters(), 1e-3)
        self.alpha_opt = adam([self.log_alpha], 3e-4)

    def units(self, s):
        return (s - self.mean) * self.per

    def pair(self, s, a):
        return torch.cat([self.units(s), a], 1)

    def head_input(self, phi):
        return torch.nn.functional.layer_norm(phi, (self.d,))

    def sample(self, s):
        mean, raw = self.actor(self.units(s)).chunk(2, -1)
        log_std = -5 + 3.5 * (raw.tanh() + 1)
        noise = torch.randn_like(mean)
        x = mean + log_std.exp() * noise
        normal = -0.5 * noise**2 - log_std - 0.5 * math.log(2 * math.pi)
        slope = 2 * (math.log(2) - x - torch.nn.functional.softplus(-2 * x))
        return x.tanh(), (normal - slope).sum(-1)

    def update(self, s, a, r, s2, far_r, far_s, far_term):
        phi = self.phi(self.pair(s, a)).tanh()
        mu2 = self.mu(self.units(s2) + NOISE * torch.randn_like(s2)).tanh()
        scores = phi @ mu2.T  # base states: the other rows' successors, i != j
        own = scores.diagonal()
        quadratic = (scores.square().sum() - own.square().sum()) / (B * (B - 1))
        loss = quadratic - 2 * own.mean()
        self.feature_opt.zero_grad()
        loss.backward()
        self.feature_opt.step()

        sa = self.pair(s, a)
        error = 0.5 * (self.reward(sa).squeeze(-1) - r).square().mean()
        self.reward_opt.zero_grad()
        error.backward()
        self.reward_opt.step()

        with torch.no_grad():
            a2, logp2 = self.sample(far_s)
            sa2 = self.pair(far_s, a2)
            f2 = self.head_input(self.phi_ema(sa2).tanh())
            q2 = 0.5 * (self.t1(f2) + self.t2(f2)) + self.reward(sa2)
            y = far_r + DISCOUNT**RETURNS * (1 - far_term) * (q2.squeeze(-1) - self.log_alpha.exp() * logp2)
            f = self.head_input(self.phi_ema(sa).tanh())
            y = y - self.reward(sa).squeeze(-1)
        critic = (self.q1(f).squeeze(-1) - y).square().mean() + (self.q2(f).squeeze(-1) - y).square().mean()
        self.critic_opt.zero_grad()
        critic.backward()
        self.critic_opt.step()

        an, logp = self.sample(s)
        san = self.pair(s, an)
        f = self.head_input(self.phi_ema(san).tanh())
        q = (0.5 * (self.q1(f) + self.q2(f)) + self.reward(san)).squeeze(-1)
        actor = (self.log_alpha.exp().detach() * logp - q).mean()
        self.actor_opt.zero_grad()
        actor.backward()
        self.actor_opt.step()
        alpha = self.log_alpha.exp() * (-logp.detach() + A).mean()
        self.alpha_opt.zero_grad()
        alpha.backward()
        self.alpha_opt.step()

        with torch.no_grad():
            for target, online in ((self.phi_ema, self.phi), (self.t1, self.q1), (self.t2, self.q2)):
                for t, p in zip(target.parameters(), online.parameters()):
                    t.lerp_(p, TAU)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--critic", type=int, default=512)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    n = 20000
    data = [torch.randn(n, S), torch.rand(n, A) * 2 - 1, torch.randn(n), torch.randn(n, S), torch.randn(n), torch.randn(n, S),
            torch.zeros(n)]
    learner = Learner(args.width, args.critic, 256)

    def run(count):
        start = time.process_time()
        for _ in range(count):
            i = torch.randint(n, (B,))
            learner.update(*(x[i] for x in data))
        return count / (time.process_time() - start)

    run(args.updates)
    rates = [run(args.updates) for _ in range(args.repeats)]
    print(json.dumps({"width": args.width, "updates_per_cpu_second": statistics.median(rates)}))


if __name__ == "__main__":
    main()
