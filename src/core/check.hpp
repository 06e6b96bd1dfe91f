#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace speder {

/// The caller broke a precondition; carries the offending value.
template <class T>
void require(bool condition, std::string_view claim, const T& value) {
  if (!condition) throw std::invalid_argument(fmt::format("{} (got {})", claim, value));
}
inline void require(bool condition, std::string_view claim) {
  if (!condition) throw std::invalid_argument(std::string(claim));
}

/// A user's file, key or option is wrong: one line, exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A bad entry of a user's file: names the file and the key, dataset or line.
class ConfigError : public InputError {
 public:
  ConfigError(std::string_view file, std::string_view key, std::string_view problem)
      : InputError(fmt::format("{}: {}: {}", file, key, problem)) {}
};

/// How an iterative algorithm ended.
enum class Termination { kConverged, kIterationLimit, kNotPositiveDefinite, kInterrupted };

[[nodiscard]] constexpr std::string_view to_string(Termination t) {
  switch (t) {
    case Termination::kConverged:
      return "converged";
    case Termination::kIterationLimit:
      return "iteration limit";
    case Termination::kNotPositiveDefinite:
      return "not positive definite";
    case Termination::kInterrupted:
      return "interrupted";
  }
  return "unknown";
}

}  // namespace speder
