#include "speder/deep/train/run_folder.hpp"

#include <bit>
#include <chrono>
#include <cstring>

#include "speder/core/check.hpp"
#include "speder/deep/learn/nn/device.hpp"
#include "speder/deep/train/checkpoint.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/io/hdf5.hpp"
#include "speder/io/text_file.hpp"

namespace speder::deep {
namespace {

namespace fs = std::filesystem;

// Wire types of protocol buffers.
constexpr unsigned kVarint = 0;
constexpr unsigned kFixed64 = 1;
constexpr unsigned kBytes = 2;
constexpr unsigned kFixed32 = 5;

template <class T>
std::string raw(T value) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
  out.push_back(static_cast<char>(value));
  return out;
}

std::string field(unsigned number, unsigned type, const std::string& payload) {
  const std::string key = varint((number << 3U) | type);
  return type == kBytes ? key + varint(payload.size()) + payload : key + payload;
}

/// TFRecord masks its checksums, since the checksum of data that contain one is weak.
std::uint32_t masked_crc(std::string_view data) {
  Crc32c crc;
  crc.add(std::as_bytes(std::span(data.data(), data.size())));
  return std::rotr(crc.value(), 15) + 0xA282EAD8U;
}

double wall_time() {  // for TensorBoard's axis alone; no result depends on it
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// The mean action as a plain network: the last layer keeps the rows of the mean.
void write_policy(const fs::path& path, const std::vector<NamedTensor>& tensors, int actions) {
  std::vector<Tensor> layers;
  Tensor units;
  for (const NamedTensor& t : tensors) {
    if (t.name.starts_with("actor.")) layers.push_back(t.tensor.detach().to(at::kCPU));
    if (t.name == "actor_units.moments") units = t.tensor.detach().to(at::kCPU);
  }
  if (units.defined()) {  // W((s − m)/σ) + b = (W/σ)s + (b − (W/σ)m)
    layers[0] = layers[0] * units[1];
    layers[1] = layers[1] - at::mv(layers[0], units[0]);
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

void check_start(const RunFolder& folder) {
  if (folder.start == Start::kEither) return;
  const bool started = has_checkpoint(folder.path);
  if (started && folder.start == Start::kNew) {
    throw InputError(
        fmt::format("{}: holds a checkpoint; add --resume to go on, or name another folder",
                    folder.path.string()));
  }
  if (!started && folder.start == Start::kResume) {
    throw InputError(
        fmt::format("{}: holds no checkpoint to go on from; name the folder of a run that has one, "
                    "or leave out --resume to start from the beginning",
                    folder.path.string()));
  }
}

void prepare(const TrainConfig& config, const RunFolder& folder) {
  make_folder(folder.path);
  check_start(folder);
  write_text_file(folder.path / "config.toml", to_toml(config));
}

}  // namespace

EventFile::EventFile(const std::filesystem::path& folder, std::int64_t first_step, double wall_time)
    : path_(folder / fmt::format("events.out.tfevents.{:010}.speder", first_step)), out_(path_) {
  // Event { 1: wall_time, 3: file_version }
  record(field(1, kFixed64, raw(wall_time)) + field(3, kBytes, "brain.Event:2"));
}

void EventFile::scalars(double wall_time, const std::vector<Measure>& measures) {
  std::string summary;  // Summary { 1: repeated Value { 1: tag, 2: simple_value } }
  for (const Measure& m : measures) {
    const std::string value = raw(static_cast<float>(m.value));
    summary += field(1, kBytes, field(1, kBytes, m.metric) + field(2, kFixed32, value));
  }
  const auto step = static_cast<std::uint64_t>(measures.at(0).n);
  // Event { 1: wall_time, 2: step, 5: summary }
  record(field(1, kFixed64, raw(wall_time)) + field(2, kVarint, varint(step)) +
         field(5, kBytes, summary));
}

void EventFile::record(std::string_view data) {
  std::string all = raw(std::uint64_t{data.size()});
  all += raw(masked_crc(all));
  all += data;
  all += raw(masked_crc(data));
  out_.add(all);
  size_ += all.size();
  crc_.add(as_bytes(all));
}

void EventFile::finish() {
  out_.finish();
  Crc32c read;
  read.add(as_bytes(read_text_file(path_, size_)));
  if (read.value() == crc_.value()) return;
  throw InputError(path_.string() + ": could not be written (it reads back as other bytes)");
}

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
  const auto physics = load_physics(config.env, packages_folder(folder.packages));
  // What its making refuses is refused here, before a folder is there.
  static_cast<void>(make_agent(config.agent, physics->spec, at::kCPU, SeedTree(config.seed)));
  check_start(folder);
}

TrainResult train_in_folder(const TrainConfig& config, const RunFolder& folder,
                            const TrainObserver& observer) {
  const Device device = choose_device(folder.device);
  const auto physics = load_physics(config.env, packages_folder(folder.packages));
  prepare(config, folder);
  std::optional<EventFile> events;
  const auto log = [&](const std::vector<Measure>& measures) {
    if (!events) events.emplace(folder.path, measures.at(0).n, wall_time());
    events->scalars(wall_time(), measures);
  };
  TrainObserver both = observer;
  both.progress = [&](const Progress& p) {
    std::vector<Measure> shown = {{"train/episode_return", p.step, p.episode_return}};
    for (const Measure& m : p.losses) shown.push_back({"loss/" + m.metric, m.n, m.value});
    log(shown);
    if (observer.progress) observer.progress(p);
  };
  both.evaluation = [&](std::int64_t step, const Evaluation& e) {
    log({{"eval/return", step, e.mean}, {"eval/length", step, e.mean_length}});
    if (observer.evaluation) observer.evaluation(step, e);
  };
  TrainResult result = train(config, physics,
                             {.device = device,
                              .checkpoints = folder.path,
                              .checkpoint_every = folder.checkpoint_every,
                              .resume = folder.start != Start::kNew},
                             both);
  if (events) events->finish();
  if (result.end == TrainEnd::kFinished && result.network_policy) {
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
