#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include <kumiko/plugin/face_velocities.hpp>

namespace kumiko::plugin {

namespace {

constexpr int kLargestMargin = 6;
constexpr std::size_t kLargestRow = amr::kPatchSize + 2 * kLargestMargin + 3;
using Row = std::array<double, kLargestRow>;

/// A place within a patch: whole spacings, and a part of one. Apart, so that it is rounded alike
/// from every patch that it is seen from.
struct Index {
  int whole;
  double part = 0.0;

  double coordinate(int first, std::size_t at, double spacing) const {
    return (static_cast<double>(first + whole + static_cast<int>(at)) + part) * spacing;
  }
};

/// A row of points of a patch: x runs from index i0 on by whole spacings, y is one value.
struct RowPoints {
  Row x;
  Row y;
  std::size_t count;

  RowPoints(const amr::PatchPoints& patch, Index i0, Index j, std::size_t points) : count(points) {
    for (std::size_t at = 0; at < count; ++at) {
      x[at] = i0.coordinate(patch.first_i, at, patch.spacing);
      y[at] = j.coordinate(patch.first_j, 0, patch.spacing);
    }
  }
  amr::Points points() const { return {{x.data(), count}, {y.data(), count}}; }
};

/// Differences of ψ between the ends of the faces. The divergence of what they give vanishes but
/// for the rounding of ψ's differences.
bool from_stream_function(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                          double dt, int margin, double* x, double* y) {
  const int first = -margin - 1;
  const auto nodes = static_cast<std::size_t>(19 + 2 * margin);
  const double scale = dt / (patch.spacing * patch.spacing);
  Row lower;
  Row upper;
  for (std::size_t row = 0; row < nodes; ++row) {
    const RowPoints points(patch, {first}, {first + static_cast<int>(row)}, nodes);
    if (!problem.stream_function(points.points(), time, {upper.data(), nodes})) return false;
    if (row > 0) {
      for (std::size_t at = 1; at + 1 < nodes; ++at) *x++ = (upper[at] - lower[at]) * scale;
    }
    if (row > 0 && row + 1 < nodes) {
      for (std::size_t at = 0; at + 1 < nodes; ++at) *y++ = (upper[at] - upper[at + 1]) * scale;
    }
    std::swap(lower, upper);
  }
  return true;
}

/// Mean of one velocity component over the faces of a row, the lower ones of the cells from (i0, j)
/// on.
void mean_velocity(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                   amr::FaceAxis axis, int i0, int j, std::span<double> values) {
  constexpr double kGauss = 0.5 * std::numbers::inv_sqrt3;
  const bool is_x = axis == amr::FaceAxis::kX;
  std::array<Row, 2> vx;
  std::array<Row, 2> vy;
  for (std::size_t end = 0; end < 2; ++end) {
    const double along = 0.5 + (end == 0 ? -kGauss : kGauss);
    const RowPoints points(patch, {i0, is_x ? 0.0 : along}, {j, is_x ? along : 0.0}, values.size());
    problem.velocity(points.points(), time,
                     {{vx[end].data(), values.size()}, {vy[end].data(), values.size()}});
  }
  const std::array<Row, 2>& v = is_x ? vx : vy;
  for (std::size_t at = 0; at < values.size(); ++at) values[at] = 0.5 * (v[0][at] + v[1][at]);
}

void from_velocity(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                   int margin, std::span<double> values) {
  const auto short_row = static_cast<std::size_t>(17 + 2 * margin);
  const std::size_t long_row = short_row + 1;
  for (std::size_t row = 0; row < long_row; ++row) {
    mean_velocity(problem, patch, time, amr::FaceAxis::kX, -margin,
                  -margin - 1 + static_cast<int>(row), values.subspan(row * short_row, short_row));
  }
  const std::span<double> y = values.subspan(long_row * short_row);
  for (std::size_t row = 0; row < short_row; ++row) {
    mean_velocity(problem, patch, time, amr::FaceAxis::kY, -margin - 1,
                  -margin + static_cast<int>(row), y.subspan(row * long_row, long_row));
  }
  for (double& value : values) value *= dt / patch.spacing;
}

}  // namespace

void fill_face_velocities(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                          double dt, int margin, std::span<double> values) {
  if (margin < 0 || margin > kLargestMargin) {
    throw std::invalid_argument("faces of " + std::to_string(margin) +
                                " layers of ghost cells are asked for; 0 to " +
                                std::to_string(kLargestMargin) + " are possible");
  }
  double* const y = values.data() + values.size() / 2;
  if (from_stream_function(problem, patch, time, dt, margin, values.data(), y)) return;
  from_velocity(problem, patch, time, dt, margin, values);
}

double cfl_number(std::span<const double> values, int margin) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(values, finite)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const Faces x = faces_x(values.data(), margin);
  const Faces y = faces_y(values.data(), margin);
  double largest = 0.0;
  for (int j = 0; j < amr::kPatchSize; ++j) {
    for (int i = 0; i < amr::kPatchSize; ++i) {
      const double* const west = x.origin + j * x.stride + i;
      const double* const south = y.origin + j * y.stride + i;
      largest = std::max(largest, std::max(std::abs(west[0]), std::abs(west[1])) +
                                      std::max(std::abs(south[0]), std::abs(south[y.stride])));
    }
  }
  return largest;
}

}  // namespace kumiko::plugin
