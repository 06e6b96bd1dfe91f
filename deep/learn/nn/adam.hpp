#pragma once

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

struct AdamOptions {
  double learning_rate = 3e-4;
  double epsilon = 1e-8;  // PyTorch's default: keeps m/√v finite for a zero gradient
  double decay = 0;       // of ½ decay ‖θ‖² added to the loss
  double clip = 0;        // bound on the norm of all gradients together; 0: none
};

/// Adam with β = (0.9, 0.999) as one fused kernel.
class Adam {
 public:
  Adam(std::vector<Tensor> parameters, double learning_rate)
      : Adam(std::move(parameters), AdamOptions{.learning_rate = learning_rate}) {}
  Adam(std::vector<Tensor> parameters, const AdamOptions& options);

  /// One step down the gradient of a scalar. Gradients are taken with respect to these parameters
  /// only: nothing is accumulated in any other tensor the loss passes through.
  void step(const Tensor& loss);
  /// The same with the gradients given; they may be changed.
  void apply(const std::vector<Tensor>& gradients);

  void set_learning_rate(double learning_rate) { options_.learning_rate = learning_rate; }
  /// Forgets what it has seen of the gradients.
  void restart();
  [[nodiscard]] const std::vector<Tensor>& parameters() const { return parameters_; }
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  std::vector<Tensor> parameters_;
  std::vector<Tensor> first_;   // running mean of g
  std::vector<Tensor> second_;  // running mean of g²
  std::vector<Tensor> counts_;  // one counter on the device, listed once per parameter
  AdamOptions options_;
};

}  // namespace speder::deep
