#include "ghosts/departure_ghosts.hpp"

#include <array>
#include <utility>

#include <fmt/core.h>

#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/instruction_set.hpp>

#include "plan/ghost_region.hpp"
#include "problem/checked_case.hpp"

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

/// The ghosts that a read serves.
GhostRegion region_of(const PlannedRead& read, int ghosts) {
  return {kDirections[read.direction], ghosts};
}

template <class Visit>
void for_each_line(const GhostRegion& region, int quadrant, Visit visit) {
  const bool columns = along_y(region);
  const int layers = columns ? region.i1 - region.i0 : region.j1 - region.j0;
  const int length = columns ? region.j1 - region.j0 : region.i1 - region.i0;
  for (int layer = 0; layer < layers; ++layer) {
    for (int odd = 0; odd < 2; ++odd) {
      const int lanes = (length - odd + 1) / 2;
      if (lanes == 0) continue;
      const int i = region.i0 + (columns ? layer : odd);
      const int j = region.j0 + (columns ? odd : layer);
      visit(Line{i, j, i + region.coarse_shift_i(quadrant), j + region.coarse_shift_j(quadrant),
                 lanes});
    }
  }
}

/// Coarse columns side by side: what the columns of fine ghosts are interpolated from.
class Transposed {
 public:
  static constexpr int kStride = 16;

  /// \param from  the first value of the region that is read
  Transposed(const double* from, std::ptrdiff_t stride, const PlannedRead& read) {
    for (int j = 0; j < kRows; ++j) {
      for (int i = 0; i < read.count; ++i) {
        values_[static_cast<std::size_t>(i * kStride + j)] = from[j * stride + i];
      }
    }
  }

  const double* values() const { return values_.data(); }

 private:
  static constexpr int kColumns = kLargestGhosts / 2 + 1 + 2 * kCoarseReach;
  static constexpr int kRows = kQuadrantSize + 2 * kCoarseReach;

  std::array<double, kColumns * kStride> values_;
};

}  // namespace

DepartureGhosts::DepartureGhosts(const Hierarchy& hierarchy, const Case& problem,
                                 const Solver& solver)
    : hierarchy_(hierarchy),
      case_(problem),
      solver_(solver),
      kernel_(select(&interpolate_baseline, &interpolate_avx2, &interpolate_avx512)) {
  follow_mesh();
}

void DepartureGhosts::fill(int level, std::size_t slot, PatchView target,
                           const GhostTime& when) const {
  std::array<double, 2 * kMostPoints> scratch;
  const std::span<const double> all =
      displacements(level, slot, when.time, when.since_coarse, scratch);
  const double* dx = all.data();
  const double* dy = dx + all.size() / 2;
  const Level& coarser = hierarchy_.level(level - 1);
  for (const PlannedRead& read : hierarchy_.plan().of(level, slot).coarser) {
    const Patch& source = coarser.read(ReadState::kCoarse, static_cast<std::size_t>(read.slot));
    fill_region(read, source.state(when.coarse), target, dx, dy);
    const std::size_t points = region_of(read, target.ghosts()).points();
    dx += points;
    dy += points;
  }
}

void DepartureGhosts::fill_region(const PlannedRead& read, ConstPatchView from, PatchView target,
                                  const double* dx, const double* dy) const {
  const GhostRegion region = region_of(read, target.ghosts());
  const PointRange nodes = region.of_coarse(read.quadrant);
  const bool columns = along_y(region);
  for (int component = 0; component < target.components(); ++component) {
    const auto interpolate = [&](const double* first, std::ptrdiff_t step_x,
                                 std::ptrdiff_t step_y) {
      std::array<DepartureLine, kMostLines> lines;
      std::size_t count = 0;
      std::size_t at = 0;
      for_each_line(region, read.quadrant, [&](const Line& line) {
        lines[count++] = {
            first + ((line.i2 >> 1) - nodes.i0) * step_x + ((line.j2 >> 1) - nodes.j0) * step_y,
            step_x,
            step_y,
            (line.i2 & 1) != 0,
            (line.j2 & 1) != 0,
            dx + at,
            dy + at,
            &target(line.i, line.j, component),
            columns ? 2 * target.stride() : 2,
            line.lanes};
        at += static_cast<std::size_t>(line.lanes);
      });
      kernel_(lines.data(), count);
    };
    const std::ptrdiff_t stride = from.stride();
    const double* const first = from.data() + component * stride * stride + read.from;
    if (columns) {
      interpolate(Transposed(first, stride, read).values(), Transposed::kStride, 1);
    } else {
      interpolate(first, 1, stride);
    }
  }
}

/// The displacements in x, then those in y, in coarse spacings, in the order of regions, lines and
/// lanes.
std::span<const double> DepartureGhosts::displacements(int level, std::size_t slot, double time,
                                                       double tau,
                                                       std::span<double> scratch) const {
  const Reads reads = hierarchy_.plan().of(level, slot).coarser;
  std::size_t points = 0;
  std::uint8_t directions = 0;
  for (const PlannedRead& read : reads) {
    directions |= static_cast<std::uint8_t>(1U << read.direction);
    points += region_of(read, hierarchy_.shape().ghosts).points();
  }
  if (!case_.steady_velocity()) {
    compute(level, reads, time, tau, scratch.first(2 * points));
    return scratch.first(2 * points);
  }
  Kept& kept = kept_.at(level, slot);
  if (kept.directions != directions || kept.tau != tau) {
    std::vector<double> displacements(2 * points);
    compute(level, reads, time, tau, displacements);
    kept = {directions, tau, std::move(displacements)};
  }
  return kept.displacements;
}

void DepartureGhosts::compute(int level, Reads reads, double time, double tau,
                              std::span<double> values) const {
  const Geometry& geometry = hierarchy_.geometry();
  const std::size_t points = values.size() / 2;
  std::array<double, kMostPoints> x;
  std::array<double, kMostPoints> y;
  std::size_t at = 0;
  for (const PlannedRead& read : reads) {
    const GhostRegion region = region_of(read, hierarchy_.shape().ghosts);
    const bool columns = along_y(region);
    // Seen from the coarse patch, so that points beyond a periodic side lie within the domain.
    const PatchId& source = hierarchy_.mesh().ids(level - 1)[static_cast<std::size_t>(read.slot)];
    for_each_line(region, read.quadrant, [&](const Line& line) {
      const int i = 2 * kPatchSize * source.i + line.i2;
      const int j = 2 * kPatchSize * source.j + line.j2;
      for (int lane = 0; lane < line.lanes; ++lane, ++at) {
        x[at] = geometry.coordinate(level, columns ? i : i + 2 * lane);
        y[at] = geometry.coordinate(level, columns ? j + 2 * lane : j);
      }
    });
  }
  const std::span<double> dx = values.first(points);
  const std::span<double> dy = values.last(points);
  const CheckedCase problem(case_);
  solver_.displacement(problem, {{x.data(), points}, {y.data(), points}}, time, tau, {dx, dy});
  if (!problem.is_sound()) {
    const PatchId& source =
        hierarchy_.mesh().ids(level - 1)[static_cast<std::size_t>(reads[0].slot)];
    throw BrokenValueError(
        fmt::format("the case gives a velocity that is not a finite number at t = {:g} in or next "
                    "to {}; correct velocity(), which must write finite values at all points",
                    time, to_string(source)));
  }
  const double per_spacing = 1.0 / geometry.spacing(level - 1);
  for (double& value : values) value *= per_spacing;
}

std::size_t DepartureGhosts::memory_bytes() const {
  std::size_t bytes = kept_.memory_bytes();
  kept_.for_each(
      [&](const Kept& kept) { bytes += kept.displacements.capacity() * sizeof(double); });
  return bytes;
}

}  // namespace kumiko::amr
