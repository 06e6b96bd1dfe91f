#include "speder/cli/program.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

#include "speder/cli/last_words.hpp"
#include "speder/cli/strict.hpp"
#include "speder/cli/suggest.hpp"
#include "speder/core/check.hpp"
#include "speder/sweep/stop_signal.hpp"
#include "speder/sweep/transport.hpp"

namespace speder::cli {
namespace {

constexpr int kBadInput = 2;

int fail(const char* name, const std::string& what) {
  // libtorch appends the place in its own sources to its message.
  const std::string text = what.substr(0, what.find("\nException raised from"));
  fmt::print(stderr, "{}: error: {}\n", name, one_line(text));
  return kBadInput;
}

int refuse(const char* name, const std::string& what) {
  if (rank_in_job() == 0) return fail(name, what);
  wait_for_rank_0();
  return kBadInput;
}

int parse_and_run(CLI::App& app, const char* name, int argc, char** argv, const int& exit_code) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return refuse(name, explain(app, e, argc, argv));
  }
  if (app.get_subcommands().empty()) fmt::print("{}", app.help());
  return exit_code;
}

int run_commands(const char* name, const AddCommands& build, int argc, char** argv) {
  try {
    CLI::App app;
    int exit_code = 0;
    build(app, exit_code);
    return parse_and_run(app, name, argc, argv, exit_code);
  } catch (const Interrupted& e) {
    fmt::print(stderr, "{}: {}\n", name, e.what());
    return kInterruptedExit;
  } catch (const InputError& e) {
    return refuse(name, e.what());
  } catch (const std::bad_alloc&) {
    return lacks_memory(name);
  } catch (const std::exception& e) {
    return fail(name, e.what());
  }
}

}  // namespace

int run_program(const char* name, const AddCommands& build, int argc, char** argv) {
  // A file that grows past `ulimit -f` is then an error of the write, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  speak_last_words(name);
  int code = kBadInput;
  try {
    code = run_commands(name, build, argc, argv);
  } catch (const std::bad_alloc&) {  // while an error was put into words
    code = lacks_memory(name);
  }
  errno = 0;
  const bool arrived = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (arrived || code == kBadInput) return code;  // one line has been said already
  std::fprintf(stderr, "%s: error: standard output could not be written (%s)\n", name,
               errno != 0 ? std::strerror(errno) : "an earlier write failed");
  return kBadInput;
}

std::string json_text(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace speder::cli
