#include <cmath>

#include "speder/experiments/audit/objects/build.hpp"
#include "speder/experiments/audit/objects/model.hpp"

namespace speder::audit {
namespace {

// Knob indices.
enum Knob {
  kFamily = 0,
  kRotation,
  kStretch,
  kMeasure,
  kCandidateKind,
  kGamma,
  kSign,
  kTimes,
  kLambda,
  kAlpha,
  kHatFamily,
  kRotationHat
};

// φ rows in the simplex (latent-state mixture), one-hot (block MDP), or the canonical basis.
template <class T>
Table<T> feature_rows(Choices& choices, const Case<T>& c, Slot slot, int family) {
  Table<T> phi(c.S * c.A, c.d);
  for (int i = 0; i < c.S * c.A; ++i) {
    if (family == 2) {
      phi(i, i) = T(1);
    } else if (family == 1) {
      phi(i, choices.integer(slot, i * 8, 0, c.d - 1)) = T(1);
    } else {
      simplex_row(choices, slot, phi, i, T(0));
    }
  }
  return phi;
}

// Row k: the masses of latent distribution k over states.
template <class T>
Table<T> emission_rows(Choices& choices, const Case<T>& c, Slot slot) {
  Table<T> rows(c.d, c.S);
  for (int k = 0; k < c.d; ++k) simplex_row(choices, slot, rows, k, T(0));
  return rows;
}

template <class T>
Table<T> mixed(const Table<T>& x, const Table<T>& y, const T& share) {
  return scaled(x, T(1) - share) + scaled(y, share);
}

// Rotates coordinates 0 and k of every row: P is unchanged, the factors get signs.
template <class T>
void rotate(Table<T>& rows, int k, const T& cosine, const T& sine) {
  for (int i = 0; i < rows.rows(); ++i) {
    const T x = rows(i, 0);
    const T y = rows(i, k);
    rows(i, 0) = cosine * x - sine * y;
    rows(i, k) = sine * x + cosine * y;
  }
}
template <class T>
void rotate_pair(Table<T>& phi, Table<T>& mu, Table<T>* theta, int kind) {
  const int d = phi.cols();
  if (d < 2 || kind < 2) return;
  const T cosine = kind == 2 ? fraction<T>(3, 5) : fraction<T>(5, 13);
  const T sine = kind == 2 ? fraction<T>(4, 5) : fraction<T>(-12, 13);
  const int k = kind == 2 ? 1 : d - 1;
  rotate(phi, k, cosine, sine);
  rotate(mu, k, cosine, sine);
  if (theta == nullptr) return;
  *theta = transposed(*theta);
  rotate(*theta, k, cosine, sine);
  *theta = transposed(*theta);
}

// φ·t, μ/t with t ≥ 1 as long as ‖φ‖ ≤ 1.
template <class T>
T stretch(const Table<T>& phi) {
  const double longest = to_double(max_abs(lengths(phi)));
  if (longest > 0.9) return T(1);
  const Fraction t = simplest_between(0.9 / longest, 1 / longest);
  return fraction<T>(t.numerator, t.denominator);
}

template <class T>
T normalisation(const Case<T>& c, const Table<T>& x) {  // ∑_s (∑_a x(s,a))² ν(s)
  return l2_squared(action_sum(c, x), c.nu);
}

template <class T>
void choose_measure(Choices& choices, Case<T>& c, bool normalised) {
  c.nu = Table<T>(c.S, 1, T(1));
  const int kind = choices.integer(Slot::kKnob, kMeasure, 0, 3);
  if (kind != 0) {
    for (int s = 0; s < c.S; ++s) c.nu(s) = choices.unit<T>(Slot::kNu, s) + fraction<T>(1, 20);
  }
  if (!normalised) {
    if (kind > 1) c.nu = scaled(c.nu, scale_choice<T>(choices, 20, -2, 2));
    return;
  }
  const T largest = max(max(normalisation(c, lengths(c.phi)), normalisation(c, lengths(c.phi_hat))),
                        normalisation(c, reward(c)));
  const double room = c.d / to_double(largest);
  const Fraction k =
      kind == 3 ? simplest_between(0.1 * room, 0.5 * room) : simplest_between(0.98 * room, room);
  c.nu = scaled(c.nu, fraction<T>(k.numerator, k.denominator));
}

template <class T>
Table<T> density(const Case<T>& c, const Table<T>& masses) {  // (d × S) → (S × d)
  Table<T> mu = transposed(masses);
  for (int s = 0; s < c.S; ++s) {
    for (int k = 0; k < c.d; ++k) mu(s, k) = mu(s, k) / c.nu(s);
  }
  return mu;
}

template <class T>
void build_factors(Choices& choices, Case<T>& c, bool normalised) {
  int family = choices.integer(Slot::kKnob, kFamily, 0, 4);
  if (family == 2 && c.S * c.A > kMaxRank) family = 1;
  family = family > 2 ? 0 : family;
  c.d = family == 2 ? c.S * c.A : choices.integer(Slot::kSize, 2, 1, 4);
  c.phi = feature_rows(choices, c, Slot::kPhi, family);
  Table<T> emission = emission_rows(choices, c, Slot::kMu);
  c.theta = Table<T>(c.d, 1);
  for (int k = 0; k < c.d; ++k) c.theta(k) = choices.unit<T>(Slot::kTheta, k);

  const int candidate = choices.integer(Slot::kKnob, kCandidateKind, 0, 3);
  int hat_family = choices.integer(Slot::kKnob, kHatFamily, 0, 1);
  if (family == 2) hat_family = 2;
  c.phi_hat = feature_rows(choices, c, Slot::kPhiHat, hat_family);
  Table<T> emission_hat = emission_rows(choices, c, Slot::kMuHat);
  const T share = choices.unit<T>(Slot::kScalar, 1);
  if (candidate == 1) c.phi_hat = c.phi;
  if (candidate == 1 || candidate == 3) emission_hat = mixed(emission, emission_hat, share);
  if (candidate == 2) emission_hat = emission;
  if (candidate >= 2) c.phi_hat = mixed(c.phi, c.phi_hat, share);

  if (choices.integer(Slot::kKnob, kStretch, 0, 1) == 1) {
    const T t = stretch(c.phi);
    c.phi = scaled(c.phi, t), emission = scaled(emission, T(1) / t);
    c.theta = scaled(c.theta, T(1) / t);
    const T t_hat = stretch(c.phi_hat);
    c.phi_hat = scaled(c.phi_hat, t_hat), emission_hat = scaled(emission_hat, T(1) / t_hat);
  }
  choose_measure(choices, c, normalised);
  c.mu = density(c, emission);
  c.mu_hat = density(c, emission_hat);
  rotate_pair(c.phi, c.mu, &c.theta, choices.integer(Slot::kKnob, kRotation, 0, 3));
  rotate_pair<T>(c.phi_hat, c.mu_hat, nullptr, choices.integer(Slot::kKnob, kRotationHat, 0, 3));
}

template <class T>
void choose_gamma(Choices& choices, Case<T>& c) {
  const int kind = choices.integer(Slot::kKnob, kGamma, 0, 7);
  const T u = choices.unit<T>(Slot::kScalar, 0);
  if (kind == 0) {
    c.gamma = fraction<T>(1, 2);
  } else if (kind == 1) {
    c.gamma = fraction<T>(1, 1000);
  } else if (kind == 2) {
    c.gamma = fraction<T>(999, 1000);
  } else if (kind == 3) {
    c.gamma = T(1) - (T(1) + u) / T(100);
  } else {
    c.gamma = (T(1) + T(98) * u) / T(100);
  }
}

template <class T>
Table<T> policy_rows(Choices& choices, int rows, int actions, Slot slot, const T& floor) {
  Table<T> pi(rows, actions);
  for (int i = 0; i < rows; ++i) simplex_row(choices, slot, pi, i, floor);
  return pi;
}

}  // namespace

template <class T>
void build_mdp(Choices& choices, Case<T>& c, bool normalised) {
  c.S = choices.integer(Slot::kSize, 0, 1, kMaxStates);
  c.A = choices.integer(Slot::kSize, 1, 1, kMaxActions);
  build_factors(choices, c, normalised);
  choose_gamma(choices, c);
  c.H = choices.integer(Slot::kSize, 3, 1, 3);
  constexpr int kRepeats[] = {1, 2, 3, 10, 100, 10'000, 1'000'000};
  c.m = kRepeats[choices.integer(Slot::kKnob, kTimes, 0, 6)];
  c.lambda = scale_choice<T>(choices, kLambda, -3, 3);
  c.alpha = scale_choice<T>(choices, kAlpha, -2, 2);
  c.rho = transposed(policy_rows<T>(choices, 1, c.S, Slot::kRho, T(0)));
  c.pi = policy_rows<T>(choices, c.S, c.A, Slot::kPi, T(0));
  c.history = policy_rows<T>(choices, c.H * c.S, c.A, Slot::kHistory, T(0));
  c.behaviour = policy_rows<T>(choices, c.S, c.A, Slot::kBehaviour, fraction<T>(1, 20));
  const bool both_signs = choices.integer(Slot::kKnob, kSign, 0, 1) == 1;
  c.g = Table<T>(c.S, c.A);
  for (int i = 0; i < c.S * c.A; ++i) {
    const T u = choices.unit<T>(Slot::kG, i);
    c.g(i) = both_signs ? T(2) * u - T(1) : u;
  }
  Table<T> masses(1, c.S * c.A);
  constexpr int kMaxPairs = kMaxStates * kMaxActions;
  Table<T> counts(c.S * c.A, 1);
  T total = T(0);
  for (int i = 0; i < c.S * c.A; ++i) {
    masses(i) = choices.unit<T>(Slot::kWeights, i);
    total = total + masses(i);
    counts(i) = whole<T>(choices.integer(Slot::kCounts, i % kMaxPairs, 0, 3));
  }
  c.weights = to_double(total) == 0 ? Table<T>(c.S * c.A, 1, fraction<T>(1, c.S * c.A))
                                    : transposed(scaled(masses, T(1) / total));
  c.counts = counts;
  c.base = transposed(policy_rows<T>(choices, 1, c.S, Slot::kBase, T(0)));
  for (int s = 0; s < c.S; ++s) c.base(s) = c.base(s) / c.nu(s);
}

template void build_mdp(Choices&, Case<double>&, bool);
template void build_mdp(Choices&, Case<Exact>&, bool);

}  // namespace speder::audit
