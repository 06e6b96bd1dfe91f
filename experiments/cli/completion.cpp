#include <fmt/format.h>

#include "speder/experiments/cli/command.hpp"

namespace speder::cli {
namespace {

struct Cases {
  std::string paths;   // the commands, each a pattern of the first `case`
  std::string values;  // what follows an option, by command and option
  std::string words;   // subcommands and options, by command
};

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// "TEXT:{theory,tuned,none}" → "theory tuned none"
std::string choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return "";
  std::string words = type.substr(open + 1, close - open - 1);
  for (char& c : words) {
    if (c == ',') c = ' ';
  }
  return words;
}

bool is_number(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
}

void add_option(const CLI::Option& option, const std::string& path, std::string& words,
                Cases& cases) {
  std::string patterns;
  const auto add = [&](const std::string& name) {
    words += " " + name;
    patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", path, name);
  };
  for (const std::string& name : option.get_lnames()) add("--" + name);
  for (const std::string& name : option.get_snames()) add("-" + name);
  if (patterns.empty() || option.get_items_expected_max() == 0) return;  // positional, or a flag
  if (const std::string listed = choices(option); !listed.empty()) {
    cases.values += fmt::format("    {}) words='{}'; files=no ;;\n", patterns, listed);
  } else if (is_number(option)) {
    cases.values += fmt::format("    {}) return ;;\n", patterns);
  } else {
    cases.values += fmt::format("    {}) words='' ;;\n", patterns);
  }
}

void collect(const CLI::App& app, const std::string& path, Cases& cases) {
  std::string words;
  for (const CLI::App* command : subcommands(app)) {
    const std::string below = path + " " + command->get_name();
    words += " " + command->get_name();
    cases.paths += fmt::format("{}'{}'", cases.paths.empty() ? "" : "|", below);
    collect(*command, below, cases);
  }
  for (const CLI::Option* option : app.get_options()) add_option(*option, path, words, cases);
  cases.words +=
      fmt::format("    '{}') words='{}' ;;\n", path, words.empty() ? "" : words.substr(1));
}

std::string bash_completion(const CLI::App& app, const std::string& program) {
  Cases cases;
  collect(app, "", cases);
  return fmt::format(R"(# bash completion of {0}, made by: {0} completion bash
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local path='' words='' files=yes word
  COMPREPLY=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in {1}) path="$path $word" ;; esac
  done
  case "$path" in
{3}  esac
  case "$path $before" in
{2}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ $files = yes && $current != -* ]]; then
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _{0} {0}
)",
                     program, cases.paths, cases.values, cases.words);
}

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print the shell's completion script");
  command->add_option("shell", *shell, "bash")->required()->check(CLI::IsMember({"bash"}));
  command->footer(
      "It is made from the options of this very program, so it never names one that is not there.\n"
      "\nFor this shell, then for every shell to come:\n"
      "  source <(speder completion bash)\n"
      "  speder completion bash > ~/.local/share/bash-completion/completions/speder");
  command->callback([&app, shell] {  // bash is the only one so far
    (void)shell;
    fmt::print("{}", bash_completion(app, "speder"));
  });
}

}  // namespace speder::cli
