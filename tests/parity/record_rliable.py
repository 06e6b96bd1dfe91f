#!/usr/bin/env python3
"""Writes tests/unit/stats/rliable_numbers.hpp: what rliable 1.2.0 says of fixed scores and fixed resamples.

    pip install rliable==1.2.0 'pandas<3'
    python3 tests/parity/record_rliable.py > tests/unit/stats/rliable_numbers.hpp
"""
import numpy as np
from rliable import library, metrics

TASKS, RUNS, OTHER, RESAMPLES = 4, 7, 5, 25
rng = np.random.default_rng(20230501)
x = np.round(rng.normal(0.7, 0.4, (RUNS, TASKS)), 3)
y = np.round(rng.normal(0.5, 0.5, (OTHER, TASKS)), 3)
y[0, 0] = x[0, 0]  # a tie
tau = np.linspace(-0.5, 1.5, 9)


def four(scores):
    return [metrics.aggregate_median(scores), metrics.aggregate_iqm(scores), metrics.aggregate_mean(scores),
            metrics.aggregate_optimality_gap(scores)]


def numbers(values):
    return "{" + ", ".join(repr(float(v)) for v in values) + "}"


def tasks(scores):  # scores[task][run]
    return "{" + ", ".join(numbers(scores[:, t]) for t in range(TASKS)) + "}"


draws = rng.integers(0, RUNS, (RESAMPLES, RUNS, TASKS))
other = rng.integers(0, OTHER, (RESAMPLES, OTHER, TASKS))
columns = np.arange(TASKS)
results = np.array([four(x[d, columns]) for d in draws])
better = [metrics.probability_of_improvement(x[d, columns], y[o, columns]) for d, o in zip(draws, other)]
profile, _ = library.create_performance_profile({"x": x}, tau, reps=2)


def indices(d):
    return "{" + ", ".join("{" + ", ".join(str(i) for i in d[:, t]) + "}" for t in range(TASKS)) + "}"


print("#pragma once\n\n#include <cstddef>\n#include <vector>\n")
print("// Written by tests/parity/record_rliable.py with rliable 1.2.0; not edited by hand.")
print("// clang-format off\nnamespace rliable_numbers {\n")
print(f"inline const std::vector<std::vector<double>> kX = {tasks(x)};")
print(f"inline const std::vector<std::vector<double>> kY = {tasks(y)};")
print(f"inline const std::vector<double> kFour = {numbers(four(x))};  // median, IQM, mean, optimality gap")
print(f"inline const double kImprovement = {float(metrics.probability_of_improvement(x, y))!r};")
print(f"inline const std::vector<double> kTau = {numbers(tau)};")
print(f"inline const std::vector<double> kProfile = {numbers(profile['x'])};")
print("inline const std::vector<std::vector<std::vector<std::size_t>>> kDraws = {")
print(",\n".join("  " + indices(d) for d in draws) + "};")
print("inline const std::vector<std::vector<std::vector<std::size_t>>> kOther = {")
print(",\n".join("  " + indices(d) for d in other) + "};")
print("inline const std::vector<std::vector<double>> kResults = {")
print(",\n".join("  " + numbers(r) for r in results) + "};")
print(f"inline const std::vector<double> kBetter = {numbers(better)};")
low, high = np.percentile(results, [2.5, 97.5], axis=0)
print(f"inline const std::vector<double> kLow = {numbers(low)};\ninline const std::vector<double> kHigh = {numbers(high)};")
print("\n}  // namespace rliable_numbers\n// clang-format on")
