// Finds room for labels, so that they cover neither each other nor what they label.
#pragma once

#include <string_view>
#include <vector>

#include "svg.hpp"

namespace kumiko::viz {

/// Puts labels beside the points of a plot, where they hide least of what is there.
class LabelPlacement {
 public:
  /// Labels should stay within `plot`.
  explicit LabelPlacement(const Box& plot) : plot_(plot) {}

  /// What labels should not cover.
  void add_point(Place centre);
  void add_line(Place from, Place to);

  /// Where to put the middle of a label's baseline. Later labels keep clear of it.
  Place place(Place point, std::string_view label, double size);

 private:
  double cost(const Box& box) const;

  Box plot_;
  std::vector<Box> points_;
  std::vector<Place> lines_;  ///< places close to each other along them
  std::vector<Box> labels_;
};

/// Moves places along an axis apart, as little as needed, so that neighbours are `gap` apart and
/// all lie between `low` and `high`; where there is no room for that, they are evenly spread. Keeps
/// their order, which must be ascending.
std::vector<double> spread(std::vector<double> places, double gap, double low, double high);

}  // namespace kumiko::viz
