#include "ghosts/departure_ghosts.hpp"

#include <array>

#include <kumiko/amr/instruction_set.hpp>

#include "ghosts/ghost_region.hpp"

namespace kumiko::amr {

namespace {

/// Lines of one region: two for each layer.
constexpr std::size_t kMostLines = 2 * kLargestGhosts;
/// Points of all regions.
constexpr std::size_t kMostPoints =
    4 * kLargestGhosts * kPatchSize + 4 * kLargestGhosts * kLargestGhosts;

/// Points 2 apart from one another.
struct Line {
  int i, j;    ///< the first one, in the patch's indices
  int i2, j2;  ///< the same within the coarse patch, counted in fine points
  int lanes;
};

/// Rows and corners have their lanes along x, columns along y.
bool along_y(const GhostRegion& region) { return region.j1 - region.j0 == kPatchSize; }

/// Calls visit(region, source, index of its first point) for the regions filled from below.
template <class Visit>
void for_each_coarse_region(const Patch& patch, int ghosts, Visit visit) {
  std::size_t first = 0;
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    const GhostSource& source = patch.ghost_sources[d];
    if (source.kind != GhostSource::Kind::kCoarse) continue;
    const GhostRegion region(kDirections[d], ghosts);
    visit(region, source, first);
    first += static_cast<std::size_t>((region.i1 - region.i0) * (region.j1 - region.j0));
  }
}

template <class Visit>
void for_each_line(const GhostRegion& region, const GhostSource& source, Visit visit) {
  const bool columns = along_y(region);
  const int layers = columns ? region.i1 - region.i0 : region.j1 - region.j0;
  const int length = columns ? region.j1 - region.j0 : region.i1 - region.i0;
  for (int layer = 0; layer < layers; ++layer) {
    for (int odd = 0; odd < 2; ++odd) {
      const int lanes = (length - odd + 1) / 2;
      if (lanes == 0) continue;
      const int i = region.i0 + (columns ? layer : odd);
      const int j = region.j0 + (columns ? odd : layer);
      visit(
          Line{i, j, i + region.coarse_shift_i(source), j + region.coarse_shift_j(source), lanes});
    }
  }
}

/// Coarse columns side by side: what the columns of fine ghosts are interpolated from.
class Transposed {
 public:
  Transposed(ConstPatchView coarse, int component, const GhostRegion& region,
             const GhostSource& source)
      : first_i_(((region.i0 + region.coarse_shift_i(source)) >> 1) - kReach),
        first_j_(((region.j0 + region.coarse_shift_j(source)) >> 1) - kReach) {
    const int columns =
        ((region.i1 - 1 + region.coarse_shift_i(source)) >> 1) + kReach - first_i_ + 1;
    const double* const from = coarse.origin(component) + first_j_ * coarse.stride() + first_i_;
    for (int j = 0; j < kRows; ++j) {
      for (int i = 0; i < columns; ++i) {
        values_[static_cast<std::size_t>(i * kStride + j)] = from[j * coarse.stride() + i];
      }
    }
  }

  const double* at(int i, int j) const {
    return &values_[static_cast<std::size_t>((i - first_i_) * kStride + (j - first_j_))];
  }

  static constexpr int kStride = 16;

 private:
  static constexpr int kReach = 2;
  static constexpr int kRows = kQuadrantSize + 2 * kReach;
  static constexpr int kColumns = kLargestGhosts / 2 + 1 + 2 * kReach;

  int first_i_;
  int first_j_;
  std::array<double, kColumns * kStride> values_;
};

}  // namespace

DepartureGhosts::DepartureGhosts(const Hierarchy& hierarchy, const Case& problem,
                                 const Solver& solver)
    : hierarchy_(hierarchy),
      case_(problem),
      solver_(solver),
      kernel_(select(&interpolate_baseline, &interpolate_avx2, &interpolate_avx512)) {}

void DepartureGhosts::fill(Patch& patch, PatchView target, State coarse, double time,
                           double tau) const {
  std::array<double, 2 * kMostPoints> scratch;
  const std::span<const double> all = displacements(patch, time, tau, scratch);
  const std::size_t points = all.size() / 2;
  const Level& coarser = hierarchy_.level(patch.id().level - 1);
  for_each_coarse_region(
      patch, target.ghosts(),
      [&](const GhostRegion& region, const GhostSource& source, std::size_t first) {
        const ConstPatchView from =
            coarser.patch(static_cast<std::size_t>(source.slot)).state(coarse);
        const bool columns = along_y(region);
        for (int component = 0; component < target.components(); ++component) {
          std::array<DepartureLine, kMostLines> lines;
          std::size_t count = 0;
          std::size_t at = first;
          const auto add = [&](const Line& line, const double* node, std::ptrdiff_t step_x,
                               std::ptrdiff_t step_y) {
            lines[count++] = {node,
                              step_x,
                              step_y,
                              (line.i2 & 1) != 0,
                              (line.j2 & 1) != 0,
                              &all[at],
                              &all[points + at],
                              &target(line.i, line.j, component),
                              columns ? 2 * target.stride() : 2,
                              line.lanes};
            at += static_cast<std::size_t>(line.lanes);
          };
          if (columns) {
            const Transposed transposed(from, component, region, source);
            for_each_line(region, source, [&](const Line& line) {
              add(line, transposed.at(line.i2 >> 1, line.j2 >> 1), Transposed::kStride, 1);
            });
            kernel_(lines.data(), count);
          } else {
            for_each_line(region, source, [&](const Line& line) {
              add(line, &from(line.i2 >> 1, line.j2 >> 1, component), 1, from.stride());
            });
            kernel_(lines.data(), count);
          }
        }
      });
}

/// The displacements in x, then those in y, in coarse spacings, in the order of regions, lines and
/// lanes.
std::span<const double> DepartureGhosts::displacements(Patch& patch, double time, double tau,
                                                       std::span<double> scratch) const {
  std::size_t points = 0;
  std::uint8_t directions = 0;
  const GhostCoefficients& kept = patch.ghost_coefficients;
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    if (patch.ghost_sources[d].kind != GhostSource::Kind::kCoarse) continue;
    directions |= static_cast<std::uint8_t>(1U << d);
    const GhostRegion region(kDirections[d], hierarchy_.shape().ghosts);
    points += static_cast<std::size_t>((region.i1 - region.i0) * (region.j1 - region.j0));
  }
  if (!case_.steady_velocity()) {
    compute(patch, time, tau, scratch.first(2 * points));
    return scratch.first(2 * points);
  }
  if (kept.directions != directions) {
    patch.ghost_coefficients = {directions, std::vector<double>(2 * points)};
    compute(patch, time, tau, patch.ghost_coefficients.values);
  }
  return kept.values;
}

void DepartureGhosts::compute(const Patch& patch, double time, double tau,
                              std::span<double> values) const {
  const Geometry& geometry = hierarchy_.geometry();
  const int level = patch.id().level;
  const std::size_t points = values.size() / 2;
  std::array<double, kMostPoints> x;
  std::array<double, kMostPoints> y;
  std::size_t at = 0;
  for_each_coarse_region(patch, hierarchy_.shape().ghosts,
                         [&](const GhostRegion& region, const GhostSource& source, std::size_t) {
                           const bool columns = along_y(region);
                           for_each_line(region, source, [&](const Line& line) {
                             // Seen from the coarse patch, so that points beyond a periodic side
                             // lie within the domain.
                             const int i = 2 * kPatchSize * source.source.i + line.i2;
                             const int j = 2 * kPatchSize * source.source.j + line.j2;
                             for (int lane = 0; lane < line.lanes; ++lane, ++at) {
                               x[at] = geometry.coordinate(level, columns ? i : i + 2 * lane);
                               y[at] = geometry.coordinate(level, columns ? j + 2 * lane : j);
                             }
                           });
                         });
  const std::span<double> dx = values.first(points);
  const std::span<double> dy = values.last(points);
  solver_.displacement(case_, {{x.data(), points}, {y.data(), points}}, time, tau, {dx, dy});
  const double per_spacing = 1.0 / geometry.spacing(level - 1);
  for (double& value : values) value *= per_spacing;
}

}  // namespace kumiko::amr
