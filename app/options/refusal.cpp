#include "options/refusal.hpp"

#include <algorithm>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kumiko/io/nearest.hpp>

#include "options/value_check.hpp"

namespace kumiko::app {

namespace {

std::string where_listed(const CLI::App& command) {
  return fmt::format("see '{} --help'", full_name(command));
}

/// True if a command below this one takes an option of this name.
bool is_option_below(const CLI::App& command, const std::string& name) {
  return std::ranges::any_of(command.get_subcommands({}), [&](const CLI::App* below) {
    return below->get_option_no_throw(name) != nullptr || is_option_below(*below, name);
  });
}

std::string unknown_option(const CLI::App& command, const std::string& name) {
  if (is_option_below(command, name)) {
    return fmt::format(
        "'{}' stands before the command that takes it; options of a command follow it, as in "
        "'{} COMMAND {}'",
        name, full_name(command), name);
  }
  std::vector<std::string> known;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& each : option->get_lnames()) known.push_back(each);
  }
  // Dashes would make up for letters.
  const std::size_t dashes = std::min(name.find_first_not_of('-'), name.size());
  if (const auto meant = io::nearest(name.substr(dashes), known)) {
    return fmt::format("unknown option '{}'; did you mean '--{}'?", name, *meant);
  }
  return fmt::format("unknown option '{}'; {}", name, where_listed(command));
}

std::vector<std::string> names_of_commands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* const each : command.get_subcommands({})) names.push_back(each->get_name());
  return names;
}

std::string unknown_command(const CLI::App& command, const std::string& name) {
  if (name == "help") return fmt::format("'help' is not a command; {}", where_listed(command));
  const std::vector<std::string> known = names_of_commands(command);
  if (const auto meant = io::nearest(name, known)) {
    return fmt::format("unknown command '{}'; did you mean '{}'?", name, *meant);
  }
  return fmt::format("unknown command '{}'; the commands are {}; {}", name, fmt::join(known, ", "),
                     where_listed(command));
}

/// Neither a negative number nor "-".
bool is_option_of(const CLI::App& command, const std::string& word) {
  const bool is_short = word.size() == 2 && word.front() == '-' && word.back() >= 'A';
  if (is_short) return command.get_option_no_throw(word) != nullptr;
  return word.starts_with("--") && word.size() > 2 &&
         command.get_option_no_throw(word.substr(0, word.find('='))) != nullptr;
}

/// The command as far as the parser got.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

/// "FILE", "NAME and FILE"; empty where a command takes no arguments.
std::string arguments_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_positional()) names.push_back(option->get_name(true));
  }
  return listed(names, "and");
}

/// The parser's message, in plain words.
std::string in_plain_words(const CLI::App& command, const CLI::ParseError& error) {
  std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // Of several the first that was typed, which is the last that is listed.
    const std::string extra = what.substr(std::max(what.rfind(' '), what.rfind(": ") + 1) + 1);
    const std::string taken = arguments_of(command);
    return fmt::format("'{}' is one argument too many; '{}' takes {}", extra, full_name(command),
                       taken.empty() ? "options only" : "one " + taken);
  }
  const bool is_miscounted = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr &&
                             what.find(" required ") != what.npos;
  if (is_miscounted) {
    const bool has_several = what.find("At Most") != what.npos;
    return what.substr(0, what.find(':')) + (has_several ? " is given twice" : " needs a value");
  }
  const bool lacks_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
                             command.get_require_subcommand_min() > 0;
  if (lacks_command) {
    return fmt::format("'{}' needs a command: {}", full_name(command),
                       fmt::join(names_of_commands(command), ", "));
  }
  return what;
}

}  // namespace

std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + ' ' + command.get_name();
}

std::string missing_value(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* command = &app;
  for (int at = 1; at + 1 < argc; ++at) {
    const std::string word = argv[at];
    if (word == "--") return {};
    if (word.size() > 1 && word.front() == '-') {
      const CLI::Option* const option = command->get_option_no_throw(word);
      if (option == nullptr || option->get_items_expected_min() == 0) continue;
      if (is_option_of(*command, argv[at + 1])) {
        return fmt::format("'{}' needs a value, but the next word is the option '{}'; {}", word,
                           argv[at + 1], where_listed(*command));
      }
      ++at;
      continue;
    }
    const std::vector<const CLI::App*> commands = command->get_subcommands({});
    const auto next = std::ranges::find(commands, word, &CLI::App::get_name);
    if (next != commands.end()) command = *next;
  }
  return {};
}

std::string misspelling(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* command = &app;
  for (int at = 1; at < argc; ++at) {
    const std::string word = argv[at];
    if (word == "--") return {};
    if (word.size() > 1 && word.front() == '-') {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* const option = command->get_option_no_throw(name);
      if (option == nullptr) return unknown_option(*command, name);
      const bool takes_next = name == word && option->get_items_expected_max() > 0;
      if (takes_next) ++at;
      continue;
    }
    const std::vector<const CLI::App*> commands = command->get_subcommands({});
    if (commands.empty()) continue;  // an argument
    const auto next = std::ranges::find(commands, word, &CLI::App::get_name);
    if (next == commands.end()) return unknown_command(*command, word);
    command = *next;
  }
  return {};
}

std::string refusal_of(const CLI::App& app, int argc, const char* const* argv,
                       const CLI::ParseError& error) {
  std::string typo = misspelling(app, argc, argv);
  if (!typo.empty()) return typo;
  const CLI::App& command = innermost(app);
  std::string what = in_plain_words(command, error);
  return what.ends_with('?') ? what : fmt::format("{}; {}", what, where_listed(command));
}

}  // namespace kumiko::app
