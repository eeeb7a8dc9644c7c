// Says how a command ended, and what error a request is that cannot be met.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace kumiko::app {

/// Exit codes that scripts rely on.
inline constexpr int kDone = 0;
inline constexpr int kRunFailed = 1;
inline constexpr int kWrongRequest = 2;

/// The error where results can be printed nowhere.
inline constexpr const char* kStdoutFault =
    "cannot write to stdout; it may be closed, its disk full, or its reader gone";

/// The request cannot be served as it stands; the message names the cause and the remedy.
class RequestError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  template <class First, class... Values>
  RequestError(fmt::format_string<First, Values...> message, First&& first, Values&&... values)
      : std::runtime_error(
            fmt::format(message, std::forward<First>(first), std::forward<Values>(values)...)) {}
};

/// Throws RequestError where a request is wrong. The values are evaluated in any case.
template <class... Values>
void refuse_if(bool is_wrong, fmt::format_string<Values...> message, Values&&... values) {
  if (is_wrong) throw RequestError(fmt::format(message, std::forward<Values>(values)...));
}

/// Calls make(); what it throws of these types is a wrong request.
template <class Error, class... Others, class Make>
auto refusing(Make make) {
  try {
    if constexpr (sizeof...(Others) > 0) {
      return refusing<Others...>(make);
    } else {
      return make();
    }
  } catch (const Error& error) {
    throw RequestError(error.what());
  }
}

/// Calls check(), whose errors advise another --output; they advise another value of `option` here.
template <class Error, class Check>
void check_for(std::string_view option, Check check) {
  constexpr std::string_view kUsual = "--output";
  try {
    check();
  } catch (const Error& error) {
    std::string text = error.what();
    if (const std::size_t at = text.find(kUsual); at != std::string::npos) {
      text.replace(at, kUsual.size(), option);
    }
    throw RequestError(text);
  }
}

/// The remedy for a damaged checkpoint or state, to be appended to its error; empty for other
/// errors, which name their own.
std::string remedy_of(const std::exception& error);

/// The message of a failure, in one line, and the exit code.
struct Failure {
  std::string line;
  int code = kRunFailed;
};
/// In the handler of an exception.
Failure failure_now();
/// From now on failure_now() names the keys that lower the memory of a run.
void advise_on_memory_of_runs();

/// Prints an error in one line. \return the code
int error_line(const std::string& message, int code);

}  // namespace kumiko::app
