// Finds room for labels, so that they cover neither each other nor what they label.
#pragma once

#include <string>
#include <vector>

#include "chart/svg.hpp"

namespace kumiko::viz {

/// A text that belongs to a point.
struct PointLabel {
  Place point;
  std::string text;
  double size;
};

/// Puts labels next to the points of a plot, where they hide least of the plot and cannot be taken
/// for another point's.
class LabelPlacement {
 public:
  /// Labels should stay within `plot`.
  explicit LabelPlacement(const Box& plot) : plot_(plot) {}

  /// Adds a point that labels should not cover.
  void add_point(Place centre);
  void add_line(Place from, Place to);

  /// Says where to put the middle of each label's baseline. All are looked at together: a label
  /// gives way where another one has fewer places to go to.
  std::vector<Place> place(const std::vector<PointLabel>& labels) const;

 private:
  /// A place for a label, with what it costs whatever the other labels do.
  struct Candidate {
    Box box;
    double cost;
  };

  std::vector<Candidate> candidates(const PointLabel& label) const;
  double cost(const Box& box, Place own) const;

  Box plot_;
  std::vector<Place> points_;
  std::vector<Place> lines_;  ///< places close to each other along them
};

/// Moves places along an axis apart, as little as needed, so that neighbours are `gap` apart and
/// all lie between `low` and `high`; where there is no room for that, they are evenly spread. Keeps
/// their order, which must be ascending.
std::vector<double> spread(std::vector<double> places, double gap, double low, double high);

}  // namespace kumiko::viz
