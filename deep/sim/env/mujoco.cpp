#include "speder/deep/sim/env/mujoco.hpp"

#include <fmt/format.h>

#include <array>
#include <mutex>
#include <stdexcept>

#include "speder/core/check.hpp"
#include "speder/io/library_guard.hpp"

namespace speder::deep {
namespace {

// MuJoCo's default handler prints and appends to MUJOCO_LOG.TXT in the working folder. Warnings are
// counted per simulation in mjData instead (warning_count) and end the episode.
void silence_warnings() {
  static std::once_flag once;
  std::call_once(once, [] { mju_user_warning = [](const char*) {}; });
}

}  // namespace

ModelPtr load_model(const std::filesystem::path& xml) {
  const LibraryGuard guard("MuJoCo");
  silence_warnings();
  std::array<char, 1024> error{};
  ModelPtr model(mj_loadXML(xml.c_str(), nullptr, error.data(), static_cast<int>(error.size())));
  if (!model) throw InputError(fmt::format("{}: MuJoCo: {}", xml.string(), error.data()));
  return model;
}

ModelPtr parse_model(const std::string& xml) {
  const LibraryGuard guard("MuJoCo");
  silence_warnings();
  std::array<char, 1024> error{};
  const std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)> spec(
      mj_parseXMLString(xml.c_str(), nullptr, error.data(), static_cast<int>(error.size())),
      mj_deleteSpec);
  if (!spec) throw std::logic_error(fmt::format("MuJoCo: {}", error.data()));
  ModelPtr model(mj_compile(spec.get(), nullptr));
  if (!model) throw std::logic_error(fmt::format("MuJoCo: {}", mjs_getError(spec.get())));
  return model;
}

ModelPtr without_actuation(const mjModel& model) {
  const LibraryGuard guard("MuJoCo");
  ModelPtr copy(mj_copyModel(nullptr, &model));
  if (!copy) throw std::runtime_error("MuJoCo could not copy the model");
  copy->opt.disableflags |= mjDSBL_ACTUATION;
  return copy;
}

DataPtr make_data(const mjModel& model) {
  const LibraryGuard guard("MuJoCo");
  DataPtr data(mj_makeData(&model));
  if (!data) throw std::runtime_error("MuJoCo could not allocate simulation data");
  return data;
}

int body_id(const mjModel& model, const char* name) {
  const int id = mj_name2id(&model, mjOBJ_BODY, name);
  require(id >= 0, "the model lacks a body the task needs", name);
  return id;
}

int sensor_address(const mjModel& model, const char* name) {
  const int id = mj_name2id(&model, mjOBJ_SENSOR, name);
  require(id >= 0, "the model lacks a sensor the task needs", name);
  return model.sensor_adr[id];
}

int warning_count(const mjData& data) {
  int count = 0;
  for (const mjWarningStat& warning : data.warning) count += warning.number;
  return count;
}

}  // namespace speder::deep
