// One patch that a flux-form solver advances, its ghosts filled by the test.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::solvers::test {

/// A solver with the defaults of its parameters, but for one.
inline std::unique_ptr<amr::Solver> make(const std::string& name, const std::string& parameter = {},
                                         const std::string& value = {}) {
  const plugin::SolverFactory* const factory = plugin::find_solver(name);
  amr::ParameterSet parameters = amr::defaults(factory->parameters);
  if (!parameter.empty()) parameters.set(parameter, value);
  return factory->make(parameters);
}

/// A patch of a level with n points a side, and its state after a step.
struct PatchRun {
  PatchRun(const amr::Solver& of, const amr::Case& problem, int n, double dt, int first_i = 0,
           int first_j = 0, int components = 1)
      : solver(of),
        spacing(1.0 / n),
        coefficients(of.coefficients()),
        before_values(amr::PatchView::size(components, kViewGhosts)),
        after_values(before_values),
        flux_values(amr::FaceFluxes::size(components)),
        before(before_values.data(), components, kViewGhosts),
        after(after_values.data(), components, kViewGhosts),
        fluxes(flux_values.data(), components) {
    cfl = of.prepare(problem, {{}, spacing, first_i, first_j}, 0.0, dt, coefficients);
  }
  PatchRun(const PatchRun&) = delete;
  PatchRun& operator=(const PatchRun&) = delete;

  /// Sets the interior and the ghosts that the solver declares; what lies beyond them is not a
  /// number.
  void fill(const std::function<double(int, int)>& u, int component = 0) {
    const int ghosts = solver.traits().ghosts;
    before.with_ghosts(component) = std::numeric_limits<double>::quiet_NaN();
    for (int j = -ghosts; j < amr::kPatchSize + ghosts; ++j) {
      for (int i = -ghosts; i < amr::kPatchSize + ghosts; ++i) before(i, j, component) = u(i, j);
    }
  }
  void advance() { solver.advance_with_fluxes(before, coefficients, after, fluxes); }

  /// What flows out of a quadrant through its sides, from the fluxes; negative when it gains.
  double outflow(int qi, int qj, int component = 0) const {
    const auto through = [&](amr::FaceAxis axis, int line, int part) {
      const double* const faces = fluxes.line(axis, line, component) + part * amr::kQuadrantSize;
      double sum = 0.0;
      for (int k = 0; k < amr::kQuadrantSize; ++k) sum += faces[k];
      return sum;
    };
    return through(amr::FaceAxis::kX, qi + 1, qj) - through(amr::FaceAxis::kX, qi, qj) +
           through(amr::FaceAxis::kY, qj + 1, qi) - through(amr::FaceAxis::kY, qj, qi);
  }
  /// The sum of a quadrant's values after the step less that before it.
  double gain(int qi, int qj, int component = 0) const {
    constexpr int kHalf = amr::kQuadrantSize;
    const auto sum = [&](amr::PatchView u) {
      return u.interior(component).block<kHalf, kHalf>(kHalf * qj, kHalf * qi).sum();
    };
    return sum(after) - sum(before);
  }

  static constexpr int kViewGhosts = 8;  ///< more than any solver declares

  const amr::Solver& solver;
  double spacing;
  double cfl = 0.0;
  std::vector<double> coefficients;
  std::vector<double> before_values;
  std::vector<double> after_values;
  std::vector<double> flux_values;
  amr::PatchView before;
  amr::PatchView after;
  amr::FaceFluxes fluxes;
};

/// Values in [0, 1) that depend on the cell of the level only: any patch sees the same.
inline double noise(int i, int j) {
  const auto seed = static_cast<unsigned>(7919 * i + 104729 * j + 1000000);
  return std::mt19937(seed)() / 4294967296.0;
}

}  // namespace kumiko::solvers::test
