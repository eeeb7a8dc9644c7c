// Turns exceptions into statuses of the C interface, and statuses back into exceptions.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include <kumiko/plugin/plugin_abi.h>

namespace kumiko::plugin::detail {

/// What went wrong on the other side.
class FailedBeyond : public std::runtime_error {
 public:
  FailedBeyond(const std::string& message, bool is_named)
      : std::runtime_error(message), is_named_(is_named) {}
  /// Whether the message says already whose it is.
  bool is_named() const { return is_named_; }

 private:
  bool is_named_;
};

/// What the other side refused.
class RefusedBeyond : public std::invalid_argument {
 public:
  RefusedBeyond(const std::string& message, bool is_named)
      : std::invalid_argument(message), is_named_(is_named) {}
  bool is_named() const { return is_named_; }

 private:
  bool is_named_;
};

/// Copies a message, cut where it is too long. @return the status
kumiko_status tell(kumiko_error* error, kumiko_status status, const char* message, bool is_named);

/// Throws the exception that a status other than success stands for.
/// @param whose  put before messages that do not say whose they are; may be empty
[[noreturn]] void throw_failure(kumiko_status status, const kumiko_error& error,
                                const std::string& whose);

/// Calls call(error) of the other side, which may say that it does not know. @return whether it did
template <class Call>
bool ask_beyond(const std::string& whose, Call call) {
  kumiko_error error;
  error.is_named = 0;
  error.message[0] = '\0';
  const kumiko_status status = call(&error);
  if (status == KUMIKO_OK) [[likely]]
    return true;
  if (status == KUMIKO_UNKNOWN) return false;
  throw_failure(status, error, whose);
}

/// Calls call(error) of the other side, which must do it.
template <class Call>
void call_beyond(const std::string& whose, Call call) {
  if (ask_beyond(whose, call)) [[likely]]
    return;
  throw FailedBeyond(whose + ": it does not know what it must", true);
}

/// Does what the other side asked for and turns exceptions into statuses. `task` returns a status.
template <class Task>
kumiko_status serve(kumiko_error* error, Task task) noexcept {
  try {
    return task();
  } catch (const FailedBeyond& failure) {
    return tell(error, KUMIKO_FAILED, failure.what(), failure.is_named());
  } catch (const RefusedBeyond& refusal) {
    return tell(error, KUMIKO_REFUSED, refusal.what(), refusal.is_named());
  } catch (const std::bad_alloc&) {
    return KUMIKO_NO_MEMORY;
  } catch (const std::invalid_argument& refusal) {
    return tell(error, KUMIKO_REFUSED, refusal.what(), false);
  } catch (const std::exception& failure) {
    return tell(error, KUMIKO_FAILED, failure.what(), false);
  } catch (...) {
    return tell(error, KUMIKO_FAILED, "it threw something that is not a std::exception", false);
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
