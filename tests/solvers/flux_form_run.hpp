// One patch of a flux-form solver and what a step makes of it, for tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kumiko/plugin/registry.hpp>

#include "flow.hpp"
#include "step.hpp"

namespace kumiko::solvers {

/// Courant numbers of either sign, zeros of either sign among them.
inline std::vector<double> rough_courant_numbers(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<double> values(count);
  for (double& value : values) {
    const auto draw = random() % 1000;
    value = draw < 100 ? 0.0 : draw < 200 ? -0.0 : (static_cast<double>(draw) - 600.0) / 1000.0;
  }
  return values;
}

/// The fluxes through the faces of the patch's cells.
inline std::vector<double> values_of(flux_form::Fluxes& fluxes) {
  std::vector<double> values;
  for (int j = 0; j <= amr::kPatchSize; ++j) {
    if (j < amr::kPatchSize) {
      values.insert(values.end(), fluxes.x.row(j), fluxes.x.row(j) + amr::kPatchSize + 1);
    }
    values.insert(values.end(), fluxes.y.row(j), fluxes.y.row(j) + amr::kPatchSize);
  }
  return values;
}

/// A solver by name with some parameters other than their defaults.
struct Choice {
  std::string solver;
  std::vector<std::pair<std::string, amr::ParameterValue>> parameters = {};

  std::unique_ptr<amr::Solver> make() const {
    const plugin::SolverFactory* const factory = plugin::find_solver(solver);
    amr::ParameterSet set = amr::defaults(factory->parameters);
    for (const auto& [name, value] : parameters) set.set(name, value);
    return factory->make(set);
  }
};

/// A patch with its ghosts, its coefficients and the state after a step.
struct FluxFormRun {
  /// \param layers  ghosts of the views; 0 = as many as the solver declares
  FluxFormRun(const Choice& choice, const amr::Case& problem, int first_i = 0, int first_j = 0,
              int n = 64, double dt = 0.005, int layers = 0)
      : solver(choice.make()),
        ghosts(layers > 0 ? layers : solver->traits().ghosts),
        coefficients(solver->coefficients()),
        spacing(1.0 / n) {
    cfl = solver->prepare(problem, {{}, spacing, first_i, first_j}, 0.0, dt, coefficients);
  }

  void fill(const std::function<double(int, int)>& u) {
    for (int j = -ghosts; j < amr::kPatchSize + ghosts; ++j) {
      for (int i = -ghosts; i < amr::kPatchSize + ghosts; ++i) before(i, j) = u(i, j);
    }
  }
  void advance() { solver->advance_with_fluxes(before, coefficients, after, fluxes); }

  std::unique_ptr<amr::Solver> solver;
  int ghosts;
  std::vector<double> coefficients;
  double spacing;
  double cfl = 0.0;
  std::vector<double> before_values = std::vector<double>(amr::PatchView::size(1, ghosts));
  std::vector<double> after_values = before_values;
  std::vector<double> flux_values = std::vector<double>(amr::FaceFluxes::size(1));
  amr::PatchView before{before_values.data(), 1, ghosts};
  amr::PatchView after{after_values.data(), 1, ghosts};
  amr::FaceFluxes fluxes{flux_values.data(), 1};
};

}  // namespace kumiko::solvers
