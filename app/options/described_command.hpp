// A command's options as data, from which the man page and the shells' completions are made.
#pragma once

#include <string>
#include <vector>

namespace kumiko::app {

/// An option as its command declares it, or an argument.
struct DescribedOption {
  std::string name;  ///< without dashes for an argument
  std::string help;
  std::string value = {};   ///< stands for what the option takes; empty for a flag
  std::string limits = {};  ///< which values it can have, in words; empty where any will do
  std::vector<std::string> choices = {};  ///< all its values, if they are a few words
  bool is_required = false;
  bool repeats = false;    ///< it may be given several times
  std::string brief = {};  ///< "-o"; empty without a short form

  bool is_argument() const { return !name.starts_with('-'); }
};

struct DescribedCommand {
  std::string name;  ///< as typed after "kumiko": "search join"; empty for the program itself
  std::string help;
  std::vector<DescribedOption> options = {};
  bool is_group = false;  ///< it does nothing without a second word
};

}  // namespace kumiko::app
