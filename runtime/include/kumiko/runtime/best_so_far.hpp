// The best value that any thread has found so far, as a bound for branch and bound.
#pragma once

#include <atomic>
#include <functional>
#include <type_traits>

namespace kumiko::runtime {

/// The best of the values that threads offer. `Better` returns whether its first argument is better
/// than its second: std::less<> to minimise a cost, std::greater<> to maximise a gain.
///
/// Threads see an improvement soon, but not immediately; no improvement is lost. The solution that
/// has the value, such as a tour, is not kept here: let each part keep its own best solution in its
/// workspace, and let `take` choose.
template <class Value, class Better = std::less<>>
requires std::is_trivially_copyable_v<Value>
class BestSoFar {
 public:
  /// \param worst a value that is worse than all that will be offered
  explicit BestSoFar(Value worst) noexcept : best_(worst) {}

  /// Cost: one load.
  // relaxed, here and below: a bound; results come by other ways.
  Value value() const noexcept { return best_.load(std::memory_order_relaxed); }

  /// Whether `value` is better than the best known value.
  bool would_improve(Value value) const noexcept { return Better()(value, this->value()); }

  /// Offers a value. Returns true if it is better than the best known value and has replaced it.
  bool offer(Value value) noexcept {
    Value known = this->value();
    while (Better()(value, known)) {
      if (best_.compare_exchange_weak(known, value, std::memory_order_relaxed)) return true;
    }
    return false;
  }

 private:
  alignas(64) std::atomic<Value> best_;  ///< apart from what is written often
};

}  // namespace kumiko::runtime
