// An axis of a chart: which range it shows, where a value lies on it, and its ticks.
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
/// are not finite do not count. Without values, 0 to 1 or, for a log scale, 1 to 10.
/// Throws std::invalid_argument, naming the value, when a log scale is to show one that is not
/// above 0.
Range padded_range(Scale scale, std::span<const double> values);

/// The range of a log scale, widened to a tick with a label where one lies just beyond an end; that
/// of a linear scale as it is.
Range widened_to_ticks(Scale scale, Range range);

/// Says where the values of a range lie between two places, such as the left and the right end of a
/// plot.
class Axis {
 public:
  /// Throws std::invalid_argument for a range whose ends are not finite or not in order, and for a
  /// log scale that begins at 0 or below.
  Axis(Scale scale, Range range, double begin, double end);

  /// The place of a value, which may lie beyond the ends. A log scale wants it above 0: else
  /// std::invalid_argument, as of padded_range().
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
/// decade the ticks of a linear scale serve.
std::vector<Tick> ticks(Scale scale, Range range, int most_labels);

/// Ticks of an axis whose values are whole numbers from 1 on: at each of `values` where their
/// labels, `label_width` wide at most, have room, else at those of ticks() that are such numbers.
std::vector<Tick> count_ticks(const Axis& axis, std::vector<double> values, double label_width);

/// A number for a label: 0.05, 2500, 2×10⁻⁵.
/// \param digits  significant ones that it takes at least to tell the labels apart
std::string number_label(double value, int digits = 1);

}  // namespace kumiko::viz
