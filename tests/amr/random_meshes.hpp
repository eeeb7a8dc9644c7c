// Random meshes of two and three axes, and what it means by points that they nest.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/mesh.hpp>

#include "mesh/mesh_body.hpp"

namespace kumiko::amr::test {

inline constexpr int kMeshes = 12;

template <int Axes>
using IdSet = std::set<PatchIdOf<Axes>>;

template <int Axes>
IdSet<Axes> as_set(const Mesh<Axes>& mesh, int level) {
  return {mesh.ids(level).begin(), mesh.ids(level).end()};
}

template <int Axes>
BaseGrid<Axes> small_base() {
  BaseGrid<Axes> base;
  base.patches.fill(2);
  base.patches[0] = 3;
  base.extent.fill(1.0);
  base.extent[0] = 1.5;
  return base;
}

/// Calls visit with all tuples of `count` numbers for each axis, the first running fastest.
template <int Axes, class Visit>
void for_each_tuple(int count, Visit visit) {
  std::array<int, Axes> tuple{};
  int axis = 0;
  while (axis < Axes) {
    visit(tuple);
    for (axis = 0; axis < Axes; ++axis) {
      if (++tuple[static_cast<std::size_t>(axis)] < count) break;
      tuple[static_cast<std::size_t>(axis)] = 0;
    }
  }
}

/// Whether the points within a patch and one beyond its sides have patches on the level below
/// wherever they are in the domain, each by its own place.
template <int Axes>
bool points_have_coarse_ones(const BaseGrid<Axes>& base, const IdSet<Axes>& coarser,
                             const PatchIdOf<Axes>& id) {
  constexpr std::array<int, 4> kPoints = {-1, 0, kPatchSize - 1, kPatchSize};
  bool all = true;
  for_each_tuple<Axes>(4, [&](const std::array<int, Axes>& which) {
    PatchIdOf<Axes> holder;
    holder.level = id.level - 1;
    for (int axis = 0; axis < Axes; ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      const int points = (base.patches[at] * kPatchSize) << id.level;
      int point = id.along(axis) * kPatchSize + kPoints[static_cast<std::size_t>(which[at])];
      if (base.periodic[at]) point = (point + points) % points;
      if (point < 0 || point >= points) return;  // outside
      holder.along(axis) = point / 2 / kPatchSize;
    }
    all = all && coarser.count(holder) > 0;
  });
  return all;
}

/// A mesh of up to four levels with random patches.
/// \param nested  whether patches that do not nest are left out
template <int Axes>
Mesh<Axes> random_mesh(unsigned seed, bool nested = true) {
  std::mt19937 random(seed);
  BaseGrid<Axes> base = small_base<Axes>();
  for (bool& periodic : base.periodic) periodic = random() % 2 == 0;
  Mesh<Axes> mesh(base);
  for (int level = 0; level < (Axes == 2 ? 3 : 2); ++level) {
    const IdSet<Axes> coarser = as_set(mesh, level);
    IdSet<Axes> finer;
    for (const auto& id : coarser) {
      const unsigned chance = random() % 8;  // refined places lie together
      for (int quadrant = 0; quadrant < 1 << Axes; ++quadrant) {
        const auto child = child_of(id, quadrant);
        if (random() % 8 > chance + 2) continue;
        if (!nested || points_have_coarse_ones(base, coarser, child)) finer.insert(child);
      }
    }
    std::vector<std::int32_t> ranks;
    for (std::size_t at = 0; at < finer.size(); ++at) {
      ranks.push_back(static_cast<std::int32_t>(random() % 3));
    }
    mesh.assign(level + 1, {finer.begin(), finer.end()}, ranks);
    if (finer.empty()) break;
  }
  return mesh;
}

template <class Axes>
class OnMeshes : public testing::Test {
 protected:
  static constexpr int kCount = Axes::value;
  using Id = PatchIdOf<kCount>;

  /// Calls check with each of the random meshes.
  template <class Check>
  static void for_meshes(Check check) {
    int deepest = 0;
    for (unsigned seed = 1; seed <= kMeshes; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed);
      const Mesh<kCount> mesh = random_mesh<kCount>(seed);
      deepest = std::max(deepest, mesh.levels());
      check(mesh, seed);
    }
    EXPECT_GE(deepest, 3) << "no mesh is deep enough to tell something";
  }

  /// Calls visit with every place of a level, one row of places around the domain included.
  template <class Visit>
  static void for_places(const BaseGrid<kCount>& base, int level, Visit visit) {
    const int most = *std::max_element(base.patches.begin(), base.patches.end()) << level;
    for_each_tuple<kCount>(most + 2, [&](const std::array<int, kCount>& place) {
      Id id;
      id.level = level;
      for (int axis = 0; axis < kCount; ++axis) {
        id.along(axis) = place[static_cast<std::size_t>(axis)] - 1;
      }
      visit(id);
    });
  }
};

class AxesName {
 public:
  template <class Axes>
  static std::string GetName(int) {
    return Axes::value == 2 ? "Plane" : "Space";
  }
};

using AllAxes = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;

}  // namespace kumiko::amr::test
