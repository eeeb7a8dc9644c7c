// Small cases and meshes for the tests of the engine.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/cases/registry.hpp>
#include <kumiko/solvers/registry.hpp>

namespace kumiko::amr::testing {

using ScalarField = std::function<double(double, double)>;

/// A case made of functions: initial data u, velocity (vx, vy), all sides alike.
struct FunctionCase : Case {
  ScalarField u = [](double, double) { return 0.0; };
  ScalarField vx = [](double, double) { return 0.0; };
  ScalarField vy = [](double, double) { return 0.0; };
  double duration = 1.0;
  BoundaryKind kind = BoundaryKind::kPeriodic;
  bool steady = true;

  Boundaries boundaries() const override { return {kind, kind, 0.0}; }
  double end_time() const override { return duration; }
  bool steady_velocity() const override { return steady; }
  void initial(Points points, int, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) values[at] = u(points.x[at], points.y[at]);
  }
  void velocity(Points points, double, Vectors velocity) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      velocity.x[at] = vx(points.x[at], points.y[at]);
      velocity.y[at] = vy(points.x[at], points.y[at]);
    }
  }
};

inline std::unique_ptr<Solver> cubic_solver(const std::string& departure = "first_order") {
  ParameterSet parameters;
  parameters.set("departure", departure);
  return solvers::find_solver("semi_lagrangian_cubic")->make(parameters);
}

inline std::unique_ptr<Case> zalesak() { return cases::find_case("zalesak")->make({}); }

/// Options of a run on an n × n base grid.
inline SimulationOptions run_options(int n, int levels, int steps) {
  SimulationOptions options;
  options.points_x = n;
  options.points_y = n;
  options.levels = levels;
  options.steps = steps;
  return options;
}

/// Sets the interior of every patch of every level from a function of the coordinates.
inline void sample(Hierarchy& hierarchy, const ScalarField& u) {
  const Geometry& geometry = hierarchy.geometry();
  for (int index = 0; index < hierarchy.max_levels(); ++index) {
    Level& level = hierarchy.level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      Patch& patch = level.patch(slot);
      for (int j = 0; j < kPatchSize; ++j) {
        for (int i = 0; i < kPatchSize; ++i) {
          patch.now()(i, j) = u(geometry.coordinate(index, patch.id().i * kPatchSize + i),
                                geometry.coordinate(index, patch.id().j * kPatchSize + j));
        }
      }
    }
  }
}

/// Patches i0..i1 by j0..j1 of a level, ends included.
inline std::vector<PatchId> block(int level, int i0, int i1, int j0, int j1) {
  std::vector<PatchId> ids;
  for (int j = j0; j <= j1; ++j) {
    for (int i = i0; i <= i1; ++i) ids.push_back({level, i, j});
  }
  return ids;
}

/// 64×64 points, and a nested island of two finer levels in the middle of the domain: level 1 has
/// patches 2..5 of 8, level 2 patches 6..9 of 16.
inline std::unique_ptr<Hierarchy> island(const Boundaries& boundaries, const PatchShape& shape) {
  auto hierarchy = std::make_unique<Hierarchy>(Geometry(64, 64, {1.0, 1.0}, boundaries), 3, shape);
  hierarchy->change(1, block(1, 2, 5, 2, 5));
  hierarchy->change(2, block(2, 6, 9, 6, 9));
  return hierarchy;
}

}  // namespace kumiko::amr::testing
