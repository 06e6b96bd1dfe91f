#include "speder/cli/last_words.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

namespace speder::cli {
namespace {

constexpr int kExit = 2;
const char* program_name = "speder";
std::atomic<bool> memory_failed = false;
std::terminate_handler abort_as_ever = nullptr;

void note_lack() {
  memory_failed = true;
  throw std::bad_alloc();
}

[[noreturn]] void say_and_end() {
  static std::atomic_flag said;
  while (said.test_and_set()) ::pause();  // another thread is saying it
  static_cast<void>(lacks_memory(program_name));
  ::_exit(kExit);  // stores and files are whole at every moment
}

// Libraries let no exception out of some functions, among them checks of CLI11 and destructors of SQLiteC++, and a
// thread of a sweep may lack the memory to say that it lacks memory.
[[noreturn]] void end_in_words() {
  bool memory = memory_failed;
  try {
    if (const std::exception_ptr active = std::current_exception()) std::rethrow_exception(active);
  } catch (const std::bad_alloc&) {
    memory = true;
  } catch (...) {  // the first cause may still be memory
  }
  if (memory) say_and_end();
  abort_as_ever();
  std::abort();
}

}  // namespace

void speak_last_words(const char* program) {
  program_name = program;
  std::set_new_handler(note_lack);
  abort_as_ever = std::set_terminate(end_in_words);
}

int lacks_memory(const char* program) {
  std::fputs(program, stderr);
  std::fputs(": error: the memory does not suffice for this; smaller sizes need less\n", stderr);
  return kExit;
}

}  // namespace speder::cli

// In place of the C library's: nlohmann's JSON asserts in a destructor that its values are there, and they are
// not when memory ran out half-way through making them.
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
extern "C" [[noreturn]] void __assert_fail(const char* assertion, const char* file,
                                           unsigned int line, const char* function) noexcept {
  if (speder::cli::memory_failed) speder::cli::say_and_end();
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
  std::abort();
}
