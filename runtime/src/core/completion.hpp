// Ends a lightweight thread: keeps its exception, and finds out whom to wake.
#pragma once

#include <exception>

#include "core/join_state.hpp"
#include "record/descriptor.hpp"

namespace kumiko::runtime::detail {

class Waiter;

/// Keeps what escaped the closure of `self` for whoever waits for it.
void keep_exception(Descriptor& self, std::exception_ptr exception) noexcept;

/// The end of a thread whose parent has not run since the spawn and goes on now, on this worker: so
/// nobody can have joined or detached it, and the group need not know. No atomic read-modify-write.
inline void complete_attached(Descriptor& self) noexcept {
  if (self.group != nullptr) return;
  // relaxed: the parent, who alone can reach the handle, goes on on this OS thread.
  self.join_state->word.store(join_word::kDone, std::memory_order_relaxed);
}

/// The end of any other thread. Returns whom to wake, or nullptr. Calls std::terminate if the
/// thread is detached and an exception escaped it.
Waiter* complete_left_behind(Descriptor& self) noexcept;

/// Gives a join state back that nobody refers to any more; callable from any OS thread.
void release(JoinState& join_state) noexcept;

}  // namespace kumiko::runtime::detail
