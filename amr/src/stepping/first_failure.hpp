// Keeps the earliest of several failures, so that a run ends with the same error whoever met it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/amr/trace.hpp>

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

/// One patch's failure in one step of its level: an exception, a CFL number that is too large, or a
/// point whose state is not admissible.
struct Failure {
  LevelStep step;
  std::size_t slot = 0;
  PieceKind kind = PieceKind::kAdvance;
  std::exception_ptr what = nullptr;
  double cfl = 0.0;
  std::optional<InnerPoint> point = {};
};

/// The place of a piece of work in an order in which a piece comes after all those whose results it
/// reads. At one time the pieces that end a step come first, finer levels before coarser ones,
/// because they are restricted onto those. Then come the pieces that begin a step, coarser levels
/// before finer ones, because fine ghosts are interpolated from coarse values; on one level the
/// advance comes before the ghosts of its result. So a failure never stands before its cause.
struct PieceOrder {
  std::int64_t tick = 0;
  std::int32_t begins = 0;  ///< 0: the piece ends a step there
  std::int32_t level = 0;   ///< negative where finer levels come first
  std::int32_t kind = 0;

  friend bool operator<(const PieceOrder& a, const PieceOrder& b) {
    return std::tie(a.tick, a.begins, a.level, a.kind) <
           std::tie(b.tick, b.begins, b.level, b.kind);
  }
};
PieceOrder order_of(const LevelStep& step, PieceKind kind);

/// Keeps the failure that comes first in PieceOrder, so that a run ends with the same error whoever
/// met it first; then the larger CFL number, and the lower slot.
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

  static std::tuple<PieceOrder, double, std::size_t> key(const Failure& failure) {
    return {order_of(failure.step, failure.kind), -failure.cfl, failure.slot};
  }

  std::mutex mutex_;
  std::optional<Failure> first_;
  std::atomic<int> last_step_{kNone};  ///< base step of the failure, the last one that matters
};

/// The part of a failure that other ranks are told, beside its patch: its place in the order and
/// its type.
struct ToldFailure {
  PieceOrder order;
  double cfl = 0.0;
  std::int32_t rank = 0;
  std::int32_t type = 0;    ///< of the exception, in the list of those that ranks tell each other
  std::int64_t number = 0;  ///< the smallest steps of CflError, the base step of StepRefused
};

/// This rank's first failure, if any, to be told to the others.
///
/// The rank that has the first of all throws its exception, the others one with its text: a
/// CflError, StepRefused, InadmissibleState, DeclarationError, BrokenValueError or
/// std::invalid_argument if it is one, else a std::runtime_error. What a case or a solver has
/// thrown is nested in an exception with its text and its patch, base step and time: a
/// std::bad_alloc or std::invalid_argument if it is one, else a std::runtime_error.
class OwnFailure {
 public:
  /// \param own    with an exception
  /// \param patch  that has failed
  OwnFailure(const Communicator& communicator, const std::optional<Failure>& own,
             const PatchId& patch);

  /// The part for the others, or none.
  const std::vector<PatchValue<ToldFailure>>& told() const { return told_; }
  /// Throws the failure that comes first among those of all ranks, which all of them call it with;
  /// returns if there are none.
  void throw_first(Communicator& communicator,
                   const std::vector<PatchValue<ToldFailure>>& all) const;

 private:
  std::vector<PatchValue<ToldFailure>> told_;
  std::exception_ptr what_;
  std::string text_;
};

/// Tells the others of this rank's failure and throws the first of all; all ranks call it.
void throw_first(Communicator& communicator, const std::optional<Failure>& own,
                 const PatchId& patch);

}  // namespace kumiko::amr
