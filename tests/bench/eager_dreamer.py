"""One update of Dreamer (deep/learn/agents/dreamer.cpp, preset small) in plain eager PyTorch.

Straightforward modules, one network call per use, fused Adam; one thread, CPU-seconds. Prints updates per
CPU-second. Run by compare_baselines.sh.
"""
import argparse
import copy
import json
import math
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

S, A = 17, 6
GROUPS, CLASSES, H, WIDTH = 16, 16, 128, 128
SEQUENCES, LENGTH, HORIZON, STARTS = 16, 32, 10, 256
GAMMA, LAMBDA, ETA = 0.99, 0.95, 1e-4
Z = GROUPS * CLASSES


def mlp(sizes, last=False):
    layers = []
    for i, (n_in, n_out) in enumerate(zip(sizes, sizes[1:])):
        layers.append(nn.Linear(n_in, n_out))
        if last or i + 2 < len(sizes):
            layers.append(nn.ELU())
    return nn.Sequential(*layers)


def head(out):
    return mlp([Z + H, WIDTH, WIDTH, WIDTH, out])


def sample(logits):
    p = logits.unflatten(-1, (GROUPS, CLASSES)).softmax(-1)
    drawn = torch.multinomial(p.detach().flatten(0, -2), 1).view(*p.shape[:-1])
    return (F.one_hot(drawn, CLASSES) + p - p.detach()).flatten(-2)


def kl(q, p):
    return (q.exp() * (q - p)).sum((-2, -1)).mean()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = mlp([S, WIDTH, WIDTH, WIDTH], last=True)
        self.decoder, self.reward = head(S), head(1)
        self.inward = mlp([Z + A, H], last=True)
        self.gates, self.norm = nn.Linear(2 * H, 3 * H), nn.LayerNorm(3 * H)
        self.prior = mlp([H, H, Z])
        self.posterior = mlp([H + WIDTH, H, Z])

    def advance(self, h, z, a):
        x = self.inward(torch.cat([z, a], -1))
        r, c, u = self.norm(self.gates(torch.cat([x, h], -1))).chunk(3, -1)
        c = (r.sigmoid() * c).tanh()
        u = (u - 1).sigmoid()
        return u * c + (1 - u) * h

    def imagine(self, h, z, a):
        h = self.advance(h, z, a)
        return h, sample(self.prior(h))


def cut_normal(output):
    o, raw = output.chunk(2, -1)
    mean, std = o.tanh(), 2 * (raw / 2).sigmoid() + 0.1
    cdf = lambda x: 0.5 * (1 + torch.erf(x / math.sqrt(2)))
    density = lambda x: (-x.square() / 2).exp() / math.sqrt(2 * math.pi)
    alpha, beta = (-1 - mean) / std, (1 - mean) / std
    low, high = cdf(alpha), cdf(beta)
    p = (low + torch.rand_like(mean) * (high - low)).clamp(1e-5, 1 - 1e-5)
    action = (mean + std * math.sqrt(2) * torch.erfinv(2 * p - 1)).clamp(-1, 1)
    mass = high - low
    tails = (alpha * density(alpha) - beta * density(beta)) / (2 * mass)
    entropy = (0.5 * math.log(2 * math.pi * math.e) + (std * mass).log() + tails).sum(-1)
    return action, entropy


class Learner:
    def __init__(self):
        self.model, self.actor, self.critic = Model(), head(2 * A), head(1)
        self.slow = copy.deepcopy(self.critic).requires_grad_(False)
        adam = lambda m, lr: torch.optim.Adam(m.parameters(), lr=lr, eps=1e-5, fused=True)
        self.model_opt, self.actor_opt = adam(self.model, 1e-3), adam(self.actor, 3e-4)
        self.critic_opt = adam(self.critic, 3e-4)

    def step(self, module, optimiser, loss):
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(module.parameters(), 100)
        optimiser.step()
        with torch.no_grad():
            for p in module.parameters():
                p.mul_(1 - 1e-6)

    def update(self, x, a, r, first):
        m = self.model
        code = m.encoder(x)
        h, z = torch.zeros(SEQUENCES, H), torch.zeros(SEQUENCES, Z)
        hs, zs, qs = [], [], []
        for t in range(LENGTH):
            keep = (1 - first[t]).unsqueeze(-1)
            h = m.advance(h * keep, z * keep, a[t] * keep)
            q = m.posterior(torch.cat([h, code[t]], -1))
            z = sample(q)
            hs.append(h), zs.append(z), qs.append(q)
        hs, zs, qs = torch.stack(hs), torch.stack(zs), torch.stack(qs)
        features = torch.cat([zs, hs], -1)
        shape = (GROUPS, CLASSES)
        log_q = qs.unflatten(-1, shape).log_softmax(-1)
        log_p = m.prior(hs).unflatten(-1, shape).log_softmax(-1)
        loss = 0.5 * (m.decoder(features) - x).square().sum(-1).mean()
        loss = loss + 0.5 * (m.reward(features).squeeze(-1) - r).square().mean()
        loss = loss + 0.8 * kl(log_q.detach(), log_p).clamp_min(1) + 0.2 * kl(log_q, log_p.detach()).clamp_min(1)
        self.step(m, self.model_opt, loss)

        every = LENGTH * SEQUENCES // STARTS
        h, z = hs.detach().flatten(0, 1)[::every], zs.detach().flatten(0, 1)[::every]
        m.requires_grad_(False)
        features, entropies = [torch.cat([z, h], -1)], []
        for _ in range(HORIZON):
            action, entropy = cut_normal(self.actor(features[-1].detach()))
            h, z = m.imagine(h, z, action)
            features.append(torch.cat([z, h], -1))
            entropies.append(entropy)
        features, entropies = torch.stack(features), torch.stack(entropies)
        reward, value = m.reward(features).squeeze(-1), self.slow(features).squeeze(-1)
        returns, after = [], value[-1]
        for t in reversed(range(HORIZON)):
            after = reward[t] + GAMMA * ((1 - LAMBDA) * value[t + 1] + LAMBDA * after)
            returns.append(after)
        returns = torch.stack(returns[::-1])
        weights = (GAMMA ** torch.arange(HORIZON)).unsqueeze(1)
        self.step(self.actor, self.actor_opt, -(weights[:-1] * (returns[1:] + ETA * entropies[:-1])).mean())
        m.requires_grad_(True)
        error = self.critic(features[:-1].detach()).squeeze(-1) - returns.detach()
        self.step(self.critic, self.critic_opt, (weights * 0.5 * error.square()).mean())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    n = 20000
    x, a, r, first = torch.randn(n, S), torch.rand(n, A) * 2 - 1, torch.randn(n), torch.zeros(n)
    learner = Learner()

    def run(count):
        begin = time.process_time()
        for _ in range(count):
            rows = torch.randint(n - LENGTH, (SEQUENCES,)) + torch.arange(LENGTH).unsqueeze(1)
            learner.update(x[rows], a[rows], r[rows], first[rows])
        return count / (time.process_time() - begin)

    run(3)
    rates = [run(args.updates) for _ in range(args.repeats)]
    print(json.dumps({"updates_per_cpu_second": statistics.median(rates)}))


if __name__ == "__main__":
    main()
