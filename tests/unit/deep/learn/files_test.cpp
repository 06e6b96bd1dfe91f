#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/nn/device.hpp"
#include "speder/deep/train/checkpoint.hpp"
#include "speder/deep/train/run_folder.hpp"
#include "tests/catch.hpp"

using namespace speder;
using namespace speder::deep;
namespace fs = std::filesystem;

namespace files_test {
TEST_CASE("CRC-32C: the check value of the catalogue", "[learn][files]") {
  const std::string digits = "123456789";
  Crc32c crc;
  crc.add(std::as_bytes(std::span(digits)));
  CHECK(crc.value() == 0xE3069283U);
}

TEST_CASE("event file: framed records with the protocol-buffer fields TensorBoard reads",
          "[learn][files]") {
  const fs::path folder =
      fs::temp_directory_path() / ("speder_events_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  {
    EventFile file(folder, 0, 1.5);
    file.scalars(2.5, {{"a", 300, 0.25}});
  }
  std::ifstream in(folder / "events.out.tfevents.0000000000.speder", std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  const std::string bytes = all.str();
  fs::remove_all(folder);
  // First record: { wall_time 1.5, file_version "brain.Event:2" }: 9 + 15 bytes, framed by 8 + 4
  // and 4.
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  REQUIRE(length == 24);
  // Second, byte by byte: 09 <2.5> 10 <300 = AC 02> 2A <10> 0A <8> 0A 01 'a' 15 <0.25f>
  const std::string expected(
      "\x09\0\0\0\0\0\0\x04\x40\x10\xAC\x02\x2A\x0A\x0A\x08\x0A\x01"
      "a\x15\0\0\x80\x3E",
      24);
  REQUIRE(bytes.size() == 2 * (24 + 16));
  CHECK(bytes.substr(40 + 12, 24) == expected);
}

TEST_CASE("presets: both load, and what is written is read back the same", "[learn][config]") {
  for (const char* name : {"small", "paper"}) {
    const TrainConfig c =
        read_train_config(preset_path(name), "env = \"Ant-ET\"\nseed = 3\ntau = 0.5");
    CHECK(c.preset == name);
    CHECK(c.agent.feature_dim == (c.preset == "small" ? 256 : 1024));
    CHECK(c.agent.tau == 0.5);
    CHECK(c.seed == 3);
    const fs::path file =
        fs::temp_directory_path() / ("speder_config_" + std::to_string(::getpid()));
    std::ofstream(file) << to_toml(c);
    CHECK(to_toml(read_train_config(file, "")) == to_toml(c));
    fs::remove(file);
  }
}

TEST_CASE("bad settings: unknown keys, ranges and presets are named", "[learn][config]") {
  const fs::path preset = preset_path("small");
  CHECK_THROWS_WITH(read_train_config(preset, "batchsize = 3"), Catch::Contains("batchsize"));
  CHECK_THROWS_WITH(read_train_config(preset, "discount = 1.5"), Catch::Contains("discount"));
  CHECK_THROWS_WITH(read_train_config(preset, "batch = \"many\""), Catch::Contains("batch"));
  CHECK_THROWS_AS(read_train_config(preset, "batch = "), InputError);
  CHECK_THROWS_WITH(preset_path("huge"), Catch::Contains("small paper"));
}

TEST_CASE("devices: cpu always; nonsense is refused with the choices", "[learn][device]") {
  CHECK(choose_device("cpu").is_cpu());
  for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", ""}) {
    CHECK_THROWS_WITH(choose_device(name), Catch::Contains("cuda:<n>"));
  }
}

}  // namespace files_test
