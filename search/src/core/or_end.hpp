// Actions that must not fail.
#pragma once

#include <exception>

namespace kumiko::search::detail {

/// Calls action(), and ends the process if it throws. For example, without memory for a message
/// other processes would wait for it forever.
template <class Action>
void or_end(Action action) noexcept {
  try {
    action();
  } catch (...) {
    std::terminate();
  }
}

}  // namespace kumiko::search::detail
