// "Did you mean": what a command line that was refused has misspelled.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace kumiko::app {

/// A sentence about the first word of a refused command line that is not known, although it looks
/// like an option or stands where a command is expected: the nearest one, or where they are listed.
/// Empty where all options and commands are known.
std::string misspelling(const CLI::App& app, int argc, const char* const* argv);

}  // namespace kumiko::app
