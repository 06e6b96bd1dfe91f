#include "speder/io/library_guard.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace speder {
namespace {

constexpr int kExit = 2;
constexpr std::size_t kStack = std::size_t{1} << 16U;
constexpr std::array<int, 3> kFatal = {SIGSEGV, SIGBUS, SIGABRT};

// Of each thread: how many guards, around which library, and a stack, since the other one may be full.
thread_local int depth = 0;
thread_local const char* guarded = "";
alignas(16) thread_local std::array<char, kStack> own_stack;
thread_local bool watching = false;
thread_local stack_t before_stack;
int words = STDERR_FILENO;

void say(const char* text) { static_cast<void>(!::write(words, text, std::strlen(text))); }

// Takes no memory and no lock: it runs in a signal handler.
[[noreturn]] void end_here() {
  say(program_invocation_short_name);
  say(": error: the library ");
  say(guarded);
  say(" broke down; the memory does not suffice, or a file is damaged\n");
  ::_exit(kExit);
}

extern "C" void on_crash(int number) {
  if (depth > 0) end_here();
  std::signal(number, SIG_DFL);  // another thread's fault: as if this handler were not there
  std::raise(number);
}

void on_exit() {
  if (depth > 0) end_here();
}

bool is_free(int number) {
  struct sigaction now = {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
}

bool all_free() {
  for (const int number : kFatal) {
    if (!is_free(number)) return false;
  }
  return true;
}

}  // namespace

LibraryGuard::LibraryGuard(const char* library) {
  static const bool ends_in_words = std::atexit(on_exit) == 0;
  if (depth++ > 0 || !ends_in_words || !all_free()) return;
  guarded = library;
  const stack_t stack = {.ss_sp = own_stack.data(), .ss_flags = 0, .ss_size = own_stack.size()};
  ::sigaltstack(&stack, &before_stack);
  struct sigaction action = {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int number : kFatal) ::sigaction(number, &action, nullptr);
  watching = true;
}

LibraryGuard::~LibraryGuard() {
  if (nowhere_ >= 0) {
    ::dup2(words, STDERR_FILENO);
    ::close(words);
    ::close(nowhere_);
    words = STDERR_FILENO;
  }
  if (--depth > 0 || !watching) return;
  watching = false;
  for (const int number : kFatal) std::signal(number, SIG_DFL);
  ::sigaltstack(&before_stack, nullptr);
}

void LibraryGuard::silence() {
  nowhere_ = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const int kept = nowhere_ >= 0 ? ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
  if (kept >= 0) {
    words = kept;
    ::dup2(nowhere_, STDERR_FILENO);
  } else if (nowhere_ >= 0) {
    ::close(nowhere_);
    nowhere_ = -1;
  }
}

}  // namespace speder
