#pragma once

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

/// States in units of the mean and deviation of all that were seen so far. For learners that forget old
/// states anyway: see InputScale for those that do not.
class RunningScale {
 public:
  RunningScale(std::int64_t size, Device device);

  void see(const Tensor& states);                               // (n, S)
  [[nodiscard]] Tensor operator()(const Tensor& states) const;  // (n, S); as they are until see()
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  Tensor count_;          // states seen, in double so that it is exact
  Tensor mean_, spread_;  // (S) in double; spread = ∑ (x − mean)²
};

}  // namespace speder::deep
