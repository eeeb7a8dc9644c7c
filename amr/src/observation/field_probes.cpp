#include <algorithm>
#include <array>

#include <kumiko/amr/field_probes.hpp>
#include <kumiko/amr/require.hpp>

#include "observation/grid_place.hpp"
#include "observation/own_parts.hpp"

namespace kumiko::amr {

namespace {

/// Of each point of a patch along an axis, the part of its side that lies between two places: 1 if
/// all of it does, to the bit.
struct Shares {
  Shares(int begin, double low, double high) {
    for (int at = 0; at < kPatchSize; ++at) {
      const double side = begin + at;
      of[static_cast<std::size_t>(at)] =
          std::max(0.0, std::min(high, side + 1.0) - std::max(low, side));
    }
  }
  bool empty() const {
    return std::ranges::all_of(of, [](double share) { return share == 0.0; });
  }

  std::array<double, kPatchSize> of;
};

struct BoxSum {
  double sum = 0.0;
  BoxSum& operator+=(const BoxSum& other) {
    sum += other.sum;
    return *this;
  }
};

BoxSum box_sum(const PartlyCovered& leaves, int component, const Rectangle& box, double spacing) {
  const PatchId& id = leaves.patch.id();
  const Shares x(id.i * kPatchSize, grid_place(box.x0, spacing), grid_place(box.x1, spacing));
  const Shares y(id.j * kPatchSize, grid_place(box.y0, spacing), grid_place(box.y1, spacing));
  BoxSum part;
  if (x.empty() || y.empty()) return part;
  const ConstPatchView field = leaves.patch.now();
  for_each_leaf(leaves.covered, [&](int i, int j) {
    const double share = x.of[static_cast<std::size_t>(i)] * y.of[static_cast<std::size_t>(j)];
    if (share > 0.0) part.sum += field(i, j, component) * share;
  });
  part.sum *= spacing * spacing;
  return part;
}

struct ExtremesPart : Extremes {
  ExtremesPart& operator+=(const ExtremesPart& other) {
    if (other.least.value < least.value) least = other.least;
    if (other.greatest.value > greatest.value) greatest = other.greatest;
    return *this;
  }
};

}  // namespace

void check_box(const Geometry& geometry, const Rectangle& box) {
  const Extent extent = geometry.extent();
  require(box.x0 >= 0.0 && box.x0 < box.x1 && box.x1 <= extent.x && box.y0 >= 0.0 &&
              box.y0 < box.y1 && box.y1 <= extent.y,
          "the box from ({:g}, {:g}) to ({:g}, {:g}) must have an area, and lie in the domain, "
          "which reaches from (0, 0) to ({:g}, {:g})",
          box.x0, box.y0, box.x1, box.y1, extent.x, extent.y);
}

std::vector<double> box_integrals(const Hierarchy& hierarchy, const Rectangle& box,
                                  Backend& backend, Communicator& communicator) {
  const Geometry& geometry = hierarchy.geometry();
  check_box(geometry, box);
  const auto parts = reduce_parts<BoxSum>(
      hierarchy, backend, communicator, [&](const PartlyCovered& leaves, int component) {
        return box_sum(leaves, component, box, geometry.spacing(leaves.patch.id().level));
      });
  std::vector<double> sums;
  for (const BoxSum& part : parts) sums.push_back(part.sum);
  return sums;
}

std::vector<Extremes> extremes(const Hierarchy& hierarchy, Backend& backend,
                               Communicator& communicator) {
  const Geometry& geometry = hierarchy.geometry();
  const auto compute = [&](const PartlyCovered& leaves, int component) {
    const PatchId& id = leaves.patch.id();
    const ConstPatchView field = leaves.patch.now();
    ExtremesPart part;
    for_each_leaf(leaves.covered, [&](int i, int j) {
      const Extreme here{field(i, j, component),
                         geometry.coordinate(id.level, id.i * kPatchSize + i),
                         geometry.coordinate(id.level, id.j * kPatchSize + j)};
      if (here.value < part.least.value) part.least = here;
      if (here.value > part.greatest.value) part.greatest = here;
    });
    return part;
  };
  const auto parts = reduce_parts<ExtremesPart>(hierarchy, backend, communicator, compute);
  return {parts.begin(), parts.end()};
}

}  // namespace kumiko::amr
