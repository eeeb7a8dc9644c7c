// Keeps the earliest of several failures, so that a run ends with the same error whoever met it.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include <kumiko/amr/collect.hpp>

#include "schedule/level_step.hpp"

namespace kumiko::amr {

/// A patch cannot take a step of that length: the run may go back and take a shorter one.
class StepRefused : public std::runtime_error {
 public:
  StepRefused(const std::string& message, int base_step)
      : std::runtime_error(message), base_step_(base_step) {}
  int base_step() const { return base_step_; }

 private:
  int base_step_;
};

/// One patch's failure in one step of its level.
struct Failure {
  LevelStep step;
  std::size_t slot = 0;
  double cfl = 0.0;         ///< the number that is too large, without an exception
  std::exception_ptr what;  ///< the exception, or nullptr
};

/// Keeps the failure that comes first in the order of time, so that a run ends with the same error
/// whoever met it first: by time, level, the larger CFL number, slot.
class FirstFailure {
 public:
  /// Keeps the failure if it comes first. From any thread.
  void keep(Failure failure) {
    const std::lock_guard lock(mutex_);
    if (first_ && key(*first_) <= key(failure)) return;
    // relaxed, as all accesses: a hint to leave out work.
    last_step_.store(failure.step.base_step, std::memory_order_relaxed);
    first_ = std::move(failure);
  }

  /// Whether a step need not be taken any more. The others of the failed base step must: they may
  /// fail earlier.
  bool makes_void(const LevelStep& step) const {
    return step.base_step > last_step_.load(std::memory_order_relaxed);
  }
  bool any() const { return last_step_.load(std::memory_order_relaxed) != kNone; }

  /// Takes the failure out, when nobody works.
  std::optional<Failure> take() {
    last_step_.store(kNone, std::memory_order_relaxed);
    return std::exchange(first_, std::nullopt);
  }

 private:
  static constexpr int kNone = std::numeric_limits<int>::max();

  /// Steps of different levels that begin together do so at the same time, to the bit.
  static std::tuple<double, int, double, std::size_t> key(const Failure& failure) {
    return {failure.step.time, failure.step.level, -failure.cfl, failure.slot};
  }

  std::mutex mutex_;
  std::optional<Failure> first_;
  std::atomic<int> last_step_{kNone};  ///< base step of the failure, the last one that matters
};

/// Throws the failure that comes first among those of all owners; each has its first one, if any.
/// The owner that has it throws its exception, the others one with its text: a CflError,
/// StepRefused, DeclarationError, BrokenValueError or std::invalid_argument if it is one, else a
/// std::runtime_error. What a case or a solver has thrown is nested in an exception with its text
/// and its patch, base step and time: a std::bad_alloc or std::invalid_argument if it is one, else
/// a std::runtime_error. All owners call it; it returns if none has failed.
/// \param own    with an exception
/// \param patch  that has failed
void throw_first(Owner& owner, const std::optional<Failure>& own, const PatchId& patch);

}  // namespace kumiko::amr
