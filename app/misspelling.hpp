// Says why a command line was refused, in words for whoever typed it.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace kumiko::app {

/// A sentence about what is wrong with a command line: of the first word that is not known,
/// although it looks like an option or stands where a command is expected, the nearest one or where
/// they are listed; else what the parser says, and which command's help to look into.
std::string refusal_of(const CLI::App& app, int argc, const char* const* argv,
                       const CLI::ParseError& error);

}  // namespace kumiko::app
