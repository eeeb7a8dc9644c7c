// Turns errors of a request's input into RequestErrors.
#pragma once

#include <stdexcept>

#include <kumiko/amr/step_error.hpp>
#include <kumiko/io/config.hpp>
#include <kumiko/io/output_folder.hpp>

#include "terminal/request.hpp"

namespace kumiko::app {

/// Calls make() and turns its errors about the input into RequestErrors.
template <class Make>
auto as_request(Make make) {
  try {
    return refusing<io::ConfigError, io::OutputError>(make);
  } catch (const std::invalid_argument& error) {
    throw RequestError(io::with_keys(error.what()));
  } catch (const amr::CflError& error) {
    throw RequestError(io::with_keys(error.what()));
  }
}

}  // namespace kumiko::app
