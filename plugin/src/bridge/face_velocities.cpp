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
/// Nodes of a row: the ends of its intervals, and two more where it crosses a seam of the domain.
constexpr std::size_t kLargestRow = amr::kPatchSize + 2 * kLargestMargin + 3 + 2;
using Row = std::array<double, kLargestRow>;

/// Indices of a level's cells along an axis, as a patch and its surroundings see them. Along a
/// periodic axis a cell beyond a seam is the one that it stands for, so that a face has the same
/// place, to the bit, from both sides of the seam.
class AxisIndices {
 public:
  AxisIndices(int first, amr::BoundaryKind kind, double extent, double spacing) : first_(first) {
    if (kind != amr::BoundaryKind::kPeriodic) return;
    const auto cells = std::lround(extent / spacing);
    // A level has a patch at least; less is not the spacing of one.
    if (cells >= amr::kPatchSize) period_ = static_cast<int>(cells);
  }

  int operator()(int cell) const {
    const int at = first_ + cell;
    if (period_ == 0) return at;
    const int rest = at % period_;
    return rest < 0 ? rest + period_ : rest;
  }

 private:
  int first_;
  int period_ = 0;  ///< cells of the axis; 0: not periodic
};

struct PatchAxes {
  AxisIndices x;
  AxisIndices y;
};

PatchAxes axes_of(const amr::Case& problem, const amr::PatchPoints& patch) {
  const amr::Boundaries sides = problem.boundaries();
  const amr::Extent extent = problem.extent();
  return {{patch.first_i, sides.left.kind, extent.x, patch.spacing},
          {patch.first_j, sides.bottom.kind, extent.y, patch.spacing}};
}

/// The ends of consecutive cells along an axis. A seam parts them into runs: the upper end of the
/// cell below it and the lower end of the cell above it are nodes of their own.
struct Nodes {
  struct Run {
    std::size_t node;   ///< its first one; a cell's upper end follows its lower one
    std::size_t cells;  ///< that follow each other without a seam
  };
  Row coordinate;
  std::size_t count = 0;
  std::array<Run, 3> runs;
  std::size_t run_count = 0;

  Nodes(const AxisIndices& axis, int first, int cells, double spacing) {
    int expected = -1;
    for (int cell = first; cell < first + cells; ++cell) {
      const int index = axis(cell);
      if (run_count == 0 || index != expected) {
        runs[run_count++] = {count, 0};
        coordinate[count++] = index * spacing;
      }
      expected = index + 1;
      coordinate[count++] = expected * spacing;
      ++runs[run_count - 1].cells;
    }
  }
};

/// Differences of ψ between the ends of the faces. The divergence of what they give vanishes but
/// for the rounding of ψ's differences.
bool from_stream_function(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                          double dt, int margin, double* x, double* y) {
  const PatchAxes axes = axes_of(problem, patch);
  const int first = -margin - 1;
  const int cells = 18 + 2 * margin;
  const Nodes columns(axes.x, first, cells, patch.spacing);
  const Nodes rows(axes.y, first, cells, patch.spacing);
  const double scale = dt / (patch.spacing * patch.spacing);
  Row ordinate;
  Row lower;
  Row upper;
  const auto fill_row = [&](std::size_t node, Row& values) {
    std::fill_n(ordinate.begin(), columns.count, rows.coordinate[node]);
    return problem.stream_function(
        {{columns.coordinate.data(), columns.count}, {ordinate.data(), columns.count}}, time,
        {values.data(), columns.count});
  };
  bool first_row = true;
  for (std::size_t row_run = 0; row_run < rows.run_count; ++row_run) {
    const Nodes::Run& of_rows = rows.runs[row_run];
    if (!fill_row(of_rows.node, lower)) return false;
    for (std::size_t row = 0; row < of_rows.cells; ++row) {
      fill_row(of_rows.node + row + 1, upper);
      for (std::size_t run = 0; run < columns.run_count; ++run) {
        const std::size_t begin = columns.runs[run].node;
        const std::size_t end = begin + columns.runs[run].cells;
        // The first cell and the first row only lie beside faces that are wanted.
        for (std::size_t at = begin + (run == 0 ? 1 : 0); at < end; ++at) {
          *x++ = (upper[at] - lower[at]) * scale;
        }
        if (first_row) continue;
        for (std::size_t at = begin; at < end; ++at) *y++ = (lower[at] - lower[at + 1]) * scale;
      }
      first_row = false;
      std::swap(lower, upper);
    }
  }
  return true;
}

/// Mean of one velocity component over the faces of a row, the lower ones of the cells from (i0, j)
/// on.
void mean_velocity(const amr::Case& problem, const PatchAxes& axes, double spacing, double time,
                   amr::FaceAxis axis, int i0, int j, std::span<double> values) {
  constexpr double kGauss = 0.5 * std::numbers::inv_sqrt3;
  const bool is_x = axis == amr::FaceAxis::kX;
  const std::size_t count = values.size();
  Row x;
  Row y;
  std::array<Row, 2> vx;
  std::array<Row, 2> vy;
  for (std::size_t end = 0; end < 2; ++end) {
    const double along = 0.5 + (end == 0 ? -kGauss : kGauss);
    for (std::size_t at = 0; at < count; ++at) {
      x[at] = (axes.x(i0 + static_cast<int>(at)) + (is_x ? 0.0 : along)) * spacing;
    }
    std::fill_n(y.begin(), count, (axes.y(j) + (is_x ? along : 0.0)) * spacing);
    problem.velocity({{x.data(), count}, {y.data(), count}}, time,
                     {{vx[end].data(), count}, {vy[end].data(), count}});
  }
  const std::array<Row, 2>& v = is_x ? vx : vy;
  for (std::size_t at = 0; at < count; ++at) values[at] = 0.5 * (v[0][at] + v[1][at]);
}

void from_velocity(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                   int margin, std::span<double> values) {
  const PatchAxes axes = axes_of(problem, patch);
  const auto short_row = static_cast<std::size_t>(17 + 2 * margin);
  const std::size_t long_row = short_row + 1;
  for (std::size_t row = 0; row < long_row; ++row) {
    mean_velocity(problem, axes, patch.spacing, time, amr::FaceAxis::kX, -margin,
                  -margin - 1 + static_cast<int>(row), values.subspan(row * short_row, short_row));
  }
  const std::span<double> y = values.subspan(long_row * short_row);
  for (std::size_t row = 0; row < short_row; ++row) {
    mean_velocity(problem, axes, patch.spacing, time, amr::FaceAxis::kY, -margin - 1,
                  -margin + static_cast<int>(row), y.subspan(row * long_row, long_row));
  }
  for (double& value : values) value *= dt / patch.spacing;
}

/// Refuses an array that does not hold all faces: the values of one axis would be taken for others.
void require_room(const char* function, std::size_t count, int margin) {
  if (count >= face_values(margin)) return;
  throw std::invalid_argument(std::string(function) + " was given " + std::to_string(count) +
                              " values, but face_values(" + std::to_string(margin) + ") is " +
                              std::to_string(face_values(margin)) +
                              "; coefficients() must count all that prepare() fills");
}

}  // namespace

void fill_face_velocities(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                          double dt, int margin, std::span<double> values) {
  if (margin < 0 || margin > kLargestMargin) {
    throw std::invalid_argument("faces of " + std::to_string(margin) +
                                " layers of ghost cells are asked for; 0 to " +
                                std::to_string(kLargestMargin) + " are possible");
  }
  require_room("fill_face_velocities()", values.size(), margin);
  values = values.first(face_values(margin));
  double* const y = values.data() + values.size() / 2;
  if (from_stream_function(problem, patch, time, dt, margin, values.data(), y)) return;
  from_velocity(problem, patch, time, dt, margin, values);
}

double cfl_number(std::span<const double> values, int margin) {
  require_room("cfl_number()", values.size(), margin);
  values = values.first(face_values(margin));
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
