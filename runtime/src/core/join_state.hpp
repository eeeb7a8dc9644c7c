// What is left of an ended thread until it is joined: its exception and a word for its joiner.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "stack/depot.hpp"

namespace kumiko::runtime::detail {

class Scheduler;
class Waiter;

/// The *join word* of a thread with a handle: one of these, or the address of the joiner's Waiter.
/// It leaves kRunning once for a Waiter or kDetached, and becomes kDone when the thread ends. Two
/// sides take part, the thread's end and the handle's owner; whoever comes second by the word's
/// modification order releases the JoinState.
namespace join_word {
inline constexpr std::uintptr_t kRunning = 0;
inline constexpr std::uintptr_t kDone = 1;
inline constexpr std::uintptr_t kDetached = 2;
}  // namespace join_word

/// What a thread with a handle leaves behind for whoever joins it.
struct JoinState {
  JoinState* next = nullptr;  ///< in a free list
  Scheduler* home = nullptr;
  std::atomic<std::uintptr_t> word{join_word::kRunning};
  std::exception_ptr exception;  ///< what escaped the thread
};

/// Allocates them in slabs and owns them.
class JoinStateSource {
 public:
  explicit JoinStateSource(Scheduler& home) noexcept : home_(home) {}

  /// A new slab. \throws std::bad_alloc
  Batch<JoinState> make();

 private:
  Scheduler& home_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<JoinState[]>> slabs_;
};

using JoinStateDepot = Depot<JoinState, JoinStateSource>;
using JoinStateCache = Cache<JoinState, JoinStateSource>;

}  // namespace kumiko::runtime::detail
