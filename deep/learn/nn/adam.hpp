#pragma once

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

/// Adam with PyTorch's defaults (β = 0.9, 0.999, ε = 1e-8) as one fused kernel.
class Adam {
 public:
  Adam(std::vector<Tensor> parameters, double learning_rate);

  /// One step down the gradient of a scalar. Gradients are taken with respect to these parameters
  /// only: nothing is accumulated in any other tensor the loss passes through.
  void step(const Tensor& loss);
  /// The same with the gradients given; they may be changed.
  void apply(const std::vector<Tensor>& gradients);

  void set_learning_rate(double learning_rate) { learning_rate_ = learning_rate; }
  [[nodiscard]] const std::vector<Tensor>& parameters() const { return parameters_; }
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  std::vector<Tensor> parameters_;
  std::vector<Tensor> first_;   // running mean of g
  std::vector<Tensor> second_;  // running mean of g²
  std::vector<Tensor> counts_;  // one counter on the device, listed once per parameter
  double learning_rate_;
};

}  // namespace speder::deep
