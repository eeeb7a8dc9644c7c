// Errors for a step that is not possible, because of its CFL number or the solver's declarations.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace kumiko::amr {

/// The step would carry information further than the ghosts extend.
class CflError : public std::runtime_error {
 public:
  CflError(const std::string& message, std::int64_t smallest_steps)
      : std::runtime_error(message), smallest_steps_(smallest_steps) {}
  /// The smallest number of base steps of the whole run that is enough for the patch and the time
  /// at which the error was found; other patches and later times may need more.
  std::int64_t smallest_steps() const { return smallest_steps_; }

 private:
  std::int64_t smallest_steps_;
};

/// A step has ended with a state that the solver does not admit, or the run begins with one.
class InadmissibleState : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A solver declares something that the engine does not support with any case and options, or its
/// CFL numbers are too large for any step.
class DeclarationError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace kumiko::amr
