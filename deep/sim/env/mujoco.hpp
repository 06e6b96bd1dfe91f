#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
#include <memory>
#include <string>

namespace speder::deep {

// The only include of MuJoCo's headers; C handles are owned from birth (style rule 13).
struct ModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using ModelPtr = std::unique_ptr<mjModel, ModelDeleter>;
using DataPtr = std::unique_ptr<mjData, DataDeleter>;

/// Throws InputError with MuJoCo's own message when the file does not compile.
[[nodiscard]] ModelPtr load_model(const std::filesystem::path& xml);
/// A model written in code; one that does not compile is a mistake in it (std::logic_error).
[[nodiscard]] ModelPtr parse_model(const std::string& xml);
/// The same model with mjDSBL_ACTUATION set: what dm_control's reset evaluates. A second copy, so
/// that one pair of models serves every environment and thread without ever being written to.
[[nodiscard]] ModelPtr without_actuation(const mjModel& model);
[[nodiscard]] DataPtr make_data(const mjModel& model);

/// Index of a named body; address of a named sensor's first value. Throw when the name is absent.
[[nodiscard]] int body_id(const mjModel& model, const char* name);
[[nodiscard]] int sensor_address(const mjModel& model, const char* name);

/// MuJoCo's warnings of this data since mj_resetData: bad position, velocity, acceleration,
/// control, full contact or constraint buffers.
[[nodiscard]] int warning_count(const mjData& data);

}  // namespace speder::deep
