// Turns errors of a request's input into RequestErrors.
#pragma once

#include <cstdint>
#include <stdexcept>

#include <kumiko/amr/step_error.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/output_folder.hpp>

#include "terminal/request.hpp"

namespace kumiko::app {

/// The step outruns what the solver's ghosts serve.
class TooFewSteps : public RequestError {
 public:
  explicit TooFewSteps(const amr::CflError& error)
      : RequestError(io::with_keys(error.what())), smallest_(error.smallest_steps()) {}
  /// The number that amr::CflError::smallest_steps() gave.
  std::int64_t smallest() const { return smallest_; }

 private:
  std::int64_t smallest_;
};

/// Calls make() and turns what it throws about its input into a RequestError.
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
