// What lock-free parts of the runtime are written with, so that a checker may put its own in place.
#pragma once

#include <atomic>
#include <cstdint>

namespace kumiko::runtime::detail {

/// The machine that Deque, JoinCounter, Parker and others run on. The checker in
/// tests/runtime/model runs the same code on one that records each access instead, to explore what
/// other orders the processors permit. All of it is what its name says, at no cost.
struct Hardware {
  /// What counts and indices are.
  using Number = std::int64_t;
  template <class T>
  using Pointer = T*;
  template <class T>
  using Atomic = std::atomic<T>;
  /// A member that is not atomic: of one thread alone, or ordered by other accesses.
  template <class T>
  using Plain = T;
};

}  // namespace kumiko::runtime::detail
