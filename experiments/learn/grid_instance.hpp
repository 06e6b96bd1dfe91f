#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "speder/core/rng.hpp"
#include "speder/learning/bonus.hpp"
#include "speder/mdp/classes/needle_class.hpp"
#include "speder/mdp/families/instance.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"
#include "speder/sweep/grid_cell.hpp"

namespace speder {

inline constexpr std::string_view kNeedleClass = "needle";  // mdp/classes/needle_class.hpp
inline constexpr std::string_view kLockClass = "lock";      // mdp/classes/lock_product.hpp

[[nodiscard]] bool is_class_file(std::string_view name);  // NAME.h5

/// What a cell of a LearnGrid says, read back.
[[nodiscard]] InstanceSpec spec_of(const GridCell& cell);  // of its family
[[nodiscard]] NeedleShape needle_shape_of(const GridCell& cell);
[[nodiscard]] BonusConstants constants_of(const GridCell& cell);  // c_alpha 0 for the control
/// Settings that the instance depends on.
[[nodiscard]] std::string instance_key(const GridCell& cell);
/// The learner explores, or is careful, by a bonus that can be left out.
[[nodiscard]] bool has_bonus(const GridCell& cell);
/// InputError when class, family and learner do not go together.
void check_cell(const GridCell& cell);

}  // namespace speder
