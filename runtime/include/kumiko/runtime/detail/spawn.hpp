// Makes a lightweight thread of a callable: the part of every spawn that is inlined.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kumiko/runtime/detail/current.hpp>
#include <kumiko/runtime/source_location.hpp>

namespace kumiko::runtime {
class Group;
}

namespace kumiko::runtime::detail {

class Scheduler;
struct GroupState;
struct JoinState;

/// A new thread that has a stack but no closure yet, and the place for one at the stack's top.
struct Reservation {
  Descriptor* thread;
  JoinState* join_state;  ///< nullptr in a group
  void* storage;
};

/// The running lightweight thread, nullptr on a plain OS thread.
[[gnu::always_inline]] inline ThreadFront* running_thread() noexcept {
  const WorkerFront* const worker = worker_front();
  return worker != nullptr ? worker->running : nullptr;
}

/// Takes a stack with room for a closure of this size and alignment. `group` will count the thread;
/// nullptr if a Thread will join or detach it. Reports name `where` as the place of the spawn.
/// \throws std::logic_error outside a lightweight thread, std::length_error if the stack is too
/// small for the closure, std::system_error if no stack can be mapped or there is no
/// memory.
Reservation reserve_thread(std::size_t size, std::size_t alignment, GroupState* group,
                           SourceLocation where);

/// Names a thread for reports, see this_thread::set_name().
void set_name(Descriptor& thread, std::string_view name) noexcept;

/// \throws std::invalid_argument if the calling thread is of another runtime than the aggregation
/// group.
void check_group(const Group& group);

/// Makes a thread that was made, but not started, one of an aggregation group that was checked.
void admit(Descriptor& thread, const Group& group) noexcept;

/// Gives back what reserve_thread took.
void cancel_thread(Descriptor* thread) noexcept;

/// Runs `call(storage)` as a thread at once; the caller's continuation goes to the deque's young
/// end, so this returns on whichever worker takes it from there.
void start_thread(Descriptor* thread, void (*call)(void*)) noexcept;

/// As reserve_thread(), for any caller, and for a thread of `scheduler` that nobody will join.
Reservation reserve_detached(Scheduler& scheduler, std::size_t size, std::size_t alignment,
                             SourceLocation where);

/// Gives back what reserve_detached() took.
void cancel_detached(Descriptor* thread) noexcept;

/// Makes what reserve_detached() returned ready to run `call(storage)`.
void submit_thread(Descriptor* thread, void (*call)(void*)) noexcept;

template <class Closure>
void call_and_destroy(void* storage) {
  struct Destroy {
    Closure& closure;
    ~Destroy() { std::destroy_at(&closure); }
  };
  const Destroy guard{*std::launder(static_cast<Closure*>(storage))};
  std::invoke(std::move(guard.closure));
}

/// Reserves a thread and constructs a decayed copy of `function` in its storage.
template <class Function>
Reservation make_thread(Function&& function, GroupState* group, SourceLocation where) {
  using Closure = std::decay_t<Function>;
  const Reservation reserved = reserve_thread(sizeof(Closure), alignof(Closure), group, where);
  if constexpr (std::is_nothrow_constructible_v<Closure, Function>) {
    ::new (reserved.storage) Closure(std::forward<Function>(function));
  } else {
    try {
      ::new (reserved.storage) Closure(std::forward<Function>(function));
    } catch (...) {
      cancel_thread(reserved.thread);
      throw;
    }
  }
  return reserved;
}

/// Makes a thread of a decayed copy of `function`, which nobody joins.
template <class Function>
void submit(Scheduler& scheduler, Function&& function, SourceLocation where) {
  using Closure = std::decay_t<Function>;
  const Reservation reserved =
      reserve_detached(scheduler, sizeof(Closure), alignof(Closure), where);
  try {
    ::new (reserved.storage) Closure(std::forward<Function>(function));
  } catch (...) {
    cancel_detached(reserved.thread);
    throw;
  }
  submit_thread(reserved.thread, &call_and_destroy<Closure>);
}

}  // namespace kumiko::runtime::detail
