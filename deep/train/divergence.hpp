#pragma once

#include <optional>

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

/// Remembers, without waiting for the device, the first update at which each loss was not a finite
/// number of reasonable size: once parameters are bad everything is, and only the first one tells why.
class DivergenceWatch {
 public:
  explicit DivergenceWatch(double limit) : limit_(limit) {}

  /// losses: the scalars of one update, the same names in the same order each time.
  void see(const Diagnostics& losses, std::int64_t update);

  struct Finding {
    std::string name;
    std::int64_t update = 0;
  };
  /// The earliest one, in order of computation within an update. Waits for the device.
  [[nodiscard]] std::optional<Finding> finding() const;

 private:
  double limit_;
  std::vector<std::string> names_;
  Tensor first_bad_;  // (n)  update of the first bad value, kNever when there was none
};

}  // namespace speder::deep
