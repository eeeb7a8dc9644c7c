#include "simulation/checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/flow_check.hpp>
#include <kumiko/amr/memory_limit.hpp>
#include <kumiko/amr/require.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/amr/solver_declaration.hpp>

#include "refinement/regions.hpp"
#include "refinement/user_indicator.hpp"
#include "transfer/transfer.hpp"

namespace kumiko::amr {

namespace {

/// Ghosts that prolongation and Löhner's indicator read, whatever the solver needs.
constexpr int kEngineGhosts = 2;

bool is_word(std::string_view name) {
  constexpr std::string_view kAllowed =
      "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  return name.find_first_not_of(kAllowed) == std::string_view::npos;
}

/// Refuses names of components that case.hpp does not allow.
void check_component_names(const Case& problem) {
  const std::vector<std::string> names = problem.component_names();
  const std::set<std::string> different(names.begin(), names.end());
  const auto wanted = static_cast<std::size_t>(problem.components());
  require(names.size() == wanted && different.size() == wanted,
          "the case's components are {}, but their different names {}; each component needs one",
          wanted, different.size());
  for (const std::string& name : names) {
    require(is_word(name),
            "'{}' cannot be the name of a component; use letters, digits and underscores without a "
            "digit in front",
            name);
    require(std::find(kExtraNames.begin(), kExtraNames.end(), name) == kExtraNames.end(),
            "a component cannot be called '{}': an extra component of states has that name", name);
  }
}

/// A wall half-way between points has no mirror image for points that lie on the wall.
void check_boundaries(const Case& problem, const Solver& solver) {
  if (solver.traits().centring != Centring::kNode) return;
  const auto sides = problem.boundaries().sides();
  for (std::size_t side = 0; side < sides.size(); ++side) {
    require(sides[side].kind != BoundaryKind::kReflecting,
            "the case has a reflecting wall on its {} side, which the node-centred field of solver "
            "'{}' cannot have; choose a cell-centred solver, or give that side outflow or a fixed "
            "value, with case.walls if the case has that key",
            to_string(static_cast<Side>(side)), solver.traits().name);
  }
}

void check_time_interpolation(const SolverTraits& traits, TimeInterpolation interpolation) {
  if (is_possible(traits, interpolation)) return;
  std::string why = "gives no tendency of cell averages";
  if (interpolation == TimeInterpolation::kCharacteristic) {
    const bool traceable = traits.centring == Centring::kNode && traits.characteristic_ghosts;
    why = traceable
              ? fmt::format(
                    "serves CFL numbers up to {:g}, but ghosts follow characteristics up to 1",
                    traits.cfl_limit)
              : "has no characteristics that ghosts could follow";
  }
  throw OptionError("time_interpolation", to_string(interpolation),
                    fmt::format("solver '{}' {}; set it to {}, or to auto", traits.name, why,
                                to_string(suited_time_interpolation(traits))));
}

void check_velocity_factor(const Case& problem) {
  const auto wrong = factor_contradiction(problem);
  if (!wrong) return;
  throw std::invalid_argument(fmt::format(
      "the case's velocity_factor() is {:.6g} at t = {:g}, but its velocity at ({:g}, {:g}) is "
      "({:.6g}, {:.6g}) then and ({:.6g}, {:.6g}) at unit_factor_time(), t = {:g}; make it their "
      "ratio, the same everywhere, or return nothing",
      wrong->factor, wrong->time, wrong->x, wrong->y, wrong->velocity[0], wrong->velocity[1],
      wrong->field[0], wrong->field[1], problem.unit_factor_time()));
}

std::size_t base_patches(const SimulationOptions& options) {
  return static_cast<std::size_t>(options.points_x / kPatchSize) *
         static_cast<std::size_t>(options.points_y / kPatchSize);
}

}  // namespace

bool is_possible(const SolverTraits& traits, TimeInterpolation interpolation) {
  const bool cells = traits.centring == Centring::kCell;
  if (interpolation == TimeInterpolation::kCharacteristic) {
    return !cells && traits.characteristic_ghosts && traits.cfl_limit <= 1.0;
  }
  return interpolation == TimeInterpolation::kLinear || (cells && traits.tendency);
}

TimeInterpolation suited_time_interpolation(const SolverTraits& traits) {
  for (const TimeInterpolation choice :
       {TimeInterpolation::kCharacteristic, TimeInterpolation::kQuadratic}) {
    if (is_possible(traits, choice)) return choice;
  }
  return TimeInterpolation::kLinear;
}

PatchShape shape_for(const Case& problem, const Solver& solver, const SimulationOptions& options) {
  return {problem.components(), std::max(solver.traits().ghosts, kEngineGhosts),
          solver.coefficients(), solver.traits().flux_form && options.levels > 1};
}

SimulationOptions resolved(SimulationOptions options, const Case& problem,
                           const SolverTraits& traits) {
  check(options);
  if (options.end_time == 0.0) options.end_time = problem.end_time();
  options.refinement = on_grid(std::move(options.refinement), options.points_x);
  if (options.time_interpolation == TimeInterpolation::kAuto) {
    options.time_interpolation = suited_time_interpolation(traits);
  }
  return options;
}

namespace {

void check_parts(const Case& problem, const Solver& solver, const SimulationOptions& options,
                 std::int32_t ranks) {
  const SolverTraits& traits = solver.traits();
  require(problem.dimensions() == kAxes, "the case has {} dimensions; this Kumiko computes in {}",
          problem.dimensions(), kAxes);
  const Extent extent = problem.extent();
  require(extent.x > 0.0 && extent.y > 0.0 && std::isfinite(extent.x + extent.y),
          "the case's domain is {:g} by {:g}; both must be above 0", extent.x, extent.y);
  require(problem.end_time() > 0.0 && std::isfinite(problem.end_time()),
          "the case's end time is {:g}; it must be above 0 and finite", problem.end_time());
  require(problem.components() >= 1 && problem.components() <= kMostComponents,
          "the case has {} components; 1 to {} are possible", problem.components(),
          kMostComponents);
  check_component_names(problem);
  if (const auto impossible = impossible_declarations(solver); !impossible.empty()) {
    throw DeclarationError(fmt::format("solver '{}' {}", traits.name, impossible.front()));
  }
  require(traits.components == 0 || traits.components == problem.components(),
          "solver '{}' advances {} components, but the case has {}", traits.name, traits.components,
          problem.components());
  if (options.cfl > traits.cfl_limit) {
    throw OptionError(
        "cfl", fmt::format("{:g}", options.cfl),
        fmt::format("solver '{}' takes CFL numbers up to {:g}", traits.name, traits.cfl_limit));
  }
  if (!problem.steady_velocity()) check_velocity_factor(problem);
  if (options.levels > 1) check_time_interpolation(traits, options.time_interpolation);
  check_boundaries(problem, solver);
  const auto count = static_cast<std::size_t>(ranks);
  check_base_memory(shape_for(problem, solver, options),
                    (base_patches(options) + count - 1) / count, options.refinement.memory_limit);
}

}  // namespace

Geometry checked_geometry(const Case& problem, const Solver& solver,
                          const SimulationOptions& options, std::int32_t ranks) {
  check_parts(problem, solver, options, ranks);
  return {options.points_x, options.points_y, problem.extent(), problem.boundaries(),
          solver.traits().centring};
}

namespace {

/// Refuses Criterion::kUser for a case without an indicator, which only a call shows. The patch is
/// the first one of level 0 at the start, and its field is 0 everywhere.
void check_indicator(const Case& problem, const Geometry& geometry, const PatchShape& shape,
                     const RefinementOptions& refinement) {
  if (refinement.criterion != Criterion::kUser || refinement.indicator) return;
  const std::vector<double> zeros(shape.field_values());
  const PatchCoordinates coordinates(geometry, PatchId{});
  std::array<double, kPatchPoints> values{};
  try {
    const bool has_indicator =
        problem.refinement_indicator({0,
                                      0.0,
                                      geometry.spacing(0),
                                      coordinates.points(),
                                      {zeros.data(), shape.components, shape.ghosts}},
                                     values);
    if (has_indicator) return;
  } catch (const std::exception&) {
    return;  // It has one, which may refuse a field that is no state of the run.
  }
  refuse_without_indicator();
}

}  // namespace

void check(const Case& problem, const Solver& solver, const SimulationOptions& options, int ranks) {
  const SimulationOptions all = resolved(options, problem, solver.traits());
  const Geometry geometry = checked_geometry(problem, solver, all, ranks);
  check_overlap(geometry.extent(), all.refinement.regions);
  if (all.levels < 2) return;
  check_indicator(problem, geometry, shape_for(problem, solver, all), all.refinement);
}

}  // namespace kumiko::amr
