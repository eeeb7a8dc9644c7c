// An axis of a picture: the positions of values, ticks, and room for their labels.
#pragma once

#include <string>
#include <vector>

#include <kumiko/viz/state_image.hpp>

namespace kumiko::viz {

/// Maps the values of a range to positions between two places, such as the lower and the upper end
/// of a colour bar.
class Axis {
 public:
  /// Throws std::invalid_argument for a range whose ends are not finite or not in order.
  Axis(Range range, double begin, double end);

  /// The position of a value, which may lie beyond the ends.
  double operator()(double value) const;

  Range range() const { return range_; }

 private:
  Range range_;
  double begin_;
  double end_;
};

struct Tick {
  double value;
  std::string label;
};

/// Ticks within a range, ascending: at 1, 2 or 5 times a power of ten, at most `most_labels` of
/// them, 2 or more.
std::vector<Tick> ticks(Range range, int most_labels);

/// Moves places along an axis apart, as little as needed, so that neighbours are `gap` apart and
/// all lie between `low` and `high`; where there is no room for that, they are evenly spread. Keeps
/// their order, which must be ascending.
std::vector<double> spread(std::vector<double> places, double gap, double low, double high);

}  // namespace kumiko::viz
