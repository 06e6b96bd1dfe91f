#pragma once

#include <unistd.h>

#include <filesystem>

/// A folder of this process's own, removed at the end of the test.
struct Scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("speder_mdp_" + std::to_string(::getpid()));
  Scratch() { std::filesystem::create_directories(path); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(path); }
};
