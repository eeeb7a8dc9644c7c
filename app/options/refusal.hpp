// The messages about command lines that are refused.
#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the parser's
class App;
class ParseError;
}  // namespace CLI

namespace kumiko::app {

/// The name of a command as it is typed: "kumiko solver new".
std::string full_name(const CLI::App& command);

/// The refusal of the first option that has another option where its value should be; empty without
/// one. The parser would take that for the value.
std::string missing_value(const CLI::App& app, int argc, const char* const* argv);

/// The refusal of the first word that is not known; empty if all options and commands are.
std::string misspelling(const CLI::App& app, int argc, const char* const* argv);

/// A sentence about what is wrong with a command line: of the first word that is not known,
/// although it looks like an option or stands where a command is expected, the nearest one or where
/// they are listed; else what the parser says, and which command's help to look into.
std::string refusal_of(const CLI::App& app, int argc, const char* const* argv,
                       const CLI::ParseError& error);

}  // namespace kumiko::app
