#pragma once

#include <functional>

#include "speder/core/check.hpp"
#include "speder/core/types.hpp"
#include "speder/learning/bonus.hpp"
#include "speder/mdp/model/policy.hpp"

namespace speder {

/// What a learner shows after each episode (online) or checkpoint (offline). The references are
/// good until the observer returns.
struct LearnerReport {
  Index n = 0;            // episode, or number of transitions
  const Policy& policy;   // π_n, π̂
  bool replanned = true;  // false: the policy and the model are those of the last report
  Index candidate = -1;   // index of φ̂, μ̂ in the class; −1: the learner has none
  const Vector& bonus;    // (SA)  b, a penalty offline
  const Vector& value;    // (S)   V in the learned model with r ± b
  double zeta = 0;        // 0 where the learner does not use it
  double lambda = 0;
  double alpha = 0;
  Index env_steps = 0;             // environment steps so far
  const Matrix* kernel = nullptr;  // (SA × S)  P̂, from a learner whose model is no candidate
};

/// Called every time; false ends the run.
using LearnerObserver = std::function<bool(const LearnerReport&)>;

struct LearnerResult {
  Policy policy;         // the last one; the observer has seen all the others
  Index n = 0;           // episodes, or transitions, used
  Index candidate = -1;  // as in LearnerReport
  Index env_steps = 0;
  Index replans = 0;
  bool interrupted = false;  // the observer ended it
};

}  // namespace speder
