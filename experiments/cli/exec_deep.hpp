#pragma once

namespace speder {

/// `speder deep …`: replaces this process by the `speder-deep` beside it, so that the theory tool
/// never loads libtorch or MuJoCo. Returns only on failure, with the exit code.
[[nodiscard]] int hand_over_to_deep(char** arguments);

}  // namespace speder
