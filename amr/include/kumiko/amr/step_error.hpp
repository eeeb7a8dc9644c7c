// Errors for a step that cannot be taken, because of its CFL number or what the solver declares.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace kumiko::amr {

/// The step would carry information further than the ghosts reach.
class CflError : public std::runtime_error {
 public:
  CflError(const std::string& message, std::int64_t smallest_steps)
      : std::runtime_error(message), smallest_steps_(smallest_steps) {}
  /// The fewest base steps of the whole run that would do for the patch and the time at which it
  /// was seen first; other patches and later times may ask for more.
  std::int64_t smallest_steps() const { return smallest_steps_; }

 private:
  std::int64_t smallest_steps_;
};

/// A step has ended with a state that the solver does not admit, or the run begins with one.
class InadmissibleState : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A solver declares what the engine cannot serve, whatever the case and the options, or has CFL
/// numbers that no step makes small enough.
class DeclarationError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace kumiko::amr
