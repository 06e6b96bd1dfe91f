#include "speder/plots/render/process.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "speder/core/check.hpp"

extern char** environ;  // NOLINT: POSIX

namespace speder {
namespace {

// A file in memory: unlike a pipe it never fills up and never raises SIGPIPE.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "no memory for what a process reads or writes");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  [[nodiscard]] int descriptor() const { return descriptor_; }

  void write(const std::string& text) const {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::write(descriptor_, text.data() + done, text.size() - done);
      require(n > 0, "no memory for what a process reads or writes");
      done += static_cast<std::size_t>(n);
    }
    ::lseek(descriptor_, 0, SEEK_SET);
  }
  [[nodiscard]] std::string read() const {
    ::lseek(descriptor_, 0, SEEK_SET);
    std::string out;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::read(descriptor_, buffer.data(), buffer.size())) > 0;) {
      out.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return out;
  }

 private:
  int descriptor_;
};

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& input) {
  const MemoryFile in("input");
  const MemoryFile output("output");
  const MemoryFile error("error");
  in.write(input);
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, error.descriptor(), STDERR_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return {};
  const int exit_code = wait_for(child);
  return {.started = true, .exit_code = exit_code, .output = output.read(), .error = error.read()};
}

}  // namespace speder
