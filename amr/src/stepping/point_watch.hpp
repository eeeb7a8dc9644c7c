// Takes the field's values at points while base steps overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <kumiko/amr/hierarchy.hpp>

#include "observation/point_place.hpp"
#include "schedule/level_step.hpp"

namespace kumiko::amr {

/// Sets of points whose values are wanted after every so many base steps, without a pause of the
/// steps: when a patch begins a base step, the state that the one before has led to is final and
/// has its ghosts, so the patch's thread takes the values there. The last state of a window of base
/// steps has no such thread, so simulation/point_values.cpp calls take_last(). A step that is taken
/// again after a failure writes the same values again. The driver calls all members but take().
class PointWatch {
 public:
  explicit PointWatch(const Hierarchy& hierarchy) : hierarchy_(hierarchy) {}

  /// Adds a set. \return its number, from 0
  std::size_t add(Points points, int every);
  std::size_t sets() const { return sets_.size(); }
  /// True if the values of a set are wanted after a number of base steps.
  bool is_wanted(std::size_t set, int step) const { return step % sets_[set].every == 0; }
  bool is_any_wanted(int step) const;
  /// The base steps of a window, at most, so that the values of all fit into memory.
  int longest_window() const { return sets_.empty() ? std::numeric_limits<int>::max() : 64; }

  /// Makes room for the states of a window of base steps. O(points + patches) if values are wanted.
  void begin_window(int first, int count);
  /// Takes the values of the points in a patch from the state that a base step begins with, whose
  /// ghosts are filled. By any worker. Costs a load if no point is in the patch.
  void take(const LevelStep& step, std::size_t slot) {
    if (!is_taking_ || first_[static_cast<std::size_t>(step.level)][slot] < 0) return;
    take_points(step.base_step, step.level, slot, step.from());
  }
  /// Takes the values after the window's base steps up to `step` from the states `now`, whose
  /// ghosts are filled at the places.
  void take_last(int step);

  /// The places of a set's points in the window's mesh.
  std::span<const PointPlace> places(std::size_t set) const;
  std::span<const PointPlace> places() const { return places_; }
  /// The values of one of a set's points, which must be this rank's, after a base step.
  std::span<const double> values(std::size_t set, std::size_t point, int step) const;

 private:
  struct Set {
    std::size_t begin;  ///< its points
    std::size_t end;
    int every;
  };

  void take_points(int step, int level, std::size_t slot, State state);
  std::size_t place_of_values(int step, std::size_t point) const;

  const Hierarchy& hierarchy_;
  std::vector<Set> sets_;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<PointPlace> places_;
  std::vector<std::vector<std::int32_t>>
      first_;                       ///< by level and slot: a patch's first point, or -1
  std::vector<std::int32_t> next_;  ///< the next point in the same patch, or -1
  bool is_taking_ = false;          ///< whether values of the window are wanted
  int window_ = 0;                  ///< its first base step
  std::vector<double> values_;      ///< [step - window_][point][component]
};

}  // namespace kumiko::amr
