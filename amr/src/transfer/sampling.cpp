#include "transfer/sampling.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "transfer/transfer.hpp"

namespace kumiko::amr {

namespace {

/// Gauss–Legendre points, in spacings from the cell's centre, and weights, which add up to 1.
constexpr std::array<double, 4> kGaussPoints = {-0.43056815579702629, -0.16999052179242813,
                                                0.16999052179242813, 0.43056815579702629};
constexpr std::array<double, 4> kGaussWeights = {0.17392742256872692, 0.32607257743127308,
                                                 0.32607257743127308, 0.17392742256872692};

using Batch = std::array<double, kPatchPoints>;

/// The field at one Gauss point of every cell.
bool at_gauss_point(Points centres, double dx, double dy, const FieldFunction& field,
                    std::span<double> values) {
  Batch x;
  Batch y;
  for (std::size_t at = 0; at < values.size(); ++at) {
    x[at] = centres.x[at] + dx;
    y[at] = centres.y[at] + dy;
  }
  return field({{x.data(), values.size()}, {y.data(), values.size()}}, values);
}

/// The first Gauss point's value plus weighted differences from it: no rounding of a constant.
bool average_cells(Points centres, double spacing, const FieldFunction& field,
                   std::span<double> values) {
  Batch first_values;
  Batch other_values;
  const auto first = std::span(first_values).first(values.size());
  const auto other = std::span(other_values).first(values.size());
  if (!at_gauss_point(centres, kGaussPoints[0] * spacing, kGaussPoints[0] * spacing, field,
                      first)) {
    return false;
  }
  std::ranges::copy(first, values.begin());
  for (std::size_t point = 1; point < kGaussPoints.size() * kGaussPoints.size(); ++point) {
    const std::size_t p = point % kGaussPoints.size();
    const std::size_t q = point / kGaussPoints.size();
    const double weight = kGaussWeights[p] * kGaussWeights[q];
    if (!at_gauss_point(centres, kGaussPoints[p] * spacing, kGaussPoints[q] * spacing, field,
                        other)) {
      return false;
    }
    for (std::size_t at = 0; at < first.size(); ++at)
      values[at] += weight * (other[at] - first[at]);
  }
  return true;
}

}  // namespace

bool sample(const Geometry& geometry, int level, Points points, const FieldFunction& field,
            std::span<double> values) {
  if (geometry.centring() == Centring::kNode) return field(points, values);
  return average_cells(points, geometry.spacing(level), field, values);
}

bool sample_patch(const Geometry& geometry, const PatchId& id, const FieldFunction& field,
                  std::span<double> values) {
  const PatchCoordinates coordinates(geometry, id);
  return sample(geometry, id.level, coordinates.points(), field, values);
}

}  // namespace kumiko::amr
