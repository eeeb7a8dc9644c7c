#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace kumiko::runtime::detail {

struct Descriptor;
struct GroupState;

/// A new thread that has a stack but no closure yet, and the place for one at the stack's top.
struct Reservation {
  Descriptor* thread;
  void* storage;
};

/// The running lightweight thread, nullptr on a plain OS thread.
Descriptor* current_thread() noexcept;

/// Takes a descriptor and a stack with room for a closure of this size and alignment.
/// \throws std::logic_error outside a lightweight thread, std::length_error if the stack is too
/// small for the closure, std::system_error if no stack can be mapped, std::bad_alloc.
Reservation reserve_thread(std::size_t size, std::size_t alignment);

/// Gives back what reserve_thread took.
void cancel_thread(Descriptor* thread) noexcept;

/// Runs `call(storage)` as a thread at once; the caller's continuation goes to the deque's young
/// end, so this returns on whichever worker takes it from there.
/// `group` counts the thread; nullptr if a Thread will join or detach it.
void start_thread(Descriptor* thread, void (*call)(void*), GroupState* group) noexcept;

template <class Closure>
void call_and_destroy(void* storage) {
  struct Destroy {
    Closure& closure;
    ~Destroy() { std::destroy_at(&closure); }
  };
  const Destroy guard{*std::launder(static_cast<Closure*>(storage))};
  std::invoke(std::move(guard.closure));
}

/// Constructs a decayed copy of `function` in the storage of a new thread.
template <class Function>
Descriptor* make_thread(Function&& function) {
  using Closure = std::decay_t<Function>;
  const Reservation reserved = reserve_thread(sizeof(Closure), alignof(Closure));
  try {
    ::new (reserved.storage) Closure(std::forward<Function>(function));
  } catch (...) {
    cancel_thread(reserved.thread);
    throw;
  }
  return reserved.thread;
}

}  // namespace kumiko::runtime::detail
