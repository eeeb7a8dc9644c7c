// Interpolation between two uniform grids of one interval, along an axis.
#pragma once

#include <cstddef>
#include <vector>

#include <kumiko/amr/geometry.hpp>

namespace kumiko::amr {

/// The points of a uniform grid along an axis.
struct AxisGrid {
  Centring centring;
  int points;  ///< that divide the interval
};

/// Values of points of one grid as weighted sums of those of another grid that divides the same
/// interval, by the polynomials of the transfer operators:
///
/// - node from nodes: the cubic through the four nodes around it; a common node keeps its value;
/// - cell from cells: the difference between its ends of the primitive function, which within each
///   source cell is the quintic through the six ends of the five cells around. The integral over an
///   interval that both grids divide is kept to round-off, whatever the ratio of their spacings;
/// - node from cells: the derivative of that function; at an end of a cell, of the quartic through
///   the five ends around it;
/// - cell from nodes: the mean of the cubics.
///
/// Positions are exact fractions, so that points of both grids are recognised. Weights are applied
/// to differences from one of the values: constants stay to the bit.
class AxisRemap {
 public:
  /// The points outside the domain, at most, that are read at each end of the interval.
  static constexpr int kReach = 2;

  /// For points begin .. end - 1 of the target grid.
  AxisRemap(const AxisGrid& source, const AxisGrid& target, int begin, int end);

  int size() const { return static_cast<int>(rows_.size()); }
  /// The source points that are read: first() .. last() - 1.
  int first() const { return first_; }
  int last() const { return last_; }

  /// The value of target point begin + at.
  /// \param values  address of source point first()
  /// \param stride  from a source point to the next
  double value(int at, const double* values, std::ptrdiff_t stride) const;

 private:
  struct Row {
    int first;    ///< source point of the first weight
    int nearest;  ///< from whose value the differences are taken
    std::vector<double> weights;
  };

  std::vector<Row> rows_;
  int first_;
  int last_;
};

}  // namespace kumiko::amr
