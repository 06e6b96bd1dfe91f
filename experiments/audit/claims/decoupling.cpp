#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/process.hpp"

// Appendix "Non-asymptotic Generalization Bound": the decoupling lemma, every expectation exact by
// enumeration of all data sets. "Any estimator" is the estimator that makes the left side largest.

namespace speder::audit {
namespace {

constexpr unsigned kData = kDensities | kProcessValid;

// A distribution over F and a function on F, made from the losses.
template <class T>
T posterior(const Case<T>& c, int f) {
  T total = T(0);
  for (int k = 0; k < c.F; ++k) total = total + T(1) + square(c.loss(k * c.X, 0));
  return (T(1) + square(c.loss(f * c.X, 0))) / total;
}
template <class T>
T score(const Case<T>& c, int f) {
  return c.loss(f * c.X, c.S - 1);
}

const Entry kDecouplingClaims[] = {
    {.id = "kl-chain",
     .source = "decoupling lemma, proof (l.646–650)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "μ ∝ exp g, π uniform on F, π̂ any distribution",
     .statement = "KL(π̂‖μ) = KL(π̂‖π) − ∑π̂g + log E_π exp g",
     .shape = Shape::kProcess,
     .assumes = kData,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       T Z = T(0);
       for (int f = 0; f < c.F; ++f) Z = Z + exp(score(c, f));
       T left = T(0);
       T right = log(Z / T(c.F));
       for (int f = 0; f < c.F; ++f) {
         const T p = posterior(c, f);
         left = left + p * (log(p) - log(exp(score(c, f)) / Z));
         right = right + p * log(p * T(c.F)) - p * score(c, f);
       }
       return {left, right, T(1)};
     }},
    {.id = "kl-to-uniform",
     .source = "decoupling lemma, proof (l.651)",
     .kind = Kind::kBound,
     .premises = "π uniform on F",
     .statement = "KL(π̂‖π) ≤ log|F|",
     .shape = Shape::kProcess,
     .assumes = kData,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       T left = T(0);
       for (int f = 0; f < c.F; ++f) left = left + posterior(c, f) * log(posterior(c, f) * T(c.F));
       return {left, log(T(c.F))};
     }},
    {.id = "kl-rearranged",
     .source = "decoupling lemma, proof (l.655)",
     .kind = Kind::kBound,
     .premises = "π uniform on F, any π̂ and g",
     .statement = "∑π̂(f)g(f) − log|F| ≤ log E_{f~π}exp g(f), compared after exp",
     .shape = Shape::kProcess,
     .assumes = kData,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       T mean = T(0);
       T Z = T(0);
       for (int f = 0; f < c.F; ++f) {
         mean = mean + posterior(c, f) * score(c, f);
         Z = Z + exp(score(c, f));
       }
       return {exp(mean), Z};
     }},
    {.id = "decoupling-lemma",
     .source = "decoupling lemma (l.637–641)",
     .kind = Kind::kBound,
     .premises = "D' tangent to D, f̂(D) any estimator",
     .statement = "E_D[exp(−L(f̂(D),D) − log E_{D'}exp(−L(f̂(D),D')) − log|F|)] ≤ 1",
     .shape = Shape::kProcess,
     .assumes = kData,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Process<T> process{c};
       T mean = T(0);
       for_each_data_set(process, [&](const T& p, const std::vector<int>& z) {
         mean = mean + p * worst_estimator(process, z).ratio();
       });
       return {mean / T(c.F), T(1)};
     }},
    {.id = "decoupling-peeling",
     .source = "decoupling lemma, proof, right side and peeling (l.666, l.674)",
     .kind = Kind::kBound,
     .premises = "f̂(D) any estimator, inside E_{f~π} as printed",
     .statement = "E_{f~π}E_D[exp(−L(f̂(D),D)) / E_{D'}exp(−L(f̂(D),D'))] ≤ 1",
     .shape = Shape::kProcess,
     .assumes = kData,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Process<T> process{c};
       T mean = T(0);
       for_each_data_set(process, [&](const T& p, const std::vector<int>& z) {
         mean = mean + p * worst_estimator(process, z).ratio();
       });
       return {mean, T(1)};
     },
     .corrected_by = "decoupling-peeling-corrected",
     .note =
         "f̂(D) must be the integration variable f: an estimator that has seen D does not peel off"},
    {.id = "decoupling-peeling-corrected",
     .source = "decoupling lemma, proof (l.666, l.674)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "f fixed",
     .statement = "E_{f~π}E_D[exp(−L(f,D)) / E_{D'}exp(−L(f,D'))] = 1",
     .shape = Shape::kProcess,
     .assumes = kData,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Process<T> process{c};
       T mean = T(0);
       for_each_data_set(process, [&](const T& p, const std::vector<int>& z) {
         for (int f = 0; f < c.F; ++f) mean = mean + p * exponentials(process, z, f).ratio();
       });
       return {mean / T(c.F), T(1)};
     },
     .twin = Twin::kCorrection},
    {.id = "decoupling-tangent-product",
     .source = "decoupling lemma, proof (l.672)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "given D the tangent samples are independent",
     .statement = "E_{D'}exp(−L(f,D')) = ∏ᵢ exp(E[−ℓ(f,(xᵢ,yᵢ))])",
     .shape = Shape::kProcess,
     .assumes = kData,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Process<T> process{c};
       T mean = T(0);
       for (int i = 0; i < c.n; ++i)
         mean = mean + process.tangent_mean(0, i - 1 < c.S ? i - 1 : -1);
       T product = T(1);
       for (int i = 0; i < c.n; ++i)
         product = product * process.tangent(0, i - 1 < c.S ? i - 1 : -1);
       return {product, exp(-mean)};
     },
     .corrected_by = "decoupling-tangent-product-corrected",
     .note = "expectation and exponential do not commute; Jensen gives ≥"},
    {.id = "decoupling-tangent-product-corrected",
     .source = "decoupling lemma, proof (l.672)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "given D the tangent samples are independent; D has y₁ = 0",
     .statement = "E_{D'}exp(−L(f,D')) = ∏ᵢ E[exp(−ℓ(f,(xᵢ,yᵢ)))]",
     .shape = Shape::kProcess,
     .assumes = kData,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Process<T> process{c};  // two samples, enumerated against the product
       T mean = T(0);
       for (int z = 0; z < process.outcomes(); ++z) {
         for (int w = 0; w < process.outcomes(); ++w) {
           mean = mean + process.probability(z, -1) * process.probability(w, 0) *
                             exp(-(process.loss(0, z) + process.loss(0, w)));
         }
       }
       return {mean, process.tangent(0, -1) * process.tangent(0, 0)};
     },
     .twin = Twin::kCorrection},
    {.id = "decoupling-conclusion",
     .source = "decoupling lemma, last display of the proof (l.677) against its statement (l.640)",
     .kind = Kind::kDefinition,
     .relation = Relation::kEqual,
     .premises = "the same L, D, D', f̂",
     .statement = "E_D[−exp(L(f̂,D) − log E_{D'}exp(−L(f̂,D')) − log|F|)] = left side of the lemma",
     .shape = Shape::kProcess,
     .assumes = kData,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Process<T> process{c};
       T printed = T(0);
       T stated = T(0);
       for_each_data_set(process, [&](const T& p, const std::vector<int>& z) {
         const Exponentials<T> e = worst_estimator(process, z);
         printed = printed - p / (e.data * e.tangent);
         stated = stated + p * e.ratio();
       });
       return {printed / T(c.F), stated / T(c.F)};
     },
     .corrected_by = "decoupling-lemma",
     .note = "the minus sign moved out of the exponent: the printed left side is negative, so its "
             "bound "
             "by 1 is empty"},
    {.id = "gen-chernoff",
     .source = "thm:generalization, Chernoff's method (l.693)",
     .kind = Kind::kHighProbability,
     .premises = "f̂(D) any estimator; exact probability over all data sets",
     .statement = "P(−log E_{D'}exp(−L(f̂,D')) > L(f̂,D) + log|F| + log 1/δ) ≤ δ",
     .shape = Shape::kProcess,
     .assumes = kData,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Process<T> process{c};
       T bad = T(0);
       for_each_data_set(process, [&](const T& p, const std::vector<int>& z) {
         if (surely_less(T(c.F) / c.delta, worst_estimator(process, z).ratio())) bad = bad + p;
       });
       return {bad, c.delta};
     }},
};

}  // namespace

std::span<const Entry> decoupling_claims() { return kDecouplingClaims; }

}  // namespace speder::audit
