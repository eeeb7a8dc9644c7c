// Turns exceptions into statuses of the C interface, and statuses back into exceptions.
#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include <kumiko/plugin/plugin_abi.h>

namespace kumiko::plugin::detail {

/// What happened on the other side.
template <class Error>
class Beyond : public Error {
 public:
  explicit Beyond(const std::string& message, std::int32_t whose = KUMIKO_NAMED)
      : Error(message), whose_(whose) {}
  /// As kumiko_error::whose.
  std::int32_t whose() const { return whose_; }

 private:
  std::int32_t whose_;
};
using FailedBeyond = Beyond<std::runtime_error>;
using RefusedBeyond = Beyond<std::invalid_argument>;

/// The other side has found no memory.
class NoMemoryBeyond : public std::bad_alloc {
 public:
  /// \param whose  memory; empty where that is not known
  explicit NoMemoryBeyond(std::string_view whose)
      : message_(whose.empty() ? "not enough memory" : std::string(whose) + ": not enough memory") {
  }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// Copies a message, cut where it is too long. \return the status
kumiko_status tell(kumiko_error* error, kumiko_status status, const char* message,
                   std::int32_t whose);

/// Throws the exception that a status other than success stands for.
/// \param whose  put before messages of who was called; empty where that is a case that was lent
/// \param whose_case  put before messages of a case that the call handed on; may be empty
[[noreturn]] void throw_failure(kumiko_status status, const kumiko_error& error,
                                std::string_view whose, std::string_view whose_case);

/// Calls call(error) of the other side, which may say that it does not know. \return whether it did
template <class Call>
bool ask_beyond(std::string_view whose, const Call& call, std::string_view whose_case = {}) {
  kumiko_error error;
  error.whose = KUMIKO_UNNAMED;
  error.message[0] = '\0';
  const kumiko_status status = call(&error);
  if (status == KUMIKO_OK) [[likely]]
    return true;
  if (status == KUMIKO_UNKNOWN) return false;
  throw_failure(status, error, whose, whose_case);
}

/// Calls call(error) of the other side, which must do it.
template <class Call>
void call_beyond(std::string_view whose, const Call& call, std::string_view whose_case = {}) {
  if (ask_beyond(whose, call, whose_case)) [[likely]]
    return;
  kumiko_error error;
  tell(&error, KUMIKO_FAILED, "it does not know what it must", KUMIKO_UNNAMED);
  throw_failure(KUMIKO_FAILED, error, whose, whose_case);
}

/// Does what the other side asked for and turns exceptions into statuses. `task` returns a status.
template <class Task>
kumiko_status serve(kumiko_error* error, Task task) noexcept {
  try {
    return task();
  } catch (const FailedBeyond& failure) {
    return tell(error, KUMIKO_FAILED, failure.what(), failure.whose());
  } catch (const RefusedBeyond& refusal) {
    return tell(error, KUMIKO_REFUSED, refusal.what(), refusal.whose());
  } catch (const std::bad_alloc&) {
    return KUMIKO_NO_MEMORY;
  } catch (const std::invalid_argument& refusal) {
    return tell(error, KUMIKO_REFUSED, refusal.what(), KUMIKO_UNNAMED);
  } catch (const std::exception& failure) {
    return tell(error, KUMIKO_FAILED, failure.what(), KUMIKO_UNNAMED);
  } catch (...) {
    return tell(error, KUMIKO_FAILED, "it threw something that is not a std::exception",
                KUMIKO_UNNAMED);
  }
}

/// Does what the other side asked for by a task without a result.
template <class Task>
kumiko_status serve_fully(kumiko_error* error, Task task) noexcept {
  return serve(error, [&]() -> kumiko_status {
    task();
    return KUMIKO_OK;
  });
}

}  // namespace kumiko::plugin::detail
