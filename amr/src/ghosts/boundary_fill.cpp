#include "ghosts/boundary_fill.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <fmt/core.h>

#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/finite_values.hpp>
#include <kumiko/amr/solver.hpp>

#include "transfer/sampling.hpp"

namespace kumiko::amr {

namespace {

/// What lies beyond a patch along one axis.
struct Axis {
  const Boundary* side = nullptr;  ///< the side that is crossed; nullptr when none is
  Side which = Side::kLeft;        ///< of a side that is crossed
  int first = 0;                   ///< ghosts first .. last - 1, in the patch's indices
  int last = kPatchSize;
  int outermost = 0;  ///< the patch's point at the side
  int mirror = 0;     ///< index + mirrored index, the wall being half-way

  bool is(BoundaryKind kind) const { return side != nullptr && side->kind == kind; }
  /// Whether the search for a ghost's value ends at this side.
  bool ends() const { return is(BoundaryKind::kFixedValue) || is(BoundaryKind::kPrescribed); }

  /// The index within the domain whose value the ghost takes.
  int source(int index) const {
    if (side == nullptr) return index;
    return side->kind == BoundaryKind::kReflecting ? mirror - index : outermost;
  }
};

/// \param sides     the conditions in the order of Side
/// \param low       the axis's lower side; the upper one follows it
/// \param position  of the patch along the axis, of `count` that cover the domain
/// \param step      -1, 0 or 1, to the ghosts
Axis axis(const std::array<Boundary, 4>& sides, Side low, int position, int count, int step,
          int ghosts) {
  Axis result;
  if (step == 0) return result;
  result.first = step < 0 ? -ghosts : kPatchSize;
  result.last = step < 0 ? 0 : kPatchSize + ghosts;
  result.outermost = step < 0 ? 0 : kPatchSize - 1;
  result.mirror = step < 0 ? -1 : 2 * kPatchSize - 1;
  const std::size_t crossed = static_cast<std::size_t>(low) + (step < 0 ? 0 : 1);
  const bool beyond = position + step < 0 || position + step >= count;
  if (beyond && sides[crossed].kind != BoundaryKind::kPeriodic) {
    result.side = &sides[crossed];
    result.which = static_cast<Side>(crossed);
  }
  return result;
}

void fill_value(const Axis& x, const Axis& y, double value, PatchView target) {
  for (int component = 0; component < target.components(); ++component) {
    for (int j = y.first; j < y.last; ++j) {
      double* const row = &target(x.first, j, component);
      std::fill(row, row + (x.last - x.first), value);
    }
  }
}

void copy_points(const Axis& x, const Axis& y, PatchView target) {
  for (int component = 0; component < target.components(); ++component) {
    for (int j = y.first; j < y.last; ++j) {
      const int from = y.source(j);
      for (int i = x.first; i < x.last; ++i) {
        target(i, j, component) = target(x.source(i), from, component);
      }
    }
  }
}

int wrapped(int index, int count) { return ((index % count) + count) % count; }

/// Asks the case for the points beyond one of its sides, at the nodes or as averages over the
/// cells, as of its initial state. Along the other axis the search has
/// come to the point within the domain, if it went there before; across periodic sides it ends
/// within the domain, too.
void fill_prescribed(const Geometry& geometry, const Case& problem, const PatchId& id,
                     const Axis& x, const Axis& y, double time, PatchView target,
                     int first_component) {
  constexpr std::size_t kMost = kPatchSize * kLargestGhosts;
  static_assert(kMost <= kPatchPoints);
  const bool by_x = x.ends();
  std::array<double, kMost> at_x;
  std::array<double, kMost> at_y;
  std::size_t count = 0;
  for (int j = y.first; j < y.last; ++j) {
    int of_y = id.j * kPatchSize + j;
    if (geometry.boundaries().periodic_y()) of_y = wrapped(of_y, geometry.points_y(id.level));
    for (int i = x.first; i < x.last; ++i, ++count) {
      int of_x = id.i * kPatchSize + (by_x ? i : x.source(i));
      if (geometry.boundaries().periodic_x()) of_x = wrapped(of_x, geometry.points_x(id.level));
      at_x[count] = geometry.coordinate(id.level, of_x);
      at_y[count] = geometry.coordinate(id.level, of_y);
    }
  }
  const Points points{std::span(at_x).first(count), std::span(at_y).first(count)};
  std::array<double, kMost> values;
  for (int component = 0; component < target.components(); ++component) {
    const int of_case = first_component + component;
    const auto beyond = [&](Points at, std::span<double> of_points) {
      problem.boundary_values(by_x ? x.which : y.which, at, of_case, time, of_points);
      return true;
    };
    sample(geometry, id.level, points, beyond, std::span(values).first(count));
    if (!are_finite(std::span(values).first(count))) {
      throw BrokenValueError(fmt::format(
          "the case's boundary value of component {} next to {} at t = {:g} is not "
          "finite; correct boundary_values(), which must write finite values at all points",
          of_case, to_string(id), time));
    }
    const double* from = values.data();
    for (int j = y.first; j < y.last; ++j) {
      std::copy_n(from, x.last - x.first, &target(x.first, j, component));
      from += x.last - x.first;
    }
  }
}

}  // namespace

void fill_outside(const Geometry& geometry, const Case& problem, const PatchId& id,
                  unsigned outside, PatchView target, double time, int first_component) {
  const std::array<Boundary, 4> sides = geometry.boundaries().sides();
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    if ((outside >> d & 1U) == 0) continue;
    const Axis x = axis(sides, Side::kLeft, id.i, geometry.patches_x(id.level), kDirections[d].dx,
                        target.ghosts());
    const Axis y = axis(sides, Side::kBottom, id.j, geometry.patches_y(id.level), kDirections[d].dy,
                        target.ghosts());
    if (!x.ends() && !y.ends()) {
      copy_points(x, y, target);
      continue;
    }
    const Axis& last = x.ends() ? x : y;
    if (last.is(BoundaryKind::kFixedValue)) {
      fill_value(x, y, last.side->value, target);
    } else {
      fill_prescribed(geometry, problem, id, x, y, time, target, first_component);
    }
  }
}

}  // namespace kumiko::amr
