#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "speder/experiments/audit/objects/build.hpp"
#include "speder/experiments/audit/objects/premise.hpp"

namespace speder::audit {

enum class Kind { kIdentity, kBound, kHighProbability, kRate, kExample, kDefinition };
[[nodiscard]] std::string_view to_string(Kind kind);

/// How the two sides of an entry are compared.
enum class Relation {
  kLessEqual,  // left ≤ right
  kEqual,      // left = right
  kConstant,   // left ≤ c · right, both sides measured on an instance, c hidden: c is measured
  kOrder,      // left ≲ right between two formulas: c is measured, more than kGenerous falsifies
  kTrivial  // left, the largest that the bounded quantity can be, ≤ right: then it says nothing
};

/// The reading of ≲, Θ and "order of" in a line between two formulas: one absolute constant of at
/// most 100, for all sizes.
inline constexpr int kGenerous = 100;
[[nodiscard]] constexpr bool measures_constant(Relation relation) {
  return relation == Relation::kConstant || relation == Relation::kOrder;
}

/// One claim for both number types: a lambda []<class T>(const Case<T>&) -> Sides<T>.
struct Check {
  Sides<double> (*approximate)(const Case<double>&) = nullptr;
  Sides<Exact> (*exact)(const Case<Exact>&) = nullptr;
  constexpr Check() = default;
  template <class L>
  constexpr Check(L claim) : approximate(claim), exact(claim) {}  // NOLINT: a lambda is a check
};

enum class Twin {
  kNone,
  kCorrection,  // the smallest change that makes a printed statement true
  kPremise,     // the printed statement with a premise added
  kDerived      // a consequence of the paper's assumptions that the paper does not print
};

/// One statement of the paper, as printed (or its corrected twin).
struct Entry {
  std::string_view id;
  std::string_view source;  // label or nearest equation, and the line of the paper's source
  Kind kind = Kind::kBound;
  Relation relation = Relation::kLessEqual;
  std::string_view premises = {};   // in words
  std::string_view statement = {};  // constants as printed
  Shape shape = Shape::kMdp;
  unsigned assumes = kNoPremise;
  Check check = {};                    // empty: not checkable
  std::string_view corrected_by = {};  // id of the twin, when the printed statement fails
  Twin twin = Twin::kNone;             // what this entry is to the entry that names it
  std::string_view note = {};          // what a reader should know; the reason when not checkable
  bool derived = false;            // the paper does not print it: what a proof or line 6 would need
  std::string_view misprint = {};  // entries that fail by the same misprint share this name
};
/// The error an entry shows when it fails: its misprint, or the entry itself.
[[nodiscard]] inline std::string_view error_of(const Entry& entry) {
  return entry.misprint.empty() ? entry.id : entry.misprint;
}

/// Every statement, in the order of the paper.
[[nodiscard]] const std::vector<Entry>& inventory();
[[nodiscard]] const Entry* find_entry(std::string_view id);

// Sections of the inventory.
[[nodiscard]] std::span<const Entry> preliminaries_claims();
[[nodiscard]] std::span<const Entry> table_one_claims();
[[nodiscard]] std::span<const Entry> objective_claims();
[[nodiscard]] std::span<const Entry> constraint_claims();
[[nodiscard]] std::span<const Entry> assumption_claims();
[[nodiscard]] std::span<const Entry> open_claims();
[[nodiscard]] std::span<const Entry> generalization_claims();
[[nodiscard]] std::span<const Entry> decoupling_claims();
[[nodiscard]] std::span<const Entry> estimator_claims();
[[nodiscard]] std::span<const Entry> adaptive_claims();
[[nodiscard]] std::span<const Entry> value_norm_claims();
[[nodiscard]] std::span<const Entry> backup_learned_claims();
[[nodiscard]] std::span<const Entry> optimism_claims();
[[nodiscard]] std::span<const Entry> backup_true_claims();
[[nodiscard]] std::span<const Entry> bonus_claims();
[[nodiscard]] std::span<const Entry> regret_claims();
[[nodiscard]] std::span<const Entry> offline_backup_claims();
[[nodiscard]] std::span<const Entry> offline_pac_claims();
[[nodiscard]] std::span<const Entry> offline_theorem_claims();
[[nodiscard]] std::span<const Entry> technical_claims();

}  // namespace speder::audit
