// Contract: after reflux() every point beside a finer patch has gained what the finer patches let
// through instead of what the coarse one did, and no other point has changed.
#include "transfer/reflux.hpp"

#include <array>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

constexpr int kCells = 48;
constexpr int kComponents = 2;

/// A flux for every face of a level, by the face's position in the periodic domain.
double flux(int level, FaceAxis axis, int i, int j, int component, int substep) {
  const int cells = kCells << level;
  const int at = ((i + cells) % cells) * 131 + ((j + cells) % cells) * 17 + level * 7 +
                 static_cast<int>(axis) * 3 + component * 5 + substep * 11;
  return (at * 7919 % 1009) / 64.0;  // sums of few of them are exact
}

void set_fluxes(Patch& patch, int substep) {
  const int i0 = patch.id().i * kPatchSize;
  const int j0 = patch.id().j * kPatchSize;
  for (int component = 0; component < kComponents; ++component) {
    for (int line = 0; line < FaceFluxes::kLines; ++line) {
      for (int k = 0; k < kPatchSize; ++k) {
        patch.fluxes().line(FaceAxis::kX, line, component)[k] =
            flux(patch.id().level, FaceAxis::kX, i0 + 8 * line, j0 + k, component, substep);
        patch.fluxes().line(FaceAxis::kY, line, component)[k] =
            flux(patch.id().level, FaceAxis::kY, i0 + k, j0 + 8 * line, component, substep);
      }
    }
  }
}

/// What the two fine faces within a coarse one let through in both substeps, less what the coarse
/// one did.
double difference(FaceAxis axis, int i, int j, int component) {
  double fine = 0.0;
  for (int substep = 0; substep < 2; ++substep) {
    for (int half = 0; half < 2; ++half) {
      fine += 0.5 * flux(1, axis, 2 * i + (axis == FaceAxis::kY ? half : 0),
                         2 * j + (axis == FaceAxis::kX ? half : 0), component, substep);
    }
  }
  return fine - flux(0, axis, i, j, component, 0);
}

/// An L, a patch at a corner of the periodic domain, and one at its right side.
const std::vector<PatchId> kFine = {{1, 2, 2}, {1, 3, 2}, {1, 2, 3}, {1, 0, 0}, {1, 5, 4}};

bool covered(int i, int j) {
  const int fine_patches = 2 * kCells / kPatchSize;
  const auto patch = [&](int index) {
    return ((index + kCells) % kCells) * 2 / kPatchSize % fine_patches;
  };
  return std::find(kFine.begin(), kFine.end(), PatchId{1, patch(i), patch(j)}) != kFine.end();
}

double expected_gain(int i, int j, int component) {
  if (covered(i, j)) return 0.0;
  double gain = 0.0;
  if (covered(i - 1, j)) gain += difference(FaceAxis::kX, i, j, component);
  if (covered(i + 1, j)) gain -= difference(FaceAxis::kX, i + 1, j, component);
  if (covered(i, j - 1)) gain += difference(FaceAxis::kY, i, j, component);
  if (covered(i, j + 1)) gain -= difference(FaceAxis::kY, i, j + 1, component);
  return gain * kCells;
}

TEST(Reflux, GivenFinePatchesAnywhereThenExactlyTheirNeighboursAreCorrected) {
  Hierarchy hierarchy(
      Geometry(kCells, kCells, {1.0, 1.0}, {BoundaryKind::kPeriodic, BoundaryKind::kPeriodic, 0.0},
               Centring::kCell),
      2, {kComponents, 2, 0, true});
  hierarchy.change(1, kFine);
  for (const int substep : {0, 1}) {
    for (std::size_t slot = 0; slot < hierarchy.level(1).size(); ++slot) {
      Patch& fine = hierarchy.level(1).patch(slot);
      set_fluxes(fine, substep);
      accumulate_fluxes(fine, substep);
    }
  }
  std::set<int> faces_per_point;
  for (std::size_t slot = 0; slot < hierarchy.level(0).size(); ++slot) {
    Patch& coarse = hierarchy.level(0).patch(slot);
    set_fluxes(coarse, 0);
    coarse.next().interior(0) = 0.0;
    coarse.next().interior(1) = 0.0;
    reflux(hierarchy, 0, slot, coarse.next());
    for (int point = 0; point < kComponents * kPatchPoints; ++point) {
      const int component = point / kPatchPoints;
      const int i = point % kPatchSize;
      const int j = point / kPatchSize % kPatchSize;
      const int level_i = coarse.id().i * kPatchSize + i;
      const int level_j = coarse.id().j * kPatchSize + j;
      ASSERT_NEAR(coarse.next()(i, j, component), expected_gain(level_i, level_j, component), 1e-10)
          << to_string(coarse.id()) << " point (" << i << ", " << j << ") component " << component;
      if (covered(level_i, level_j)) continue;
      faces_per_point.insert(covered(level_i - 1, level_j) + covered(level_i + 1, level_j) +
                             covered(level_i, level_j - 1) + covered(level_i, level_j + 1));
    }
  }
  EXPECT_EQ(faces_per_point, (std::set<int>{0, 1, 2})) << "the mesh has inner corners";
}

TEST(Reflux, GivenOneLevelThenNothingChanges) {
  Hierarchy hierarchy(Geometry(32, 32, {1.0, 1.0}, {}, Centring::kCell), 1, {1, 2, 0, true});
  Patch& patch = hierarchy.level(0).patch(0);
  patch.next().interior() = 3.0;
  reflux(hierarchy, 0, 0, patch.next());
  EXPECT_TRUE((patch.next().interior() == 3.0).all());
}

TEST(Reflux, GivenAFieldWithoutFluxesThenPatchesHoldNoRegisters) {
  EXPECT_EQ((PatchShape{2, 2, 5}.total_values()), 2 * PatchView::size(2, 2) + 5);
}

}  // namespace
}  // namespace kumiko::amr
