#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <span>

namespace speder::deep {

struct VideoFormat {
  int width = 0;
  int height = 0;
  double frames_per_second = 0;
};

/// Frames piped to an ffmpeg process. Started with an argument vector, never through a shell.
class VideoWriter {
 public:
  /// Throws InputError when ffmpeg is not installed.
  VideoWriter(const std::filesystem::path& path, const VideoFormat& format);
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;
  ~VideoWriter();

  /// RGB, bottom row first (Renderer's order).
  void write(std::span<const std::uint8_t> frame);
  /// Waits for ffmpeg; throws InputError when it failed.
  void finish();

 private:
  int close_and_wait();
  std::filesystem::path path_;
  pid_t process_ = -1;
  int pipe_ = -1;
};

}  // namespace speder::deep
