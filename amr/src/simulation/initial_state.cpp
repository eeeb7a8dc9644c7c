#include <cmath>

#include <kumiko/amr/initial_state.hpp>
#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

namespace {

bool are_equal_lengths(double a, double b) {
  constexpr double kRounded = 1e-9;
  return std::abs(a - b) <= kRounded * b;
}

}  // namespace

StoredDiagnostics diagnose(const InitialState& initial) {
  const SavedRun& run = initial.run;
  const auto read = [&run](int level, std::size_t slot, std::span<double> into) {
    run.read(level, slot, into);
  };
  return diagnose(run.mesh, initial.geometry, run.field_components(), read);
}

bool is_on_own_grid(const InitialState& initial, const SolverTraits& traits,
                    const SimulationOptions& options) {
  const Geometry& geometry = initial.geometry;
  return geometry.points_x(0) == options.points_x && geometry.points_y(0) == options.points_y &&
         geometry.centring() == traits.centring && initial.run.mesh.levels() <= options.levels;
}

void check_initial(const InitialState& initial, const Case& problem) {
  const Extent was = initial.geometry.extent();
  const Extent is = problem.extent();
  require(are_equal_lengths(was.x, is.x) && are_equal_lengths(was.y, is.y),
          "the state to begin with has a domain of {:g} x {:g}, and the case one of {:g} x {:g}",
          was.x, was.y, is.x, is.y);
  require(!initial.run.levels.empty() &&
              (initial.run.source || !initial.run.levels.front().values.empty()),
          "the state to begin with holds no values; read it with its values");
  const std::size_t fields = initial.run.field_components();
  require(fields == static_cast<std::size_t>(problem.components()),
          "the state to begin with has {} components, and the case {}", fields,
          problem.components());
}

}  // namespace kumiko::amr
