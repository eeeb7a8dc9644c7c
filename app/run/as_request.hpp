// Turns errors of a request's input into RequestErrors.
#pragma once

#include <cstdint>
#include <stdexcept>

#include <kumiko/amr/step_error.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/output_folder.hpp>

#include "terminal/request.hpp"

namespace kumiko::app {

/// A step is too long for the solver's ghosts.
class TooFewSteps : public RequestError {
 public:
  explicit TooFewSteps(const amr::CflError& error)
      : RequestError(io::with_keys(error.what())), smallest_(error.smallest_steps()) {}
  /// The number that amr::CflError::smallest_steps() gave.
  std::int64_t smallest() const { return smallest_; }

 private:
  std::int64_t smallest_;
};

/// Calls make() and turns its errors about the input into RequestErrors.
template <class Make>
auto as_request(Make make) {
  try {
    return refusing<io::ConfigError, io::OutputError>(make);
  } catch (const std::invalid_argument& error) {
    throw RequestError(io::with_keys(error.what()));
  } catch (const amr::CflError& error) {
    throw TooFewSteps(error);
  }
}

}  // namespace kumiko::app
