// An axis of a chart: its range, the positions of values, and its ticks.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kumiko::viz {

enum class Scale { kLinear, kLog };

struct Range {
  double low;
  double high;
};

/// The values' range with some room at both ends; of a single value, a range around it. Values that
/// are not finite are ignored. Without values, 0 to 1 or, for a log scale, 1 to 10. Throws
/// std::invalid_argument, naming the value, if a log scale has a value that is not above 0.
Range padded_range(Scale scale, std::span<const double> values);

/// The range of a log scale, widened to a tick with a label if one lies just beyond an end. The
/// range of a linear scale is unchanged.
Range widened_to_ticks(Scale scale, Range range);

/// Maps the values of a range to positions between two places, such as the left and the right end
/// of a plot.
class Axis {
 public:
  /// Throws std::invalid_argument for a range whose ends are not finite or not in order, and for a
  /// log scale that begins at 0 or below.
  Axis(Scale scale, Range range, double begin, double end);

  /// The position of a value, which may lie beyond the ends. On a log scale the value must be above
  /// 0; otherwise throws std::invalid_argument as padded_range() does.
  double operator()(double value) const;

  Scale scale() const { return scale_; }
  Range range() const { return range_; }
  double begin() const { return begin_; }
  double end() const { return end_; }

 private:
  Scale scale_;
  Range range_;
  double begin_;
  double end_;
};

struct Tick {
  double value;
  std::string label;  ///< empty for a minor tick
};

/// Ticks within a range, ascending: at 1, 2 or 5 times a power of ten, of which at most
/// `most_labels`, 2 or more, have a label. On a log scale over several decades the powers of ten
/// have the labels, on one over about a decade 3 and 7 too, on one over less than about half a
/// decade the ticks are those of a linear scale.
std::vector<Tick> ticks(Scale scale, Range range, int most_labels);

/// Ticks of an axis whose values are whole numbers from 1 on: at each of `values` where their
/// labels, `label_width` wide at most, have room, otherwise at those ticks() that are whole numbers
/// from 1 on.
std::vector<Tick> count_ticks(const Axis& axis, std::vector<double> values, double label_width);

/// A number for a label: 0.05, 2500, 2×10⁻⁵.
/// \param digits  smallest number of significant digits that distinguishes the labels
std::string number_label(double value, int digits = 1);

}  // namespace kumiko::viz
