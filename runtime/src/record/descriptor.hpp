// The record of one living lightweight thread, at the top of its stack.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <kumiko/runtime/detail/current.hpp>
#include <kumiko/runtime/detail/waiter.hpp>
#include <kumiko/runtime/source_location.hpp>

#include "record/specifics.hpp"
#include "stack/exception_state.hpp"
#include "stack/fiber.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

class Aggregation;
class Scheduler;
struct GroupState;
struct JoinState;

/// A lightweight thread while it lives: the topmost bytes of its stack, from which the frames grow
/// down. Recycled with the stack, as soon as the thread has ended; what is needed longer, to join
/// it, is in its JoinState.
struct alignas(64) Descriptor : ThreadFront {
  Descriptor* next = nullptr;    ///< in a free list, a ThreadQueue or a ReadyQueue
  Scheduler* const home;         ///< the scheduler whose workers run it
  const std::size_t stack_size;  ///< usable bytes below the descriptor

  Fiber fiber;              ///< stack_pointer is nullptr before the first start
  void* closure = nullptr;  ///< at the stack's top; the first frame lies right below
  void (*call)(void*) = nullptr;

  /// The thread that spawned this one, nullptr if it began from a queue. It may have ended since.
  Descriptor* parent = nullptr;
  /// The child whose spawn is this thread's latest suspension, cleared when this thread goes on.
  /// A child that pops its parent from the deque knows by it that nobody has run the parent since.
  Descriptor* attached_child = nullptr;

  GroupState* group = nullptr;      ///< counts it; nullptr: it has a join_state
  JoinState* join_state = nullptr;  ///< meaningful without a group

  /// What it waits for while it is suspended in a Waiter.
  WaitReason wait_reason{};

  unsigned valgrind_id = 0;  ///< under which Valgrind knows the stack

  /// A thread, not a free stack: what reports look at, when no worker is awake. Set last, with
  /// release, for a thread may be made by any OS thread meanwhile.
  std::atomic<bool> alive{false};
  bool guarded = true;  ///< there is a guard page below, not a canary in the lowest bytes

  std::unique_ptr<Specifics> specifics;  ///< nullptr if it has none
  Aggregation* aggregation = nullptr;    ///< the group that it has (see Group); nullptr: none

  // What reports tell people: where the thread was spawned, and the name it was given, if any.
  SourceLocation where;
  std::array<char, 24> name{};

  // What belongs to the OS thread in C and C++ and travels with the lightweight one.
  ExceptionState exception_state;
  int saved_errno = 0;
  void* thread_pointer = nullptr;  ///< see thread_pointer.hpp; nullptr: the worker's

  // In a ReadyQueue, under its lock.
  Descriptor* previous = nullptr;
  Descriptor* next_of_group = nullptr;
  std::uint64_t ticket = 0;

  Descriptor(Scheduler& scheduler, std::size_t size) noexcept
      : home(&scheduler), stack_size(size) {}

  std::byte* stack_bottom() const noexcept {
    return reinterpret_cast<std::byte*>(const_cast<Descriptor*>(this)) - stack_size;
  }

  /// What names it to people, and in a ThreadId.
  std::uintptr_t id() const noexcept {
    return group != nullptr ? reinterpret_cast<std::uintptr_t>(this)
                            : reinterpret_cast<std::uintptr_t>(join_state);
  }

  /// Writes the canary of a stack without a guard page.
  void set_canary() noexcept;
  bool has_overflown() const noexcept;

  /// Makes this a new thread. Returns the place for its closure, nullptr if that would not leave
  /// enough of the stack.
  void* prepare(std::size_t closure_size, std::size_t closure_alignment) noexcept;

  /// Readies a prepared thread for a queue: it begins when a worker's loop takes it from there.
  void start_later(void (*closure_call)(void*)) noexcept {
    call = closure_call;
    parent = nullptr;
    exception_state = {};  // the last thread here may have suspended with an exception caught
    saved_errno = 0;
  }
};

inline void* Descriptor::prepare(std::size_t closure_size, std::size_t closure_alignment) noexcept {
  const std::size_t needed = closure_size + closure_alignment + tunables::kRoomBelowClosure;
  if (needed > stack_size) [[unlikely]]
    return nullptr;
  sanitizer::renew(fiber.notes, stack_bottom(), stack_size);
  fiber.stack_pointer = nullptr;
  const std::size_t alignment = std::max(closure_alignment, tunables::kStackAlignment);
  closure = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(this) - closure_size) &
                                    ~(alignment - 1));
  return closure;
}

}  // namespace kumiko::runtime::detail
