// Declares the options of commands, and reads the command line that gives them their values. Does
// not include the parser's header, which is heavy, because each command includes this one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "options/value_check.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the parser's
class App;
}  // namespace CLI

namespace kumiko::app {

struct DescribedCommand;

/// How an option may be given.
struct Rules {
  bool is_required = false;
  bool repeats = false;   ///< several times, with one value each
  bool lists = false;     ///< several values in one word, with commas between them
  ValueCheck check = {};  ///< finds faults of values
};

/// Where an option's value goes, by its type. A bool's option has no value.
using Target = std::variant<bool*, int*, std::uint64_t*, std::string*, std::filesystem::path*,
                            std::vector<int>*, std::vector<double>*, std::vector<std::string>*,
                            std::vector<std::filesystem::path>*>;

/// The options of one command. A copy is of the same command.
class Options {
 public:
  /// Both must live as long as the options do.
  Options(CLI::App& command, DescribedCommand& described)
      : command_(&command), described_(&described) {}

  /// Declares an option, or an argument where the name has no dashes. The help shows the
  /// target's value as the default, unless that is empty or 0.
  void add(const std::string& name, const Target& target, const std::string& help,
           const Rules& rules = {});

  /// Declares --help-keys, which shows a text in place of running the command. It takes the name of
  /// a table or none, which is empty in the call that makes the text; that may throw RequestError.
  void add_help_keys(std::function<std::string(const std::string& table)> text);

  /// True if the command line has the option.
  bool is_given(const std::string& name) const;

 private:
  CLI::App* command_;
  DescribedCommand* described_;
};

/// Runs a command with the values that its options have. \return an exit code
using Action = std::function<int()>;

/// A command of the program.
struct Command {
  const char* name;  ///< two words for a command of a group, which comes first, with a name of one
  const char* help;
  const char* example;  ///< a command line at the end of its help; empty for a group
  /// Declares the command's options; null for a group. The action may throw RequestError before any
  /// work is done, or another exception when it fails.
  Action (*make)(Options& options);
  /// True if several ranks run it together. If a launcher has started ranks, any other command is a
  /// wrong request, because each rank would do the same.
  bool takes_ranks = false;
};

/// Reads the command line, and runs the command that it names. Throws RequestError. \return an exit
/// code
int run_command_line(std::span<const Command> commands, int argc, char** argv);

}  // namespace kumiko::app
