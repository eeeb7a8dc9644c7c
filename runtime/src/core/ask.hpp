// An idle worker's request for a part of somebody's work, which one busy worker answers.
#pragma once

#include <atomic>

#include <kumiko/runtime/detail/hardware.hpp>

namespace kumiko::runtime::detail {

/// What one idle worker asks of all busy ones, so that one of them divides its work: a search
/// copies its workspace for each part, and all busy workers together should not do so for one
/// asker.
///
///     none -> asks      the asker, when it has seen nothing in any queue
///     asks -> claimed   one busy worker, when it has something that it can divide
///     claimed -> none   the same, when the part is in its queue, or cannot be made
///     asks -> none      the asker, which has found something else
///
/// Each way leads through none, and only the asker leaves it; so each raise() that returns true
/// leads to at most one part. *The asker sees the part*: raise() reads none (acquire) after the
/// release in answer(), looks at all queues, and only then asks again.
/// *The busy ones see the asker*: it raises, then sets request::kShare in everybody's poll word
/// (release); whoever takes the bit off (acquire) claims after that. So he either sees the raise,
/// or the bit is set again after he took it off.
///
/// tests/runtime/model runs this code on a Machine of its own, and checks the argument.
template <class Machine>
class BasicAsk {
 public:
  /// Asker: asks, unless it has asked before and the answer is still to come. Returns whether it
  /// has asked anew, so that it has to tell the others. Where the answer has come it is to look at
  /// all queues before it asks again.
  bool raise() noexcept {
    if (stands_ != 0) {
      // acquire: pairs with the release in answer().
      if (state_.load(std::memory_order_acquire) == kNone) stands_ = 0;
      return false;
    }
    // relaxed: the bit in the poll words carries it along. Fails where an ask that was withdrawn
    // has been claimed before, until it is answered.
    Number expected = kNone;
    if (!state_.compare_exchange_strong(expected, kAsks, std::memory_order_relaxed)) return false;
    stands_ = 1;
    return true;
  }

  /// Asker: has found something. If the ask has been claimed, a part more than needed is made.
  void withdraw() noexcept {
    if (stands_ == 0) return;
    stands_ = 0;
    Number expected = kAsks;
    state_.compare_exchange_strong(expected, kNone, std::memory_order_relaxed);
  }

  /// Anyone: whether somebody asks; a hint.
  bool is_open() const noexcept { return state_.load(std::memory_order_relaxed) == kAsks; }

  /// A busy worker: whether the caller is the one to answer.
  bool claim() noexcept {
    if (!is_open()) return false;
    Number expected = kAsks;
    return state_.compare_exchange_strong(expected, kClaimed, std::memory_order_relaxed);
  }

  /// Who has claimed it: the part is in its queue, or there is none.
  void answer() noexcept {
    // release: pairs with the acquire in raise().
    state_.store(kNone, std::memory_order_release);
  }

 private:
  using Number = typename Machine::Number;

  static constexpr int kNone = 0;
  static constexpr int kAsks = 1;
  static constexpr int kClaimed = 2;

  typename Machine::template Atomic<Number> state_{kNone};
  typename Machine::template Plain<Number> stands_{0};  ///< the asker's: not known to be answered
};

using Ask = BasicAsk<Hardware>;

}  // namespace kumiko::runtime::detail
