// Decides whether the group that ran on a worker goes on, and for how long.
#pragma once

#include <cstdint>

#include "core/own_counter.hpp"

namespace kumiko::runtime::detail {

/// One worker's turns in a row for groups, after Yamada and Kusakabe's rule (2010). At each turn
/// let *kin* be the oldest waiting thread of the group that a neighbour shows, or else of the one
/// that ran, if it came at most the group's `bonus` turns after the oldest thread of all:
///   1. Kin goes if fewer than its group's `limit` turns in a row went this way.
///   2. Otherwise the oldest goes. The row has ended, unless the oldest is of the group that ran:
///      then it goes on.
///
/// *Nobody starves.* The row begins anew only after a turn of rule 2, so of any k + 1 turns in a
/// row one goes to the oldest, whichever groups run, with k the largest limit. A thread with n - 1
/// older ones goes at the n-th turn of rule 2 at the latest, so it waits for n (k + 1) - 1 turns at
/// most. And since a thread's number is given once, at most `bonus` threads with larger ones, yet
/// not larger by more, go before it.
class Streak {
 public:
  /// Whether a thread may go before the oldest, who came `overtaken` turns earlier (0: it is the
  /// oldest).
  static bool allows(int bonus, std::uint64_t overtaken) noexcept {
    return overtaken <= static_cast<std::uint64_t>(bonus);
  }

  /// Whether kin goes, which may go before the oldest.
  bool prefers(int limit, std::uint64_t overtaken) noexcept {
    if (in_a_row_ >= limit) {
      if (overtaken != 0) limited_.increment();
      return false;
    }
    ++in_a_row_;
    if (overtaken != 0) preferred_.increment();
    return true;
  }

  /// The oldest thread goes, of another group.
  void end() noexcept { in_a_row_ = 0; }

  /// Turns of a thread that overtook the oldest, and rows that the limit has ended.
  const OwnCounter& preferred() const noexcept { return preferred_; }
  const OwnCounter& limited() const noexcept { return limited_; }

 private:
  int in_a_row_ = 0;
  OwnCounter preferred_;
  OwnCounter limited_;
};

}  // namespace kumiko::runtime::detail
