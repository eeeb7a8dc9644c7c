#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "depot.hpp"
#include "exception_state.hpp"
#include "fiber.hpp"
#include "stack_pool.hpp"

namespace kumiko::runtime::detail {

class Scheduler;
struct GroupState;

/// The *join word* of a thread with a handle: one of these, or the address of the joiner's Waiter.
/// It leaves kRunning once for a Waiter or kDetached, and becomes kDone when the thread ends. Two
/// sides take part, the thread's end and the handle's owner; whoever comes second by the word's
/// modification order releases the descriptor.
namespace join_word {
inline constexpr std::uintptr_t kRunning = 0;
inline constexpr std::uintptr_t kDone = 1;
inline constexpr std::uintptr_t kDetached = 2;
}  // namespace join_word

/// A lightweight thread. The stack is given back when the thread ends, the descriptor when it has
/// been joined, or has ended detached or in a group.
struct Descriptor {
  Descriptor* next = nullptr;  ///< in a free list or a ThreadQueue
  Scheduler* home = nullptr;   ///< the scheduler whose workers run it

  Fiber fiber;
  Stack* stack = nullptr;
  void* closure = nullptr;  ///< at the stack's top; the first frame lies right below
  void (*call)(void*) = nullptr;

  /// The thread that spawned this one; meaningful until the start has published it.
  Descriptor* parent = nullptr;
  /// The child whose spawn is this thread's latest suspension, cleared when this thread goes on.
  /// A child that pops its parent from the deque knows by it that nobody has run the parent since.
  Descriptor* attached_child = nullptr;

  GroupState* group = nullptr;  ///< nullptr: the join word decides
  std::atomic<std::uintptr_t> join{join_word::kRunning};
  std::exception_ptr exception;  ///< what escaped a thread with a handle
  ExceptionState exception_state;

  /// Makes this a new thread on `on`. Returns the place for its closure, nullptr if that would not
  /// leave enough of the stack.
  void* prepare(Stack& on, std::size_t closure_size, std::size_t closure_alignment) noexcept;
};

/// Allocates descriptors in slabs and owns them.
class DescriptorSource {
 public:
  explicit DescriptorSource(Scheduler& home) noexcept : home_(home) {}
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  /// A new slab. \throws std::bad_alloc
  Batch<Descriptor> make();

 private:
  Scheduler& home_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Descriptor[]>> slabs_;
};

using DescriptorDepot = Depot<Descriptor, DescriptorSource>;
using DescriptorCache = Cache<Descriptor, DescriptorSource>;

}  // namespace kumiko::runtime::detail
