// The best value that any thread has found so far: what branch and bound prunes by.
#pragma once

#include <atomic>
#include <functional>
#include <type_traits>

namespace kumiko::runtime {

/// A value that any thread may offer a better one for. `Better` says whether its first argument is
/// better than its second: std::less<> for a least cost, std::greater<> for a greatest gain.
///
/// Threads see an improvement soon, not at once; none is lost. What the value is of, a tour say, is
/// not kept here: let each part keep its own best one in its workspace, and `take` choose.
template <class Value, class Better = std::less<>>
requires std::is_trivially_copyable_v<Value>
class BestSoFar {
 public:
  /// \param worst  what everything that will be offered is better than
  explicit BestSoFar(Value worst) noexcept : best_(worst) {}

  /// Cost: one load.
  // relaxed, here and below: a bound; results come by other ways.
  Value value() const noexcept { return best_.load(std::memory_order_relaxed); }

  /// Whether `value` is better than what is known.
  bool would_improve(Value value) const noexcept { return Better()(value, this->value()); }

  /// Returns whether `value` was better, and is known now.
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
