// Whole runs for the tests and the tables of accuracy (docs/reference/accuracy.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>

#include "fixtures.hpp"

namespace kumiko::amr::test {

/// The largest CFL number of every run here.
inline constexpr double kCfl = 0.9;

using CaseParameters = std::vector<std::pair<std::string, ParameterValue>>;

/// A shipped case with some of its parameters set.
inline std::unique_ptr<Case> shipped_case(const std::string& name,
                                          const CaseParameters& parameters = {}) {
  const plugin::CaseFactory* const factory = plugin::find_case(name);
  ParameterSet values = defaults(factory->parameters);
  for (const auto& [key, value] : parameters) values.set(key, value);
  return factory->make(values);
}

/// The shipped solver as it is without any choice of the user.
inline std::unique_ptr<Solver> default_solver() {
  const plugin::SolverFactory* const factory = plugin::find_solver("semi_lagrangian_cubic");
  return factory->make(defaults(factory->parameters));
}

/// Steps for the time in which the fastest velocity would cross the domain `crossings` times.
inline int steps_for(double crossings, int n) {
  return static_cast<int>(std::ceil(crossings * n / kCfl));
}

/// One revolution: the fastest component of the velocity is 1/2, at the sides.
inline int steps_of_rotation(int n) { return steps_for(std::numbers::pi, n); }

/// Options for a mesh of two levels that follows a smooth hump, σ = 0.05, as the spacing goes to 0.
/// With δ = 1 Löhner's indicator of a smooth u is h² |u''| ÷ (4 |u| + floor), so that a threshold
/// in proportion to h² refines the same part of the domain at every N: the hump down to 1e-3.
inline SimulationOptions following_options(int n, int steps) {
  SimulationOptions options = run_options(n, 2, steps);
  options.refinement.delta = 1.0;
  options.refinement.floor = 0.1;
  options.refinement.threshold = 40.0 / (static_cast<double>(n) * n);
  return options;
}

inline ErrorNorms errors_of(const Case& problem, const Solver& solver, Backend& backend,
                            const SimulationOptions& options) {
  Simulation run(problem, solver, backend, options);
  run.advance(options.steps);
  return *error_norms(run.hierarchy(), problem, problem.end_time(), backend);
}

/// The leaf values of a hierarchy in canonical order, each times √(h² ÷ the domain's area), so that
/// the Euclidean norm of the list is the mean-square norm of the field.
inline std::vector<double> weighted_leaves(const Hierarchy& hierarchy) {
  const Extent extent = hierarchy.geometry().extent();
  std::vector<double> values;
  for (int level = 0; level < hierarchy.max_levels(); ++level) {
    const double weight = hierarchy.geometry().spacing(level) / std::sqrt(extent.x * extent.y);
    for (const auto& [slot, first, size] : hierarchy.mesh().leaf_boxes(level)) {
      const ConstPatchView field = hierarchy.level(level).patch(slot).now();
      for (int j = first[1]; j < first[1] + size; ++j) {
        for (int i = first[0]; i < first[0] + size; ++i) {
          values.push_back(weight * field(i, j));
        }
      }
    }
  }
  return values;
}

inline double mean_square_norm(const Hierarchy& hierarchy) {
  const std::vector<double> values = weighted_leaves(hierarchy);
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

/// Of the difference of two fields on equal meshes.
inline double mean_square_distance(const Hierarchy& one, const Hierarchy& other) {
  const std::vector<double> a = weighted_leaves(one);
  const std::vector<double> b = weighted_leaves(other);
  double sum = 0.0;
  for (std::size_t at = 0; at < a.size(); ++at) sum += (a[at] - b[at]) * (a[at] - b[at]);
  return std::sqrt(sum);
}

/// A case whose refinement indicator is 1 on the white ones of 8 × 8 squares of the domain, so that
/// the mesh stays as it is and what moves crosses the levels' boundary again and again.
class Chequered final : public Case {
 public:
  explicit Chequered(std::unique_ptr<Case> original) : original_(std::move(original)) {}

  Extent extent() const override { return original_->extent(); }
  Boundaries boundaries() const override { return original_->boundaries(); }
  double end_time() const override { return original_->end_time(); }
  void initial(Points points, int component, std::span<double> values) const override {
    original_->initial(points, component, values);
  }
  void velocity(Points points, double time, Vectors velocity) const override {
    original_->velocity(points, time, velocity);
  }
  bool steady_velocity() const override { return original_->steady_velocity(); }
  bool exact_displacement(Points points, double time, double tau,
                          Vectors displacement) const override {
    return original_->exact_displacement(points, time, tau, displacement);
  }
  bool exact(Points points, int component, double time, std::span<double> values) const override {
    return original_->exact(points, component, time, values);
  }
  bool refinement_indicator(const RefinementPatch& patch,
                            std::span<double> indicator) const override {
    for (std::size_t at = 0; at < patch.points.size(); ++at) {
      const int square_x = static_cast<int>(8.0 * patch.points.x[at] / extent().x);
      const int square_y = static_cast<int>(8.0 * patch.points.y[at] / extent().y);
      indicator[at] = (square_x + square_y) % 2 == 0 ? 1.0 : 0.0;
    }
    return true;
  }

 private:
  std::unique_ptr<Case> original_;
};

/// Options for a mesh of two levels by a Chequered case's indicator. Squares consist of whole
/// quadrants: n is a multiple of 64.
inline SimulationOptions chequered_options(int n, int steps) {
  SimulationOptions options = run_options(n, 2, steps);
  options.refinement.criterion = Criterion::kUser;
  options.refinement.threshold = 0.5;
  options.refinement.buffer = 0;
  options.refinement.interval = steps;
  return options;
}

}  // namespace kumiko::amr::test
