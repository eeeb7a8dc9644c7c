#include "options/completions.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiko::app {

namespace {

using Commands = std::span<const DescribedCommand>;

/// The commands whose last word may follow this one's name.
std::vector<DescribedCommand> following(const DescribedCommand& command, Commands commands) {
  const std::string before = command.name.empty() ? "" : command.name + ' ';
  std::vector<DescribedCommand> found;
  for (const DescribedCommand& other : commands) {
    if (!other.name.starts_with(before) || other.name.size() == before.size()) continue;
    const std::string last = other.name.substr(before.size());
    if (last.find(' ') == std::string::npos) found.push_back({last, other.help});
  }
  return found;
}

/// A word for either shell, in quotes.
std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + '\'';
}

/// "' run' | ' search' | 'search join'": what is read so far and the word that leads to each
/// command.
std::string command_patterns(Commands commands) {
  std::vector<std::string> patterns;
  for (const DescribedCommand& command : commands) {
    if (command.name.empty()) continue;
    const bool has_group = command.name.find(' ') != std::string::npos;
    patterns.push_back(shell_quoted(has_group ? command.name : ' ' + command.name));
  }
  return fmt::format("{}", fmt::join(patterns, " | "));
}

/// Words to offer where no option's value is expected.
std::vector<std::string> offered(const DescribedCommand& command, Commands commands) {
  std::vector<std::string> words;
  for (const DescribedCommand& next : following(command, commands)) words.push_back(next.name);
  for (const DescribedOption& option : command.options) {
    if (option.is_argument()) {
      words.insert(words.end(), option.choices.begin(), option.choices.end());
    } else {
      words.push_back(option.name);
    }
  }
  return words;
}

constexpr const char* kBash =
    R"(# Completions of kumiko for bash, written by: kumiko --completion bash
_kumiko() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command='' offered='' at
  # "--option=value" comes as three words.
  if [[ $word == = ]]; then
    word=''
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((at = 1; at < COMP_CWORD; ++at)); do
    case "$command ${{COMP_WORDS[at]}}" in
      {commands}) command=${{command:+$command }}${{COMP_WORDS[at]}} ;;
    esac
  done
  case "$command $before" in
{values}    *)
      case $command in
{offers}      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$word"))
}}
# Where nothing is offered, files are.
complete -o default -F _kumiko kumiko)";

std::string bash(Commands commands) {
  std::string offers;
  std::string values;
  std::vector<std::string> of_files;
  for (const DescribedCommand& command : commands) {
    offers +=
        fmt::format("        {}) offered={} ;;\n", shell_quoted(command.name),
                    shell_quoted(fmt::format("{}", fmt::join(offered(command, commands), " "))));
    for (const DescribedOption& option : command.options) {
      if (option.is_argument() || option.value.empty()) continue;
      std::string pattern = shell_quoted(command.name + ' ' + option.name);
      if (!option.brief.empty()) pattern += " | " + shell_quoted(command.name + ' ' + option.brief);
      if (option.choices.empty()) {
        of_files.push_back(pattern);
      } else {
        values += fmt::format("    {}) offered={} ;;\n", pattern,
                              shell_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
      }
    }
  }
  values += fmt::format("    {}) ;;\n", fmt::join(of_files, " | "));
  return fmt::format(kBash, fmt::arg("commands", command_patterns(commands)),
                     fmt::arg("values", values), fmt::arg("offers", offers));
}

/// Text within a specification of zsh's, whose parts are divided by colons and brackets.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_value(const DescribedOption& option) {
  std::string action = "_files";
  if (!option.choices.empty()) action = fmt::format("({})", fmt::join(option.choices, " "));
  return fmt::format(":{}:{}", zsh_text(option.is_argument() ? option.name : option.value), action);
}

/// Of an option and its short form, or of an argument.
std::vector<std::string> zsh_of(const DescribedOption& option) {
  const std::string star = option.repeats ? "*" : "";
  if (option.is_argument()) return {star + zsh_value(option)};
  const bool has_value = !option.value.empty();
  const std::string rest =
      fmt::format("[{}]{}", zsh_text(option.help), has_value ? zsh_value(option) : "");
  std::vector<std::string> found = {star + option.name + (has_value ? "=" : "") + rest};
  if (!option.brief.empty()) found.push_back(star + option.brief + (has_value ? "+" : "") + rest);
  return found;
}

constexpr const char* kZsh = R"(#compdef kumiko
# Completions of kumiko for zsh, written by: kumiko --completion zsh
_kumiko() {{
  local command=''
  local -a next
  while ((CURRENT > 2)); do
    case "$command $words[2]" in
      ({commands}) command=${{command:+$command }}$words[2] ;;
      (*) break ;;
    esac
    shift words
    ((CURRENT--))
  done
  case $command in
{cases}  esac
}}
if [[ $funcstack[1] == _kumiko ]]; then
  _kumiko "$@"
else  # sourced
  compdef _kumiko kumiko
fi)";

std::string zsh(Commands commands) {
  std::string cases;
  for (const DescribedCommand& command : commands) {
    std::vector<std::string> next;
    for (const DescribedCommand& each : following(command, commands)) {
      next.push_back(shell_quoted(each.name + ':' + zsh_text(each.help)));
    }
    std::vector<std::string> specifications;
    for (const DescribedOption& option : command.options) {
      for (const std::string& each : zsh_of(option)) specifications.push_back(shell_quoted(each));
    }
    cases += fmt::format("    ({})\n", shell_quoted(command.name));
    if (!next.empty()) {
      cases += fmt::format("      next=({})\n      _describe -t commands command next && return\n",
                           fmt::join(next, " "));
    }
    cases += fmt::format("      _arguments {} ;;\n", fmt::join(specifications, " "));
  }
  return fmt::format(kZsh, fmt::arg("commands", command_patterns(commands)),
                     fmt::arg("cases", cases));
}

struct Shell {
  const char* name;
  std::string (*completions)(Commands);
};

constexpr std::array<Shell, 2> kShells = {{{"bash", bash}, {"zsh", zsh}}};

}  // namespace

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const Shell& shell : kShells) names.emplace_back(shell.name);
  return names;
}

std::string completions(const std::string& shell, std::span<const DescribedCommand> commands) {
  for (const Shell& known : kShells) {
    if (known.name == shell) return known.completions(commands);
  }
  throw std::out_of_range("there are no completions for " + shell);
}

}  // namespace kumiko::app
