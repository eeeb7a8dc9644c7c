#include "refinement/magnitudes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <kumiko/amr/case.hpp>

namespace kumiko::amr {

namespace {

double largest_with_ghosts(ConstPatchView field, int component) {
  double largest = 0.0;
  const int ghosts = field.ghosts();
  for (int j = -ghosts; j < kPatchSize + ghosts; ++j) {
    for (int i = -ghosts; i < kPatchSize + ghosts; ++i) {
      largest = std::max(largest, std::abs(field(i, j, component)));
    }
  }
  return largest;
}

double largest_in_interior(ConstPatchView field, int component) {
  return field.interior(component).abs().maxCoeff();
}

using Magnitudes = std::array<double, kMostComponents>;

/// The largest of each component over this rank's patches.
/// \param of_patch  the largest magnitude of a component of a patch
template <class OfPatch>
Magnitudes own_largest(const Hierarchy& hierarchy, Backend& backend, OfPatch of_patch) {
  const auto components = static_cast<std::size_t>(hierarchy.shape().components);
  Magnitudes largest{};
  for (int index = 0; index < hierarchy.used_levels(); ++index) {
    const Level& level = hierarchy.level(index);
    std::vector<double> each(level.size() * components);
    backend.for_each(level, [&](std::size_t slot, int) {
      for (std::size_t component = 0; component < components; ++component) {
        each[slot * components + component] =
            of_patch(level.patch(slot).now(), static_cast<int>(component));
      }
    });
    for (std::size_t at = 0; at < each.size(); ++at) {
      largest[at % components] = std::max(largest[at % components], each[at]);
    }
  }
  return largest;
}

/// Those of the components that there are.
std::vector<double> of_components(const Magnitudes& largest, const Hierarchy& hierarchy) {
  return {largest.begin(), largest.begin() + hierarchy.shape().components};
}

Magnitudes largest_of_ranks(Communicator& communicator, const Magnitudes& own) {
  return collect_value(communicator, own, [](Magnitudes all, const Magnitudes& other) {
    for (std::size_t at = 0; at < all.size(); ++at) all[at] = std::max(all[at], other[at]);
    return all;
  });
}

}  // namespace

std::vector<double> own_magnitudes(const Hierarchy& hierarchy, Backend& backend) {
  return of_components(own_largest(hierarchy, backend, largest_in_interior), hierarchy);
}

std::vector<double> largest_magnitudes(const Hierarchy& hierarchy, Backend& backend,
                                       Communicator& communicator) {
  const Magnitudes own = own_largest(hierarchy, backend, largest_in_interior);
  return of_components(largest_of_ranks(communicator, own), hierarchy);
}

std::vector<double> largest_magnitudes_with_ghosts(const Hierarchy& hierarchy, Backend& backend,
                                                   Communicator& communicator) {
  const Magnitudes own = own_largest(hierarchy, backend, largest_with_ghosts);
  return of_components(largest_of_ranks(communicator, own), hierarchy);
}

}  // namespace kumiko::amr
