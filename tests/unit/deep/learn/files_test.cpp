#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/nn/device.hpp"
#include "speder/deep/train/checkpoint.hpp"
#include "speder/deep/train/run_folder.hpp"
#include "speder/deep/train/saved_state.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

using namespace speder;
using namespace speder::deep;
namespace fs = std::filesystem;

namespace files_test {
namespace {

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

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

TEST_CASE("event file: what does not reach the disk is told", "[learn][files]") {
  const fs::path folder =
      fs::temp_directory_path() / ("speder_events_full_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  EventFile file(folder, 0, 1.5);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit full{40, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &full);
  CHECK_THROWS_WITH(file.scalars(2.5, {{"a", 300, 0.25}}), Catch::Contains("could not be written"));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  fs::remove_all(folder);
}

TEST_CASE("checkpoint: whatever is wrong with it is named", "[learn][files]") {
  const testing::Folder folder;
  const fs::path file = folder.path / "checkpoint.bin";
  const std::string measures = "return 5 words\n";
  save_checkpoint(folder.path, {{"abc", as_bytes("xyz")}, {"measures", as_bytes(measures)}});
  const std::string whole = content(file);
  // With a checksum that is right, so that what comes behind it is reached.
  const auto sealed = [](std::string body) {
    Crc32c crc;
    crc.add(as_bytes(body));
    const std::uint32_t value = crc.value();
    return body.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto written = [&](const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  };
  const std::string body = whole.substr(0, whole.size() - 4);
  CHECK(sealed(body) == whole);
  const Checkpoint sound = read_checkpoint(file);
  CHECK(sound.text("abc") == "xyz");
  CHECK_THROWS_WITH(sound.text("ab"), Catch::Contains("has no section 'ab'"));
  std::array<std::byte, 2> two{};
  CHECK_THROWS_WITH(sound.copy_to("abc", two), Catch::Contains("'abc' has 3 bytes, expected 2"));
  CHECK_THROWS_WITH(sound.measures("measures"), Catch::Contains("a line that is no measure"));
  CHECK_THROWS_WITH(read_checkpoint(written("")), Catch::Contains("is truncated"));
  CHECK_THROWS_WITH(read_checkpoint(written(whole.substr(0, 23))), Catch::Contains("is truncated"));
  CHECK_THROWS_WITH(read_checkpoint(written(body + "sums")), Catch::Contains("does not match"));
  CHECK_THROWS_WITH(read_checkpoint(written(sealed("S" + body.substr(1)))),
                    Catch::Contains("is no checkpoint"));
  for (std::size_t less = 1; less < body.size() - 20; ++less) {  // the magic line has 20 bytes
    const std::string cut = sealed(body.substr(0, body.size() - less));
    const bool between = less == 16 + 8 + measures.size();  // a section less, and no half of one
    CAPTURE(less);
    if (between) {
      CHECK(read_checkpoint(written(cut)).sections.size() == 1);
    } else {
      CHECK_THROWS_WITH(read_checkpoint(written(cut)), Catch::Contains("is truncated"));
    }
  }
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_checkpoint(file), Catch::Contains("cannot be opened"));
}

TEST_CASE("checkpoint: one with a number that is not finite does not replace a sound one",
          "[learn][files]") {
  const testing::Folder folder;
  SavedState state{.config = "c", .measures = {}, .counters = {1}, .tensors = {}};
  state.tensors.push_back({"w", at::zeros({2})});
  save_state(state, folder.path);
  const std::string before = content(folder.path / "checkpoint.bin");
  state.tensors[0].tensor[1] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH(save_state(state, folder.path), Catch::Contains("w is not finite"));
  CHECK(content(folder.path / "checkpoint.bin") == before);
}

TEST_CASE("presets: all load, and what is written is read back the same", "[learn][config]") {
  for (const char* name : {"small", "plain", "large", "paper"}) {
    const TrainConfig c =
        read_train_config(preset_path(name), "env = \"Ant-ET\"\nseed = 3\ntau = 0.5");
    CHECK(c.preset == name);
    CHECK(c.agent.feature_dim == (c.preset == "small" || c.preset == "plain" ? 256 : 1024));
    CHECK(c.agent.tau == 0.5);
    CHECK(c.seed == 3);
    const fs::path file =
        fs::temp_directory_path() / ("speder_config_" + std::to_string(::getpid()));
    std::ofstream(file) << to_toml(c);
    CHECK(to_toml(read_train_config(file, "")) == to_toml(c));
    fs::remove(file);
  }
}

TEST_CASE("presets: SPEDER and its control share what both can have, plain SAC has none of it",
          "[learn][config]") {
  const auto agent = [](const char* preset, const std::string& algorithm) {
    return read_train_config(preset_path(preset),
                             "env = \"cheetah_run\"\nalgorithm = \"" + algorithm + "\"")
        .agent;
  };
  for (const char* preset : {"small", "large"}) {
    CAPTURE(preset);
    const AgentConfig speder = agent(preset, "speder"), control = agent(preset, "sac3+");
    CHECK(speder.critic_width == control.critic_width);
    CHECK(speder.returns == control.returns);
    CHECK(speder.twin == control.twin);
    CHECK(speder.unit_every == control.unit_every);
    CHECK(speder.actor_observation_norm == control.actor_observation_norm);
    CHECK(speder.critic_lr == control.critic_lr);
    CHECK(speder.actor_lr == control.actor_lr);
    const AgentConfig sac = agent(preset, "sac3"), unset;
    CHECK(sac.returns == 1);
    CHECK(sac.twin == unset.twin);
    CHECK(sac.critic_lr == unset.critic_lr);
    CHECK(sac.unit_every == 0);
  }
  CHECK(agent("plain", "speder").returns == 1);
}

TEST_CASE("bad settings: unknown keys, ranges and presets are named", "[learn][config]") {
  const fs::path preset = preset_path("small");
  CHECK_THROWS_WITH(read_train_config(preset, "batchsize = 3"), Catch::Contains("batchsize"));
  CHECK_THROWS_WITH(read_train_config(preset, "discount = 1.5"), Catch::Contains("discount"));
  CHECK_THROWS_WITH(read_train_config(preset, "batch = \"many\""), Catch::Contains("batch"));
  CHECK_THROWS_AS(read_train_config(preset, "batch = "), InputError);
  CHECK_THROWS_WITH(preset_path("huge"), Catch::Contains("small plain large paper"));
}

TEST_CASE("devices: cpu always; nonsense is refused with the choices", "[learn][device]") {
  CHECK(choose_device("cpu").is_cpu());
  for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", ""}) {
    CHECK_THROWS_WITH(choose_device(name), Catch::Contains("cuda:<n>"));
  }
}

}  // namespace files_test
