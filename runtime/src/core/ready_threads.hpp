// Where the ready threads of one worker wait, and what a thief gets of them.
#pragma once

#include <cstddef>

#include <kumiko/runtime/policy/choosing.hpp>

#include "core/deque.hpp"
#include "core/ready_queue.hpp"
#include "core/thread_queue.hpp"
#include "record/descriptor.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

/// A ready thread that was taken, and from where.
struct Choice {
  Descriptor* thread = nullptr;
  policy::Source source = policy::Source::kDeque;  ///< means nothing without a thread
};

/// The ready threads of one worker, in three places.
struct ReadyThreads {
  ReadyThreads(AsymmetricBarrier& barrier, std::size_t worker, PublishedGroup& near)
      : deque(tunables::kDequeCapacity, barrier), queue(worker, near) {}

  /// Anyone: whether there may be something for a thief. Exact behind a barrier shared with the
  /// producer (see Idle).
  bool empty() const noexcept { return deque.empty() && queue.empty() && events.empty(); }

  /// Anyone: about how many there are. Cost: four loads.
  std::size_t size() const noexcept { return deque.size() + queue.size() + events.size(); }

  /// Anyone but the owner: takes a public thread, by policy::kForThieves; nullptr if there is none.
  Descriptor* give_to_thief() noexcept {
    for (const policy::Source source : policy::kForThieves) {
      if (Descriptor* const thread = give(source); thread != nullptr) return thread;
    }
    return nullptr;
  }

  Deque<Descriptor> deque;  ///< threads that are continued where they were left
  ReadyQueue queue;         ///< threads that yielded, and new ones that lazy splitting made
  ThreadQueue events;       ///< threads whose event has come

 private:
  Descriptor* give(policy::Source source) noexcept {
    if (source == policy::Source::kDeque) return deque.steal();
    return source == policy::Source::kEvents ? events.pop() : queue.pop();
  }
};

}  // namespace kumiko::runtime::detail
