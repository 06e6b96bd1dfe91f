#include "speder/deep/train/run_folder.hpp"

#include <chrono>

#include "speder/core/check.hpp"
#include "speder/deep/learn/nn/device.hpp"
#include "speder/deep/train/events.hpp"
#include "speder/io/hdf5.hpp"
#include "speder/io/text_file.hpp"

namespace speder::deep {
namespace {

namespace fs = std::filesystem;

double wall_time() {  // for TensorBoard's axis alone; no result depends on it
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// The mean action as a plain network: the last layer keeps the rows of the mean.
void write_policy(const fs::path& path, const std::vector<NamedTensor>& tensors, int actions) {
  std::vector<Tensor> layers;
  for (const NamedTensor& t : tensors) {
    if (t.name.starts_with("actor.")) layers.push_back(t.tensor.detach().to(at::kCPU));
  }
  H5File file = H5File::create(path);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Tensor t = layers[i];
    if (i + 2 >= layers.size()) t = t.narrow(0, 0, actions);
    t = t.contiguous();
    std::vector<std::uint64_t> shape;
    for (const auto n : t.sizes()) shape.push_back(static_cast<std::uint64_t>(n));
    file.write(fmt::format("{}_{}", i % 2 == 0 ? "weight" : "bias", i / 2),
               std::span<const float>(t.data_ptr<float>(), static_cast<std::size_t>(t.numel())),
               shape);
  }
  file.commit();
}

void refuse_second_start(const RunFolder& folder) {
  const bool started = fs::exists(folder.path / "checkpoint.bin") ||
                       fs::exists(folder.path / "checkpoint.previous.bin");
  if (started && !folder.resume) {
    throw InputError(
        fmt::format("{}: holds a checkpoint; add --resume to go on, or name another folder",
                    folder.path.string()));
  }
}

void prepare(const TrainConfig& config, const RunFolder& folder) {
  std::error_code error;
  fs::create_directories(folder.path, error);
  if (error) {
    throw InputError(fmt::format("{}: cannot be made: {}", folder.path.string(), error.message()));
  }
  refuse_second_start(folder);
  write_text_file(folder.path / "config.toml", to_toml(config));
}

}  // namespace

GridCell cell_of(const TrainConfig& config) {
  GridCell cell;
  cell.set("algorithm", config.agent.algorithm)
      .set("env", config.env)
      .set("preset", config.preset)
      .set("steps", config.steps);
  return cell;
}

RunKey key_of(const std::string& experiment, const TrainConfig& config) {
  return {experiment, cell_of(config).key(), static_cast<std::int64_t>(config.seed)};
}

void check_run(const TrainConfig& config, const RunFolder& folder) {
  static_cast<void>(choose_device(folder.device));
  static_cast<void>(load_physics(config.env, packages_folder(folder.packages)));
  refuse_second_start(folder);
}

TrainResult train_in_folder(const TrainConfig& config, const RunFolder& folder,
                            const TrainObserver& observer) {
  const Device device = choose_device(folder.device);
  const auto physics = load_physics(config.env, packages_folder(folder.packages));
  prepare(config, folder);
  std::optional<EventFile> events;
  const auto scalars = [&](std::int64_t step, const Values& values) {
    if (!events) events.emplace(folder.path, step, wall_time());
    events->scalars(step, wall_time(), values);
  };
  TrainObserver both = observer;
  both.progress = [&](const Progress& p) {
    Values values = {{"train/episode_return", p.episode_return}};
    for (const auto& [name, value] : p.losses) values.emplace_back("loss/" + name, value);
    scalars(p.step, values);
    if (observer.progress) observer.progress(p);
  };
  both.evaluation = [&](std::int64_t step, const Evaluation& e) {
    scalars(step, {{"eval/return", e.mean}, {"eval/length", e.mean_length}});
    if (observer.evaluation) observer.evaluation(step, e);
  };
  TrainResult result = train(config, physics,
                             {.device = device,
                              .checkpoints = folder.path,
                              .checkpoint_every = folder.checkpoint_every,
                              .resume = folder.resume},
                             both);
  if (result.end == TrainEnd::kFinished && config.agent.algorithm != "ppo") {
    write_policy(folder.path / "policy.h5", result.tensors, physics->spec.action_size);
  }
  return result;
}

Run to_run(const std::string& experiment, const TrainConfig& config, const TrainResult& result,
           double seconds) {
  return {.key = key_of(experiment, config),
          .measures = result.measures,
          .failed = result.end == TrainEnd::kDiverged,
          .error = result.problem,
          .seconds = seconds};
}

}  // namespace speder::deep
