#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>

#include <kumiko/amr/finite_values.hpp>
#include <kumiko/amr/instruction_set.hpp>
#include <kumiko/plugin/face_velocities.hpp>

#include "bridge/face_kernel.hpp"

namespace kumiko::plugin {

namespace {

/// Nodes of a row: the ends of its intervals, and two more where it crosses a seam of the domain.
constexpr std::size_t kLargestRow = amr::kPatchSize + 2 * kMostFaceMargin + 3 + 2;
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
  Row coordinate;
  std::size_t count = 0;
  std::array<NodeRun, 3> runs;
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

static_assert(kFaceCells == amr::kPatchSize);

const FaceKernel& kernel() {
  static const FaceKernel widest =
      amr::select(&face_kernel_baseline, &face_kernel_avx2, &face_kernel_avx512)();
  return widest;
}

/// Differences of ψ between the ends of the faces. The divergence of what they give vanishes but
/// for the rounding of ψ's differences. ψ is asked for once, at all nodes.
bool from_stream_function(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                          double dt, int margin, double* x, double* y) {
  const PatchAxes axes = axes_of(problem, patch);
  const int first = -margin - 1;
  const int cells = 18 + 2 * margin;
  const Nodes columns(axes.x, first, cells, patch.spacing);
  const Nodes rows(axes.y, first, cells, patch.spacing);
  std::array<double, kLargestRow * kLargestRow> node_x;
  std::array<double, kLargestRow * kLargestRow> node_y;
  std::array<double, kLargestRow * kLargestRow> psi;
  const std::size_t width = columns.count;
  const std::size_t count = rows.count * width;
  kernel().spread(columns.coordinate.data(), width, rows.coordinate.data(), rows.count,
                  node_x.data(), node_y.data());
  if (!problem.stream_function({{node_x.data(), count}, {node_y.data(), count}}, time,
                               {psi.data(), count})) {
    return false;
  }
  kernel().subtract({psi.data(),
                     width,
                     {columns.runs.data(), columns.run_count},
                     {rows.runs.data(), rows.run_count}},
                    dt / (patch.spacing * patch.spacing), x, y);
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
/// \param head  values before those of the faces
void require_room(const char* function, std::size_t count, int margin, std::size_t head = 0) {
  const std::size_t needed = head + face_values(margin);
  if (count >= needed) return;
  throw std::invalid_argument(std::string(function) + " was given " + std::to_string(count) +
                              " values, but " + (head > 0 ? "face_flow_values(" : "face_values(") +
                              std::to_string(margin) + ") is " + std::to_string(needed) +
                              "; coefficients() must count all that prepare() fills");
}

// The head of a flow's coefficients, before the faces.
constexpr std::size_t kSpacing = 0;
constexpr std::size_t kIsScaled = 1;  ///< 1 where the values are to be multiplied by the scale
constexpr std::size_t kScale = 2;     ///< Courant numbers per value
constexpr std::size_t kCfl = 3;       ///< the CFL number of the values
static_assert(kFaceFlowHead == kCfl + 1);

}  // namespace

void fill_face_velocities(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                          double dt, int margin, std::span<double> values) {
  if (margin < 0 || margin > kMostFaceMargin) {
    throw std::invalid_argument("faces of " + std::to_string(margin) +
                                " layers of ghost cells are asked for; 0 to " +
                                std::to_string(kMostFaceMargin) + " are possible");
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
  if (!amr::are_finite(values)) return std::numeric_limits<double>::quiet_NaN();
  const Faces x = faces_x(values.data(), margin);
  const Faces y = faces_y(values.data(), margin);
  return kernel().largest({x.origin, x.stride, y.origin, y.stride});
}

double velocity_factor_at(const amr::Case& problem, double time) {
  if (const std::optional<double> factor = problem.velocity_factor(time)) return *factor;
  throw std::runtime_error("the case gives a velocity_factor() at some times, but none at t = " +
                           std::to_string(time) + "; let it have one at all times or at none");
}

double fill_face_flow(const amr::Case& problem, const amr::PatchPoints& patch, double time,
                      double dt, int margin, std::span<double> coefficients) {
  require_room("fill_face_flow()", coefficients.size(), margin, kFaceFlowHead);
  const std::span<double> values = coefficients.subspan(kFaceFlowHead);
  const bool is_steady = problem.steady_velocity();
  const double unit_time = problem.unit_factor_time();
  const bool is_scaled = !is_steady && problem.velocity_factor(unit_time).has_value();
  fill_face_velocities(problem, patch, is_scaled ? unit_time : time, is_scaled ? 1.0 : dt, margin,
                       values);
  coefficients[kSpacing] = patch.spacing;
  coefficients[kIsScaled] = is_scaled ? 1.0 : 0.0;
  coefficients[kScale] = 1.0;
  coefficients[kCfl] = cfl_number(values, margin);
  return is_scaled ? rescale_face_flow(problem, time, dt, coefficients) : coefficients[kCfl];
}

double rescale_face_flow(const amr::Case& problem, double time, double dt,
                         std::span<double> coefficients) {
  const double scale = velocity_factor_at(problem, time) * dt;
  coefficients[kScale] = scale;
  return std::abs(scale) * coefficients[kCfl];
}

const double* face_courant_numbers(std::span<const double> coefficients, int margin,
                                   std::span<double> scaled) {
  require_room("FaceFlow", coefficients.size(), margin, kFaceFlowHead);
  const std::size_t count = face_values(margin);
  if (scaled.size() < count) {
    throw std::invalid_argument("FaceFlow has room for a smaller margin than " +
                                std::to_string(margin));
  }
  const double* const values = coefficients.data() + kFaceFlowHead;
  if (coefficients[kIsScaled] == 0.0) return values;
  const double scale = coefficients[kScale];
  for (std::size_t at = 0; at < count; ++at) scaled[at] = scale * values[at];
  return scaled.data();
}

}  // namespace kumiko::plugin
