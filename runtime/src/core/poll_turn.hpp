// Who polls, where one OS thread at a time may.
#pragma once

#include <atomic>

#include <kumiko/runtime/detail/hardware.hpp>

namespace kumiko::runtime::detail {

struct PollTurnHardware : Hardware {
  /// Whoever is asked again so often leaves the rest to those who ask, and comes back soon itself,
  /// by is_wanted().
  static constexpr int kRounds = 4;
};

/// Polls by one OS thread at a time. Who comes while another is there leaves a mark, by which that
/// one polls again, and goes on: so what a thread has left before its poll() is seen by a poll that
/// begins afterwards, its own or the other's.
///
/// Who leaves the mark then reads polled_; who has polled clears polled_ and then reads the mark,
/// all sequentially consistent: one of them sees the other. tests/runtime/model runs this code on a
/// Machine of its own, and checks the argument.
template <class Machine>
class BasicPollTurn {
 public:
  /// Calls once(idle), which returns a number of events, as often as is asked for meanwhile, and
  /// returns their sum. `idle`: who asks has nothing else to do.
  template <class Once>
  int poll(bool idle, Once once) noexcept {
    int events = 0;
    for (int round = 0; round < Machine::kRounds; ++round) {
      const bool is_first = round == 0;
      const bool polled = alone([&] {
        const Number mark = take_mark();
        if (is_first || mark != 0) events += once((is_first && idle) || mark >= kByIdle);
      });
      if (polled) {
        if (!is_wanted()) break;
      } else {
        if (!is_first) break;
        leave_mark(idle ? kByIdle : kByBusy);
      }
    }
    return events;
  }

  /// Calls action() unless somebody polls, or is in such an action; returns whether it has. What
  /// the last one has left in the source is seen.
  template <class Action>
  bool alone(Action action) noexcept {
    if (polled_.load(std::memory_order_seq_cst) != 0) return false;
    if (polled_.exchange(1, std::memory_order_seq_cst) != 0) return false;
    action();
    polled_.store(0, std::memory_order_seq_cst);
    return true;
  }

  /// Whether a mark is left, as after poll() where others asked again and again.
  bool is_wanted() const noexcept { return wanted_.load(std::memory_order_seq_cst) != 0; }

 private:
  using Number = typename Machine::Number;

  static constexpr int kByBusy = 1;
  static constexpr int kByIdle = 3;  ///< the other's bit among its own

  // A load first, in all of these, so that those who find nothing to change leave the line alone.

  Number take_mark() noexcept {
    if (!is_wanted()) return 0;
    return wanted_.exchange(0, std::memory_order_seq_cst);
  }
  void leave_mark(int mark) noexcept {
    if (wanted_.load(std::memory_order_seq_cst) == mark) return;
    wanted_.fetch_or(mark, std::memory_order_seq_cst);
  }

  alignas(64) typename Machine::template Atomic<Number> polled_{0};
  typename Machine::template Atomic<Number> wanted_{0};
};

using PollTurn = BasicPollTurn<PollTurnHardware>;

}  // namespace kumiko::runtime::detail
