// For what must not fail.
#pragma once

#include <exception>

namespace kumiko::search::detail {

/// Does it, or ends the process with what has gone wrong: where memory for a message is missing,
/// say, others would wait for it for ever.
template <class Action>
void or_end(Action action) noexcept {
  try {
    action();
  } catch (...) {
    std::terminate();
  }
}

}  // namespace kumiko::search::detail
