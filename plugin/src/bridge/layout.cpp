// Where the members of the interface's structures lie: alike on all 64-bit platforms, and what
// stands here stays as it is within a version. A structure with a size must not end in padding,
// where a member could be added that its size does not tell of: one of four bytes gets a reserved
// one of four beside it.
#include <array>
#include <cstddef>
#include <cstdint>

#include <kumiko/plugin/plugin_abi.h>

namespace kumiko::plugin::detail {

namespace {

/// Where the members of a structure begin, and where it ends.
template <class... Places>
constexpr std::array<std::size_t, sizeof...(Places)> places(Places... places) {
  return {static_cast<std::size_t>(places)...};
}

static_assert(sizeof(void*) == 8 && sizeof(std::size_t) == 8 && alignof(double) == 8 &&
              alignof(std::int64_t) == 8);

using Facts = kumiko_case_facts;
static_assert(places(offsetof(Facts, size), offsetof(Facts, dimensions), offsetof(Facts, extent_x),
                     offsetof(Facts, extent_y), offsetof(Facts, sides), offsetof(Facts, end_time),
                     offsetof(Facts, components), offsetof(Facts, has_steady_velocity),
                     offsetof(Facts, observe_every), offsetof(Facts, has_velocity_factor),
                     offsetof(Facts, unit_factor_time),
                     sizeof(Facts)) == places(0, 8, 16, 24, 32, 96, 104, 108, 112, 116, 120, 128));
static_assert(offsetof(Facts, unit_factor_time) + sizeof(Facts::unit_factor_time) == sizeof(Facts));

using Shown = kumiko_observation;
static_assert(places(offsetof(Shown, size), offsetof(Shown, step), offsetof(Shown, time),
                     offsetof(Shown, dt), offsetof(Shown, rank), offsetof(Shown, ranks),
                     offsetof(Shown, patches), offsetof(Shown, patch_count),
                     sizeof(Shown)) == places(0, 8, 16, 24, 32, 36, 40, 48, 56));
static_assert(offsetof(Shown, patch_count) + sizeof(Shown::patch_count) == sizeof(Shown));

using Refinement = kumiko_refinement_patch;
static_assert(places(offsetof(Refinement, size), offsetof(Refinement, level),
                     offsetof(Refinement, time), offsetof(Refinement, spacing),
                     offsetof(Refinement, points), offsetof(Refinement, field),
                     sizeof(Refinement)) == places(0, 8, 16, 24, 32, 56, 72));
static_assert(offsetof(Refinement, field) + sizeof(Refinement::field) == sizeof(Refinement));

using OfCase = kumiko_case_functions;
static_assert(places(offsetof(OfCase, size), offsetof(OfCase, destroy), offsetof(OfCase, facts),
                     offsetof(OfCase, initial), offsetof(OfCase, boundary_values),
                     offsetof(OfCase, velocity), offsetof(OfCase, stream_function),
                     offsetof(OfCase, exact_displacement), offsetof(OfCase, exact),
                     offsetof(OfCase, refinement_indicator), offsetof(OfCase, component_names),
                     offsetof(OfCase, published_values), offsetof(OfCase, equation),
                     offsetof(OfCase, observe), offsetof(OfCase, velocity_factor),
                     sizeof(OfCase)) ==
              places(0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120));
static_assert(offsetof(OfCase, velocity_factor) + sizeof(OfCase::velocity_factor) ==
              sizeof(OfCase));

using Traits = kumiko_solver_traits;
static_assert(places(offsetof(Traits, size), offsetof(Traits, dimensions),
                     offsetof(Traits, components), offsetof(Traits, centring),
                     offsetof(Traits, ghosts), offsetof(Traits, has_characteristic_ghosts),
                     offsetof(Traits, is_flux_form), offsetof(Traits, has_tendency),
                     offsetof(Traits, is_nonlinear), offsetof(Traits, cfl_limit),
                     offsetof(Traits, order), offsetof(Traits, coefficients),
                     offsetof(Traits, vectors), offsetof(Traits, vector_count), sizeof(Traits)) ==
              places(0, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64, 72, 80));
static_assert(offsetof(Traits, vector_count) + sizeof(Traits::vector_count) == sizeof(Traits));

using OnePatch = kumiko_patch;
static_assert(places(offsetof(OnePatch, size), offsetof(OnePatch, points),
                     offsetof(OnePatch, spacing), offsetof(OnePatch, first_i),
                     offsetof(OnePatch, first_j),
                     sizeof(OnePatch)) == places(0, 8, 32, 40, 44, 48));
static_assert(offsetof(OnePatch, first_j) + sizeof(OnePatch::first_j) == sizeof(OnePatch));

using OfSolver = kumiko_solver_functions;
static_assert(places(offsetof(OfSolver, size), offsetof(OfSolver, destroy),
                     offsetof(OfSolver, traits), offsetof(OfSolver, prepare),
                     offsetof(OfSolver, advance), offsetof(OfSolver, advance_with_fluxes),
                     offsetof(OfSolver, tendency), offsetof(OfSolver, state_cfl),
                     offsetof(OfSolver, displacement), offsetof(OfSolver, advance_list),
                     offsetof(OfSolver, weight), offsetof(OfSolver, equation),
                     offsetof(OfSolver, inadmissible_point), offsetof(OfSolver, rescale),
                     sizeof(OfSolver)) ==
              places(0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112));
static_assert(offsetof(OfSolver, rescale) + sizeof(OfSolver::rescale) == sizeof(OfSolver));

using Taker = kumiko_equation_taker;
static_assert(places(offsetof(Taker, size), offsetof(Taker, name), offsetof(Taker, constant),
                     offsetof(Taker, target), sizeof(Taker)) == places(0, 8, 16, 24, 32));
static_assert(offsetof(Taker, target) + sizeof(Taker::target) == sizeof(Taker));

template <class Entry>
constexpr bool kIsEntry = places(offsetof(Entry, size), offsetof(Entry, name),
                                 offsetof(Entry, help), offsetof(Entry, parameters),
                                 offsetof(Entry, parameter_count), offsetof(Entry, context),
                                 offsetof(Entry, make),
                                 sizeof(Entry)) == places(0, 8, 16, 24, 32, 40, 48, 56) &&
                          offsetof(Entry, make) + sizeof(Entry::make) == sizeof(Entry);
static_assert(kIsEntry<kumiko_solver_entry> && kIsEntry<kumiko_case_entry>);

using Plugin = kumiko_plugin;
static_assert(places(offsetof(Plugin, abi_version), offsetof(Plugin, built_with),
                     offsetof(Plugin, failure), offsetof(Plugin, size), offsetof(Plugin, solvers),
                     offsetof(Plugin, solver_count), offsetof(Plugin, cases),
                     offsetof(Plugin, case_count),
                     sizeof(Plugin)) == places(0, 8, 16, 24, 32, 40, 48, 56, 64));
static_assert(offsetof(Plugin, case_count) + sizeof(Plugin::case_count) == sizeof(Plugin));

// Those without a size.
static_assert(places(sizeof(kumiko_error), sizeof(kumiko_value), sizeof(kumiko_parameter),
                     sizeof(kumiko_setting), sizeof(kumiko_points), sizeof(kumiko_vectors),
                     sizeof(kumiko_state), sizeof(kumiko_field), sizeof(kumiko_coefficients),
                     sizeof(kumiko_range), sizeof(kumiko_boundary), sizeof(kumiko_published_value),
                     sizeof(kumiko_case), sizeof(kumiko_patch_advance), sizeof(kumiko_solver),
                     sizeof(kumiko_observed_patch), sizeof(kumiko_vector_components)) ==
              places(512, 56, 104, 64, 24, 16, 16, 16, 16, 16, 16, 40, 16, 56, 16, 56, 8));

}  // namespace

}  // namespace kumiko::plugin::detail
