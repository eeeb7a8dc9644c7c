// Says how a command ended, and what error a request is that cannot be met.
#pragma once

#include <stdexcept>
#include <string>

namespace kumiko::app {

/// Exit codes that scripts rely on.
inline constexpr int kDone = 0;
inline constexpr int kRunFailed = 1;
inline constexpr int kWrongRequest = 2;

/// The request cannot be served as it stands; the message names the cause and the remedy.
class RequestError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Prints an error in one line. \return the code
int error_line(const std::string& message, int code);

}  // namespace kumiko::app
