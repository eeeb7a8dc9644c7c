#include "bridge/status.hpp"

#include <algorithm>
#include <cstring>

namespace kumiko::plugin::detail {

kumiko_status tell(kumiko_error* error, kumiko_status status, const char* message, bool is_named) {
  const std::size_t length = std::min(std::strlen(message), sizeof(error->message) - 1);
  std::memcpy(error->message, message, length);
  error->message[length] = '\0';
  error->is_named = is_named ? 1 : 0;
  return status;
}

void throw_failure(kumiko_status status, const kumiko_error& error, const std::string& whose) {
  if (status == KUMIKO_NO_MEMORY) throw std::bad_alloc();
  const std::size_t length = strnlen(error.message, sizeof(error.message));
  std::string message(error.message, length);
  if (status != KUMIKO_REFUSED && status != KUMIKO_FAILED) {
    message = "it returned the unknown status " + std::to_string(status);
  }
  // What has no name of its own comes from where the call came from, and is told there.
  if (error.is_named == 0 && !whose.empty()) message = whose + ": " + message;
  if (status == KUMIKO_REFUSED) throw RefusedBeyond(message, true);
  throw FailedBeyond(message, true);
}

}  // namespace kumiko::plugin::detail
