#include "speder/deep/sim/render/video.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "speder/core/check.hpp"

extern char** environ;

namespace speder::deep {
namespace {

std::vector<std::string> arguments(const std::filesystem::path& path, const VideoFormat& f) {
  return {"ffmpeg",
          "-hide_banner",
          "-loglevel",
          "error",
          "-nostdin",
          "-y",
          "-f",
          "rawvideo",
          "-pix_fmt",
          "rgb24",
          "-s",
          fmt::format("{}x{}", f.width, f.height),
          "-r",
          fmt::format("{:.6f}", f.frames_per_second),
          "-i",
          "pipe:0",
          "-vf",
          "vflip",
          "-pix_fmt",
          "yuv420p",
          "file:" + path.string()};  // file: takes any name, also one that starts with '-'
}

}  // namespace

VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoFormat& format)
    : path_(path) {
  std::signal(SIGPIPE, SIG_IGN);  // a dead ffmpeg is reported by write() and finish()
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot open a pipe");
  std::vector<std::string> words = arguments(path, format);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  const int error = posix_spawnp(&process_, "ffmpeg", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  pipe_ = ends[1];
  if (error == 0) return;
  process_ = -1;
  close_and_wait();
  throw InputError(fmt::format("video needs ffmpeg ({}); on Debian: apt-get install ffmpeg",
                               std::strerror(error)));
}

VideoWriter::~VideoWriter() { close_and_wait(); }

void VideoWriter::write(std::span<const std::uint8_t> frame) {
  while (!frame.empty()) {
    const ssize_t sent = ::write(pipe_, frame.data(), frame.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) finish();  // ffmpeg is gone: reports its exit
    if (sent < 0) throw InputError(fmt::format("{}: ffmpeg stopped reading", path_.string()));
    frame = frame.subspan(static_cast<std::size_t>(sent));
  }
}

int VideoWriter::close_and_wait() {
  if (pipe_ >= 0) close(std::exchange(pipe_, -1));
  if (process_ < 0) return 0;
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

void VideoWriter::finish() {
  const int status = close_and_wait();
  if (status != 0) throw InputError(fmt::format("{}: ffmpeg could not write it", path_.string()));
}

}  // namespace speder::deep
