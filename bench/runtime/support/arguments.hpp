// Reads a benchmark's command line of words name=value.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kumiko::bench {

/// The command line of a benchmark program: words of the form name=value, in any order.
class Arguments {
 public:
  /// \throws std::invalid_argument for a word without '='.
  Arguments(int argc, char** argv);

  /// The value of `name`, which is `fallback` unless it was given.
  /// \throws std::invalid_argument if it is not an integer.
  long integer(const std::string& name, long fallback);
  double real(const std::string& name, double fallback);
  std::string text(const std::string& name, const std::string& fallback);

  /// \throws std::invalid_argument if a name was given that nobody has asked for.
  void reject_unknown() const;

  /// Every name that was asked for, with its value.
  const std::map<std::string, std::string>& asked() const noexcept { return asked_; }

 private:
  std::map<std::string, std::string> given_;
  std::map<std::string, std::string> asked_;
};

}  // namespace kumiko::bench
