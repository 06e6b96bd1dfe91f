#pragma once

#include <functional>
#include <string>
#include <vector>

namespace speder::bench {

/// One measured figure against what it must reach.
struct Figure {
  std::string job;
  std::string measured;  // in words, with units
  double value = 0;
  double must = 0;
  bool at_least = true;  // value ≥ must, otherwise value ≤ must
  [[nodiscard]] bool holds() const { return at_least ? value >= must : value <= must; }
};

struct Job {
  std::string name;
  std::string what;
  std::function<std::vector<Figure>()> run;
};

/// Every benchmark job, single core. Ratios are taken within one run.
[[nodiscard]] const std::vector<Job>& jobs();

/// Time of an episode of Algorithm 1 over that of its arithmetic.
[[nodiscard]] std::vector<Figure> learner_job();

}  // namespace speder::bench
