#include "bridge/status.hpp"

#include <algorithm>
#include <cstring>

namespace kumiko::plugin::detail {

kumiko_status tell(kumiko_error* error, kumiko_status status, const char* message,
                   std::int32_t whose) {
  const std::size_t length = std::min(std::strlen(message), sizeof(error->message) - 1);
  std::memcpy(error->message, message, length);
  error->message[length] = '\0';
  error->whose = whose;
  return status;
}

void throw_failure(kumiko_status status, const kumiko_error& error, std::string_view whose,
                   std::string_view whose_case) {
  if (status == KUMIKO_NO_MEMORY) throw NoMemoryBeyond(whose);
  const std::size_t length = strnlen(error.message, sizeof(error.message));
  std::string message(error.message, length);
  if (status != KUMIKO_REFUSED && status != KUMIKO_FAILED) {
    message = "it returned the unknown status " + std::to_string(status);
  }
  if (message.empty()) message = "it failed without a message";
  // What a case that was lent fails with is told where it was lent from, which knows its name.
  const bool is_borrowed = error.whose == KUMIKO_UNNAMED && whose.empty();
  const std::int32_t now = is_borrowed ? KUMIKO_OF_CASE : KUMIKO_NAMED;
  if (error.whose == KUMIKO_OF_CASE) whose = whose_case;
  if (error.whose != KUMIKO_NAMED && !whose.empty()) message.insert(0, std::string(whose) + ": ");
  if (status == KUMIKO_REFUSED) throw RefusedBeyond(message, now);
  throw FailedBeyond(message, now);
}

}  // namespace kumiko::plugin::detail
