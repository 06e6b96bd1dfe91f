#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace speder::deep {

/// Latent behavioural cloning: everything that decides a run's numbers. Defaults are the paper's
/// sizes; what the paper leaves open has the default of docs/imitation.md, Methods.
struct ImitateConfig {
  std::string body = "point";     // point or ant
  std::string layout = "medium";  // medium or large
  std::string style = "diverse";  // of the offline data: diverse or play
  std::string method = "speder";
  std::uint64_t seed = 0;
  // data made when no files are given
  int rows = 1'000'000;
  int expert_episodes = 10;
  double data_noise = 0.5;
  double expert_noise = 0.0;
  // networks
  std::vector<int> hidden = {256, 256};
  int latent = 0;      // size d of φ; 0: 256 for speder, 64 for trail
  int skill = 8;       // size of a skill's z
  int fourier = 8192;  // random features of trail-linear
  int window = 10;     // steps t of a skill
  int rnn = 256;       // width of the skill encoder's recurrent layer
  // phase 1: representation and action decoder on the offline data
  int pretrain_steps = 200'000;
  int batch = 256;
  double pretrain_lr = 3e-4;
  double mu_weight = -1;      // α₁; negative: the paper's table for this layout and style
  double ortho_weight = -1;   // α₂
  double norm_weight = -1;    // α₃
  double pair_weight = 1;     // of the first term: 1 beside μᵀμ/(2d), which the table goes with
  std::string base = "data";  // p: the data's next states without a density factor, or gaussian:
                              // N(0, I) on the states, its density in both terms, as printed
  std::string ortho = "v";    // statistic of α₂: v, as printed, or u, without bias
  double log_floor = 1e-2;    // ε: log Z goes on as its tangent below
  bool decoder_gradient = true;              // the decoder's loss reaches φ
  std::string latent_scale = "standardise";  // none, sqrt_d or standardise
  double latent_rate = 5e-4;                 // of the running mean and variance of φ
  std::string decoder = "gaussian";          // or tanh
  bool entropy_bonus = false;                // TRAIL's, towards an entropy of −A
  bool standardise_states = true;
  double skill_kl = 0.1;  // weight of the KL terms of opal, spirl and skild
  // phase 2: latent policy on the expert's data
  int steps = 1'000'000;
  double lr = 0;                    // 0: 3e-5 for speder and trail, 1e-4 for the others
  std::string decay = "piecewise";  // ×0.1 at 90% and ×0.01 at 95% of the steps, or none
  double logvar_low = -10;
  double logvar_high = 2;
  // evaluation
  int eval_every = 10'000;
  int eval_episodes = 10;
  int last_evaluations = 10;  // averaged into the final performance
  int final_episodes = 100;
  std::string goal = "redrawn";  // in D4RL's box for every episode, or fixed: once for the run
  std::string latent_action = "sample";  // z drawn from π_Z, or its mean
  std::string decoder_action = "mode";   // a the decoder's mean, or drawn (sample)
};

enum class MethodKind { kSpectral, kEnergy, kFourier, kSkill, kDirect };

struct ImitationMethod {
  std::string_view name;
  MethodKind kind;
  int latent;  // default size of φ
  double lr;   // of phase 2
  bool norm;   // with the normalisation term
};
[[nodiscard]] const std::vector<ImitationMethod>& imitation_methods();
/// Throws InputError that lists the names.
[[nodiscard]] const ImitationMethod& find_method(std::string_view name);

/// α₁, α₂, α₃ of the paper's coefficient table; α₃ = 0 without normalisation.
struct SpectralCoefficients {
  double mu, ortho, norm;
};
[[nodiscard]] SpectralCoefficients coefficients(const ImitateConfig& config);
[[nodiscard]] int latent_size(const ImitateConfig& config);
/// Steps a latent is held: window for skills, 1 for the others.
[[nodiscard]] int hold(const ImitateConfig& config);
/// Phase 2's learning rate at a step, decay included.
[[nodiscard]] double learning_rate(const ImitateConfig& config, std::int64_t step);

/// What a suite runs: every combination, each with `seeds` seeds; skills once for every window.
struct ImitateSuite {
  std::vector<std::string> layouts = {"medium", "large"};
  std::vector<std::string> styles = {"diverse"};
  std::vector<std::string> methods;  // empty: all
  std::vector<int> windows;          // steps t of skills; empty: base.window
  int seeds = 4;
  ImitateConfig base;
};
/// Reads a suite file with command-line text laid over it. Unknown keys are ConfigErrors.
[[nodiscard]] ImitateSuite read_imitate_suite(const std::filesystem::path& file,
                                              std::string_view overrides);
/// A suite as a store has it; what an older store does not have keeps its default.
[[nodiscard]] ImitateSuite parse_imitate_suite(std::string_view text, std::string_view name);
[[nodiscard]] std::string to_toml(const ImitateConfig& config);
[[nodiscard]] std::string to_toml(const ImitateSuite& suite);
/// The windows a method is run with: those of the suite for skills, one for the others.
[[nodiscard]] std::vector<int> windows_of(const ImitateSuite& suite, const std::string& method);

}  // namespace speder::deep
