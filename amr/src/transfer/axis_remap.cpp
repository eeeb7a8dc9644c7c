#include "transfer/axis_remap.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <kumiko/amr/cubic_weights.hpp>

namespace kumiko::amr {

namespace {

/// A position in units of source points: `index` + `fraction`, which is 0 exactly at a source
/// point.
struct AxisPosition {
  int index;
  double fraction;
};

/// Where a target point stands, or the lower end of a target cell.
AxisPosition axis_position(int point, int source_points, int target_points) {
  const std::int64_t scaled = std::int64_t{point} * source_points;
  return {static_cast<int>(scaled / target_points),
          static_cast<double>(scaled % target_points) / target_points};
}

/// AxisWeights of source points by index.
class AxisWeights {
 public:
  void add(int index, double weight) {
    if (values_.empty()) first_ = index;
    if (index < first_) {
      values_.insert(values_.begin(), static_cast<std::size_t>(first_ - index), 0.0);
      first_ = index;
    }
    const auto at = static_cast<std::size_t>(index - first_);
    if (at >= values_.size()) values_.resize(at + 1, 0.0);
    values_[at] += weight;
  }
  int first() const { return first_; }
  std::vector<double> divided_by(double width) && {
    for (double& value : values_) value /= width;
    return std::move(values_);
  }

 private:
  int first_ = 0;
  std::vector<double> values_;
};

// The ends of five cells around cell 0, whose own ends are 0 and 1.
constexpr int kFirstEnd = -2;
constexpr int kEnds = 6;
using OfEnds = std::array<double, kEnds>;

double end_at(int which) { return kFirstEnd + which; }

/// Lagrange's polynomials of the six ends.
OfEnds polynomials(double x) {
  OfEnds values;
  for (int of = 0; of < kEnds; ++of) {
    double product = 1.0;
    for (int other = 0; other < kEnds; ++other) {
      if (other != of) product *= (x - end_at(other)) / (of - other);
    }
    values[static_cast<std::size_t>(of)] = product;
  }
  return values;
}

/// Their derivatives.
OfEnds derivatives(double x) {
  OfEnds values{};
  for (int of = 0; of < kEnds; ++of) {
    for (int left_out = 0; left_out < kEnds; ++left_out) {
      if (left_out == of) continue;
      double product = 1.0 / (of - left_out);
      for (int other = 0; other < kEnds; ++other) {
        if (other != of && other != left_out) product *= (x - end_at(other)) / (of - other);
      }
      values[static_cast<std::size_t>(of)] += product;
    }
  }
  return values;
}

/// Adds a sum over the primitive function's values at the ends around a cell, as one over cells:
/// a cell adds to the value at every end after it.
void add_of_ends(int cell, const OfEnds& of_ends, double factor, AxisWeights& weights) {
  double sum = 0.0;
  for (int end = kEnds - 1; end > 0; --end) {
    sum += of_ends[static_cast<std::size_t>(end)];
    weights.add(cell + kFirstEnd + end - 1, factor * sum);
  }
}

/// Adds the integral over a cell from its lower end to a place in it.
void add_part(const AxisPosition& to, double factor, AxisWeights& weights) {
  if (to.fraction == 0.0) return;
  add_of_ends(to.index, polynomials(to.fraction), factor, weights);
  // Less that up to the lower end.
  for (int cell = to.index + kFirstEnd; cell < to.index; ++cell) weights.add(cell, -factor);
}

void add_cell_from_cells(const AxisPosition& from, const AxisPosition& to, AxisWeights& weights) {
  for (int cell = from.index; cell < to.index; ++cell) weights.add(cell, 1.0);
  add_part(from, -1.0, weights);
  add_part(to, 1.0, weights);
}

void add_node_from_cells(const AxisPosition& at, AxisWeights& weights) {
  if (at.fraction != 0.0) {
    add_of_ends(at.index, derivatives(at.fraction), 1.0, weights);
    return;
  }
  constexpr std::array kAround = {-1.0 / 12.0, 7.0 / 12.0, 7.0 / 12.0, -1.0 / 12.0};
  int cell = at.index - 2;
  for (const double weight : kAround) weights.add(cell++, weight);
}

void add_node_from_nodes(const AxisPosition& at, double factor, AxisWeights& weights) {
  const CubicWeights cubic = cubic_weights(at.fraction);
  weights.add(at.index, factor * ((1.0 + cubic.a) - cubic.b));
  if (at.fraction == 0.0) return;
  weights.add(at.index - 1, -factor * cubic.a);
  weights.add(at.index + 1, factor * (cubic.b - cubic.c));
  weights.add(at.index + 2, factor * cubic.c);
}

/// Between two nodes by Gauss's rule with two points, which is exact for cubics.
void add_cell_from_nodes(const AxisPosition& from, const AxisPosition& to, AxisWeights& weights) {
  constexpr double kGauss = 0.28867513459481288;  // 1 / (2 √3)
  const int last = to.fraction > 0.0 ? to.index : to.index - 1;
  for (int node = from.index; node <= last; ++node) {
    const double low = node == from.index ? from.fraction : 0.0;
    const double high = node == to.index ? to.fraction : 1.0;
    const double middle = 0.5 * (low + high);
    for (const double side : {-kGauss, kGauss}) {
      add_node_from_nodes({node, middle + side * (high - low)}, 0.5 * (high - low), weights);
    }
  }
}

}  // namespace

AxisRemap::AxisRemap(const AxisGrid& source, const AxisGrid& target, int begin, int end)
    : first_(source.points), last_(0) {
  const bool is_to_cells = target.centring == Centring::kCell;
  const double width = is_to_cells ? static_cast<double>(source.points) / target.points : 1.0;
  for (int point = begin; point < end; ++point) {
    const AxisPosition at = axis_position(point, source.points, target.points);
    const AxisPosition next = axis_position(point + 1, source.points, target.points);
    AxisWeights weights;
    if (source.centring == Centring::kCell) {
      if (is_to_cells) {
        add_cell_from_cells(at, next, weights);
      } else {
        add_node_from_cells(at, weights);
      }
    } else if (is_to_cells) {
      add_cell_from_nodes(at, next, weights);
    } else {
      add_node_from_nodes(at, 1.0, weights);
    }
    const int first = weights.first();
    rows_.push_back({first, at.index, std::move(weights).divided_by(width)});
    first_ = std::min(first_, first);
    last_ = std::max(last_, first + static_cast<int>(rows_.back().weights.size()));
  }
}

double AxisRemap::value(int at, const double* values, std::ptrdiff_t stride) const {
  const Row& row = rows_[static_cast<std::size_t>(at)];
  const double* from = values + (row.first - first_) * stride;
  const double base = values[(row.nearest - first_) * stride];
  double sum = 0.0;
  for (const double weight : row.weights) {
    sum += weight * (*from - base);
    from += stride;
  }
  return base + sum;
}

}  // namespace kumiko::amr
