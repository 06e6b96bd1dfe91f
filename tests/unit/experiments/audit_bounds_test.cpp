#include <cmath>

#include "speder/oracle/bounds/backup.hpp"
#include "speder/oracle/bounds/bonus.hpp"
#include "speder/oracle/bounds/generalization.hpp"
#include "speder/oracle/bounds/pac.hpp"
#include "speder/oracle/bounds/potential.hpp"
#include "speder/oracle/bounds/value_norm.hpp"
#include "tests/catch.hpp"

using namespace speder::bounds;

namespace audit_bounds_test {
TEST_CASE("Right-hand sides at numbers worked out by hand", "[audit][bounds]") {
  // d = 2, γ = 1/2: 2·2·(1 + 2·1) = 12
  CHECK_THAT(value_norm(2.0, 0.5), WithinAbs(std::sqrt(12.0), 1e-14));
  CHECK_THAT(weight_norm(4.0, 0.5), WithinAbs(4.0, 1e-14));
  // d = 1, γ = 1/2, α = 2, λ = 4: 3 + 3 + 3·1·(1+1)² = 18
  CHECK_THAT(planned_value_norm(1.0, 0.5, 2.0, 4.0), WithinAbs(std::sqrt(18.0), 1e-14));
  CHECK_THAT(bonus_sup(2.0, 4.0), WithinAbs(1.0, 1e-15));
  CHECK_THAT(bonus_l2(2.0, 4.0, 9.0), WithinAbs(3.0, 1e-15));
  // |A| = 2, d = 1, γ = 1/2, ζ = 1: 2·2·1·(1+1)/(1/2) = 16
  CHECK_THAT(optimism_slack(2.0, 1.0, 0.5, 1.0), WithinAbs(4.0, 1e-14));
  CHECK_THAT(elliptical_potential(2.0, 3.0, 1.0, 1.0), WithinAbs(2 * std::log(4.0), 1e-14));
}

TEST_CASE("One-step-back bounds: printed, corrected and true-model forms", "[audit][bounds]") {
  const BackupInputs<double> in{.gamma = 0.5,
                                .spread = 2,
                                .n = 3,
                                .lambda = 4,
                                .d = 1,
                                .g2 = 1,
                                .g2_next = 1,
                                .sup = 1,
                                .l2 = 2,
                                .zeta = 0.5,
                                .feature_norm = 1};
  // √(½·2·1) = 1; printed 3·2 + 4·3/2 + 4 = 16; corrected 12 + 12 + 4 = 28
  CHECK_THAT(backup_learned_printed(in), WithinAbs(1 + 0.5 * 4, 1e-14));
  CHECK_THAT(backup_learned(in), WithinAbs(1 + 0.5 * std::sqrt(28.0), 1e-14));
  // 3·½·2 + 4·¼ = 4
  CHECK_THAT(backup_true(in), WithinAbs(1 + 2.0, 1e-14));
  // 2·3·2/½ + 12 + 4 = 40
  CHECK_THAT(backup_learned_offline(in), WithinAbs(1 + 0.5 * std::sqrt(40.0), 1e-14));
}

TEST_CASE("Generalisation constant: the closed form is the minimum over ρ", "[audit][bounds]") {
  const double C = 3;
  const double best = generalization_constant(C);
  CHECK_THAT(best / C, WithinAbs(41.9532159439, 1e-8));
  CHECK_THAT(generalization_constant(C, generalization_best_step(C)), WithinAbs(best, 1e-9));
  for (const double factor : {0.5, 0.9, 1.1, 1.5}) {
    CHECK(generalization_constant(C, factor * generalization_best_step(C)) > best);
  }
}

TEST_CASE("Rates: the corrected offline bound is the printed one over √n", "[audit][bounds]") {
  const RateInputs<double> in{
      .d = 2, .actions = 3, .gamma = 0.5, .n = 16, .class_size = 10, .delta = 0.1};
  CHECK_THAT(4 * offline_gap(in, 2.0, 5.0), WithinAbs(offline_gap_printed(in, 2.0, 5.0), 1e-12));
  // d⁴|A|²·2⁶/ε² = 16·9·64/0.01
  CHECK_THAT(online_episodes(in, 0.1), WithinAbs(921600.0, 1e-6));
  RateInputs<double> longer = in;
  longer.n = 64;
  CHECK(regret_rate(longer) > regret_rate(in));
}

}  // namespace audit_bounds_test
