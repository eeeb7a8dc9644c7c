#include "simulation/state_remap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <kumiko/amr/require.hpp>

#include "simulation/state_sampler.hpp"
#include "transfer/axis_remap.hpp"
#include "transfer/transfer_operators.hpp"

namespace kumiko::amr {

namespace {

/// A saved run with the mesh and the values of `components` components of another one.
SavedRun with_values(const SavedRun& stored, int components) {
  const std::size_t size = static_cast<std::size_t>(components) * kPatchPoints;
  SavedRun run{stored.mesh};
  for (int level = 0; level < stored.mesh.levels(); ++level) {
    std::vector<double>& values = run.levels.emplace_back().values;
    values.resize(stored.mesh.size(level) * size);
    for (std::size_t slot = 0; slot < stored.mesh.size(level); ++slot) {
      stored.read(level, slot, std::span(values).subspan(slot * size, size));
    }
  }
  return run;
}

/// Gives all patches the values of their children.
void restrict_all(SavedRun& run, Centring centring, int components) {
  const TransferOperators transfer = transfer_operators(centring);
  const std::size_t size = run.record_size();
  for (int level = run.mesh.levels() - 1; level > 0; --level) {
    const double* fine = run.level(level).values.data();
    double* const coarse = run.levels[static_cast<std::size_t>(level - 1)].values.data();
    for (const PatchId& id : run.mesh.ids(level)) {
      const std::int32_t parent = run.mesh.find(id.parent());
      require(parent >= 0, "the stored state has {} without its parent", to_string(id));
      transfer.restrict_onto({fine, components, 0}, id.quadrant(),
                             {coarse + static_cast<std::size_t>(parent) * size, components, 0});
      fine += size;
    }
  }
}

}  // namespace

StateRemap::StateRemap(const InitialState& initial, const Geometry& target, const Case& problem)
    : run_(with_values(initial.run, problem.components())),
      geometry_(initial.geometry.points_x(0), initial.geometry.points_y(0), problem.extent(),
                problem.boundaries(), initial.geometry.centring()),
      target_(target),
      case_(problem) {
  restrict_all(run_, geometry_.centring(), problem.components());
  run_.time = initial.time;
}

void StateRemap::fill(const PatchId& id, int component, std::span<double> values) const {
  const std::int64_t points = target_.points_x(id.level);
  const std::int64_t base = geometry_.points_x(0);
  const int finest = run_.mesh.levels() - 1;
  if (geometry_.centring() != target_.centring()) return remap(id, component, finest, values);
  int level = 0;
  while (base << level < points) ++level;
  if (base << level != points) {
    // Where the ends of cells are those of cells of level 0, its values give the same integrals.
    return remap(id, component, base % points == 0 ? 0 : finest, values);
  }
  StateSampler sampler(run_, geometry_, sides(), static_cast<std::size_t>(component));
  sampler.visit({level, id.i, id.i + 1, id.j, id.j + 1},
                [&](const PatchId&, std::span<const double> found) {
                  std::ranges::copy(found, values.begin());
                });
}

/// Along x, then along y.
void StateRemap::remap(const PatchId& id, int component, int level,
                       std::span<double> values) const {
  const auto along = [&](int from_points, int to_points, int begin) {
    return AxisRemap({geometry_.centring(), from_points}, {target_.centring(), to_points}, begin,
                     begin + kPatchSize);
  };
  const AxisRemap x =
      along(geometry_.points_x(level), target_.points_x(id.level), id.i * kPatchSize);
  const AxisRemap y =
      along(geometry_.points_y(level), target_.points_y(id.level), id.j * kPatchSize);
  const auto width = static_cast<std::size_t>(x.last() - x.first());
  const auto height = static_cast<std::size_t>(y.last() - y.first());
  std::vector<double> window(width * height);
  StateSampler sampler(run_, geometry_, sides(), static_cast<std::size_t>(component));
  sampler.copy_window({level, {x.first(), y.first()}, {x.last(), y.last()}}, window);
  std::vector<double> rows(kPatchSize * height);
  for (std::size_t j = 0; j < height; ++j) {
    for (int i = 0; i < kPatchSize; ++i) {
      rows[j * kPatchSize + static_cast<std::size_t>(i)] = x.value(i, &window[j * width], 1);
    }
  }
  for (int j = 0; j < kPatchSize; ++j) {
    for (int i = 0; i < kPatchSize; ++i) {
      values[static_cast<std::size_t>(j * kPatchSize + i)] =
          y.value(j, &rows[static_cast<std::size_t>(i)], kPatchSize);
    }
  }
}

/// None for nodes next to walls, which are for cells: interpolation there is one-sided.
const Case* StateRemap::sides() const {
  if (geometry_.centring() == Centring::kCell) return &case_;
  const auto all = geometry_.boundaries().sides();
  const bool has_wall = std::ranges::any_of(
      all, [](const Boundary& side) { return side.kind == BoundaryKind::kReflecting; });
  return has_wall ? nullptr : &case_;
}

}  // namespace kumiko::amr
