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

/// The largest of each component over all owners' patches.
/// \param of_patch  the largest magnitude of a component of a patch
template <class OfPatch>
std::vector<double> largest_of_patches(const Hierarchy& hierarchy, Backend& backend, Owner& owner,
                                       OfPatch of_patch) {
  const auto components = static_cast<std::size_t>(hierarchy.shape().components);
  std::array<double, kMostComponents> largest{};
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
  largest = collect_value(owner, largest, [](auto all, const auto& other) {
    for (std::size_t at = 0; at < all.size(); ++at) all[at] = std::max(all[at], other[at]);
    return all;
  });
  return {largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(components)};
}

}  // namespace

std::vector<double> largest_magnitudes(const Hierarchy& hierarchy, Backend& backend, Owner& owner) {
  return largest_of_patches(hierarchy, backend, owner, largest_in_interior);
}

std::vector<double> largest_magnitudes_with_ghosts(const Hierarchy& hierarchy, Backend& backend,
                                                   Owner& owner) {
  return largest_of_patches(hierarchy, backend, owner, largest_with_ghosts);
}

}  // namespace kumiko::amr
