#include "speder/cli/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "speder/cli/strict.hpp"
#include "speder/core/names.hpp"

namespace speder::cli {
namespace {

std::vector<const CLI::App*> below(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : below(app)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::string near = nearest_name(word, names);
  return near.empty() ? "" : fmt::format("did you mean {}? ", near);
}

// "speder mdp": the program's name and the commands that were given so far.
std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : path_of(*app.get_parent()) + " " + app.get_name();
}

std::string unknown_option(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return fmt::format("{} has no option {}; {}{} --help shows the options", path_of(app), name,
                     did_you_mean(name, options_of(app)), path_of(app));
}

std::string no_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = commands_of(app);
  const std::string there = fmt::format("the commands are: {}", fmt::join(names, ", "));
  if (word.empty()) return fmt::format("{} needs a command; {}", path_of(app), there);
  return fmt::format("{} has no command '{}'; {}{}", path_of(app), word, did_you_mean(word, names),
                     there);
}

}  // namespace

std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc,
                    const char* const* argv) {
  const auto plain = [&](const CLI::App& at) {
    return fmt::format("{} ({} --help shows the options)", one_line(error.what()), path_of(at));
  };
  const CLI::App* at = &app;
  int next = 1;
  for (; next < argc; ++next) {  // down the commands that were understood
    const auto commands = below(*at);
    const auto found = std::ranges::find(commands, std::string(argv[next]), &CLI::App::get_name);
    if (found == commands.end()) break;
    at = *found;
  }
  const std::string word = next < argc ? argv[next] : "";
  const bool is_option = word.starts_with("-");
  if (!commands_of(*at).empty() && !is_option) return no_command(*at, word);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return plain(*at);
  for (const std::string& rest : app.remaining(true))
    if (rest.starts_with("--")) return unknown_option(*at, rest);
  return plain(*at);
}

}  // namespace speder::cli
