"""A planned action and a fit of PETS-CEM (deep/learn/agents/pets.cpp, preset small) in plain eager PyTorch.

Members as batched products, the sizes and the reward of HalfCheetah, propagation mean; fused Adam; one thread,
CPU-seconds. Prints actions and fits per CPU-second. Run by compare_baselines.sh.
"""
import argparse
import json
import statistics
import time

import torch

S, A = 17, 6
MEMBERS, HIDDEN = 5, 128
HORIZON, SAMPLES, ELITES, ITERATIONS, INERTIA = 20, 200, 20, 3, 0.1
STEPS, BATCH, STORED, CHECK_EVERY = 500, 256, 20_000, 100


class Ensemble(torch.nn.Module):
    def __init__(self):
        super().__init__()
        sizes = [S + A, HIDDEN, HIDDEN, 2 * S]
        self.weights = torch.nn.ParameterList(
            torch.randn(MEMBERS, i, o) / i**0.5 for i, o in zip(sizes, sizes[1:]))
        self.biases = torch.nn.ParameterList(torch.zeros(MEMBERS, 1, o) for o in sizes[1:])
        self.mean, self.std = torch.zeros(S), torch.ones(S)
        self.change_mean, self.change_std = torch.zeros(S), torch.full((S,), 0.1)

    def layers(self, h):
        for i, (w, b) in enumerate(zip(self.weights, self.biases)):
            h = torch.baddbmm(b, h, w)
            if i + 1 < len(self.weights):
                h = torch.nn.functional.silu(h)
        return h

    def forward(self, state, action):
        x = torch.cat([(state - self.mean) / self.std, action.clamp(-1, 1)], -1)
        change = self.layers(x.expand(MEMBERS, *x.shape))[..., :S].mean(0)
        return state + self.change_mean + self.change_std * change


def reward(state, action):
    return state[:, 8] - 0.1 * action.square().sum(-1)


def value(model, start, plans):
    state = start.expand(plans.shape[0], S)
    total = torch.zeros(plans.shape[0])
    for h in range(HORIZON):
        state = model(state, plans[:, h])
        total = total + reward(state, plans[:, h])
    return total.nan_to_num(-1e6, -1e6, -1e6)


@torch.no_grad()
def act(model, start, plan):
    mean, variance = plan, torch.full_like(plan, 0.25)
    for _ in range(ITERATIONS):
        z = torch.nn.init.trunc_normal_(torch.empty(SAMPLES, HORIZON, A), a=-2, b=2)
        room = torch.minimum(((mean + 1) / 2).square(), ((1 - mean) / 2).square())
        plans = mean + torch.minimum(variance, room).sqrt() * z
        best = plans[value(model, start, plans).topk(ELITES).indices]
        mean = INERTIA * mean + (1 - INERTIA) * best.mean(0)
        variance = INERTIA * variance + (1 - INERTIA) * best.var(0, unbiased=False)
    return mean[0], torch.cat([mean[1:], torch.zeros(1, A)])


def loss(model, x, y):
    mean, raw = model.layers(x).chunk(2, -1)
    softplus = torch.nn.functional.softplus
    below = 0.5 - softplus(0.5 - raw)
    log_variance = -10 + softplus(below + 10)
    return ((mean - y).square() * (-log_variance).exp() + log_variance).mean((1, 2)).sum()


def fit(model, x, y):
    """Each member on rows of its own; a tenth of the data is held out and the best members are kept."""
    learn = x.shape[0] * 9 // 10
    own = torch.randint(learn, (MEMBERS, learn))
    adam = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4, fused=True)
    best, kept = torch.full((MEMBERS,), float("inf")), [p.detach().clone() for p in model.parameters()]
    for step in range(STEPS):
        if step % CHECK_EVERY == 0:
            with torch.no_grad():
                out = model.layers(x[learn:].expand(MEMBERS, -1, -1))[..., :S]
                error = (out - y[learn:]).square().mean((1, 2))
                fell = error < best * 0.99
                best = torch.where(fell, error, best)
                for k, p in zip(kept, model.parameters()):
                    k.copy_(torch.where(fell.view(-1, 1, 1), p, k))
        rows = own.gather(1, torch.randint(learn, (MEMBERS, BATCH)))
        adam.zero_grad()
        loss(model, x[rows], y[rows]).backward()
        adam.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=10, help="actions; a fit is timed once")
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, start = Ensemble(), torch.zeros(1, S)

    def run(count):
        plan = torch.zeros(HORIZON, A)
        begin = time.process_time()
        for _ in range(count):
            _, plan = act(model, start, plan)
        return count / (time.process_time() - begin)

    run(2)
    rates = [run(args.updates) for _ in range(args.repeats)]
    x, y = torch.randn(STORED, S + A), torch.randn(STORED, S)
    fits = []
    for _ in range(args.repeats):
        begin = time.process_time()
        fit(model, x, y)
        fits.append(1 / (time.process_time() - begin))
    print(json.dumps({"actions_per_cpu_second": statistics.median(rates),
                      "updates_per_cpu_second": statistics.median(fits)}))


if __name__ == "__main__":
    main()
