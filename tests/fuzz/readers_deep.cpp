// Readers of the deep column; none of them needs libtorch or MuJoCo.
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "speder/core/check.hpp"
#include "speder/deep/imitate/config.hpp"
#include "speder/deep/sim/controller.hpp"
#include "speder/deep/sim/data/offline.hpp"
#include "speder/deep/sim/data/part_file.hpp"
#include "speder/deep/train/checkpoint.hpp"
#include "tests/fuzz/file.hpp"
#include "tests/fuzz/readers.hpp"

namespace speder::fuzz {
namespace {

/// Every table as long as it says: what later code indexes by.
void walk(const deep::OfflineData& data) {
  const std::size_t rows = data.rows();
  const auto width = [](int n) { return static_cast<std::size_t>(n); };
  if (data.observations.size() != rows * width(data.observation_size) ||
      data.actions.size() != rows * width(data.action_size) || data.rewards.size() != rows ||
      data.terminals.size() != rows || data.last.back() != 1) {
    throw std::logic_error("tables of different lengths were accepted");
  }
  (void)data.transitions();
}

bool d4rl(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { walk(deep::read_d4rl(file.path())); });
}

bool minari(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { walk(deep::read_minari(file.path())); });
}

/// With the task's sizes of the corpus: three observations, one action.
bool policy(Bytes bytes) {
  const File file(bytes);
  return accepted([&] {
    deep::EnvSpec spec;
    spec.observation_size = 3;
    spec.action_size = 1;
    const deep::Controller act = deep::network_controller(file.path(), spec);
    const std::vector<double> observation(3, 0.5);
    std::vector<double> action(1);
    act(observation, action);
  });
}

void read_sections(const deep::Checkpoint& c) {
  (void)c.text("config");
  (void)c.measures("measures");
  std::vector<std::int64_t> counters(c.section("counters").size() / sizeof(std::int64_t));
  c.copy_to("counters", std::as_writable_bytes(std::span(counters)));
}

/// As it is; then with the right checksum, behind which a fuzzer would not get by chance.
bool checkpoint(Bytes bytes) {
  const auto read = [](Bytes content) {
    const File file(content);
    return accepted([&] { read_sections(deep::read_checkpoint(file.path())); });
  };
  if (read(bytes)) return true;
  std::vector<std::uint8_t> mended(bytes.begin(), bytes.end());
  std::uint32_t sum = 0;
  if (mended.size() < sizeof sum) return false;
  deep::Crc32c crc;
  crc.add(std::as_bytes(std::span(mended)).first(mended.size() - sizeof sum));
  sum = crc.value();
  std::memcpy(mended.data() + mended.size() - sizeof sum, &sum, sizeof sum);
  return read(mended);
}

/// Accepted when there is a whole record. A damaged tail is cut off, not refused.
bool part(Bytes bytes) {
  const File file(bytes);
  bool any = false;
  return accepted([&] {
           deep::PartFile part(file.path(), "title");
           for (deep::PartFile::Record r; part.next(r);) any = true;
         }) &&
         any;
}

bool imitate_suite(Bytes bytes) {
  const File file(bytes);
  return accepted([&] { (void)deep::read_imitate_suite(file.path(), ""); });
}

}  // namespace

const std::vector<Reader>& deep_readers() {
  static const std::vector<Reader> table = {
      {"d4rl", d4rl}, {"minari", minari},         {"policy", policy},
      {"part", part}, {"checkpoint", checkpoint}, {"imitate", imitate_suite}};
  return table;
}

}  // namespace speder::fuzz
