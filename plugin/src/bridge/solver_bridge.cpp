#include "bridge/solver_bridge.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bridge/equation_bridge.hpp"
#include "bridge/sized.hpp"

namespace kumiko::plugin::detail {

namespace {

/// A solver that the other side uses, which has made room for as many coefficients as were
/// declared.
struct ServedSolver {
  explicit ServedSolver(std::unique_ptr<amr::Solver> made)
      : solver(std::move(made)), coefficients(solver->coefficients()) {
    for (const amr::VectorComponents& one : solver->traits().vectors) {
      vectors.push_back({one.x, one.y});
    }
  }

  std::unique_ptr<amr::Solver> solver;
  std::size_t coefficients;
  std::vector<kumiko_vector_components> vectors;
};

const ServedSolver& whole(const void* self) { return *static_cast<const ServedSolver*>(self); }
const amr::Solver& served(const void* self) { return *whole(self).solver; }

// Centrings are converted by cast.
static_assert(KUMIKO_NODE == static_cast<int>(amr::Centring::kNode) &&
              KUMIKO_CELL == static_cast<int>(amr::Centring::kCell));

/// Bytes of the traits that every plugin of this version gives.
constexpr std::size_t kLeastTraits =
    offsetof(kumiko_solver_traits, coefficients) + sizeof(std::size_t);

/// Refuses a solver that says another number of coefficients than before: it would write beyond its
/// room.
void require_same_count(const ServedSolver& solver) {
  const std::size_t now = solver.solver->coefficients();
  if (now == solver.coefficients) [[likely]]
    return;
  throw std::runtime_error("its coefficients() returned " + std::to_string(solver.coefficients) +
                           " first and " + std::to_string(now) +
                           " now; it must always return the same number");
}

amr::PatchAdvance patch_from_c(const kumiko_patch_advance& one) {
  amr::PatchAdvance own{from_c(one.before), from_c(one.coefficients), from_c(one.after)};
  if (one.fluxes != nullptr) own.fluxes.emplace(one.fluxes, one.after.components);
  return own;
}
kumiko_patch_advance patch_to_c(const amr::PatchAdvance& one) {
  return {to_c(one.before), to_c(one.coefficients), to_c(one.after),
          one.fluxes ? one.fluxes->line(amr::FaceAxis::kX, 0) : nullptr};
}

/// Calls use(converted) with what convert(patch) gives of each. That of one patch, which is all
/// that comes under dataflow, takes no memory.
template <class Patch, class Convert, class Use>
void with_list(std::span<Patch> list, Convert convert, Use use) {
  if (list.size() == 1) {
    const auto one = convert(list.front());
    return use(std::span(&one, 1));
  }
  std::vector<decltype(convert(list.front()))> all;
  all.reserve(list.size());
  std::transform(list.begin(), list.end(), std::back_inserter(all), convert);
  use(std::span(std::as_const(all)));
}

/// A case of the caller's: what fails in it is not this side's to name.
CaseFromBeyond borrowed(kumiko_case problem) { return {problem, {}}; }

void destroy(void* self) { delete static_cast<ServedSolver*>(self); }

kumiko_status traits(const void* self, kumiko_solver_traits* traits, kumiko_error* error) {
  return serve_fully(error, [&] {
    const amr::SolverTraits& own = served(self).traits();
    fill_room(traits, {.size = sizeof(kumiko_solver_traits),
                       .dimensions = own.dimensions,
                       .components = own.components,
                       .centring = static_cast<std::int32_t>(own.centring),
                       .ghosts = own.ghosts,
                       .has_characteristic_ghosts = own.characteristic_ghosts ? 1 : 0,
                       .is_flux_form = own.flux_form ? 1 : 0,
                       .has_tendency = own.tendency ? 1 : 0,
                       .is_nonlinear = own.nonlinear ? 1 : 0,
                       .cfl_limit = own.cfl_limit,
                       .order = own.order,
                       .coefficients = whole(self).coefficients,
                       .vectors = whole(self).vectors.data(),
                       .vector_count = whole(self).vectors.size()});
  });
}

kumiko_status prepare(const void* self, kumiko_case problem, const kumiko_patch* patch, double time,
                      double dt, double* coefficients, double* cfl, kumiko_error* error) {
  return serve_fully(error, [&] {
    const ServedSolver& solver = whole(self);
    require_same_count(solver);
    *cfl = solver.solver->prepare(borrowed(problem), from_c(*patch), time, dt,
                                  {coefficients, solver.coefficients});
  });
}

kumiko_status rescale(const void* self, kumiko_case problem, double time, double dt,
                      double* coefficients, double* cfl, kumiko_error* error) {
  return serve_fully(error, [&] {
    const ServedSolver& solver = whole(self);
    *cfl = solver.solver->rescale(borrowed(problem), time, dt, {coefficients, solver.coefficients});
  });
}

kumiko_status advance(const void* self, kumiko_state before, kumiko_coefficients coefficients,
                      kumiko_field after, kumiko_error* error) {
  return serve_fully(
      error, [&] { served(self).advance(from_c(before), from_c(coefficients), from_c(after)); });
}

kumiko_status advance_with_fluxes(const void* self, kumiko_state before,
                                  kumiko_coefficients coefficients, kumiko_field after,
                                  double* fluxes, kumiko_error* error) {
  return serve_fully(error, [&] {
    served(self).advance_with_fluxes(from_c(before), from_c(coefficients), from_c(after),
                                     {fluxes, after.components});
  });
}

kumiko_status tendency(const void* self, kumiko_state state, kumiko_coefficients coefficients,
                       kumiko_range range, kumiko_field tendency, kumiko_error* error) {
  return serve_fully(error, [&] {
    served(self).tendency(from_c(state), from_c(coefficients), from_c(range), from_c(tendency));
  });
}

kumiko_status state_cfl(const void* self, kumiko_state state, kumiko_coefficients coefficients,
                        double* cfl, kumiko_error* error) {
  return serve_fully(error,
                     [&] { *cfl = served(self).state_cfl(from_c(state), from_c(coefficients)); });
}

kumiko_status displacement(const void* self, kumiko_case problem, kumiko_points points, double time,
                           double tau, kumiko_vectors displacement, kumiko_error* error) {
  return serve_fully(error, [&] {
    served(self).displacement(borrowed(problem), from_c(points), time, tau,
                              from_c(displacement, points.count));
  });
}

kumiko_status advance_list(const void* self, const kumiko_patch_advance* list, size_t count,
                           kumiko_error* error) {
  return serve_fully(error, [&] {
    with_list(std::span(list, count), patch_from_c,
              [&](std::span<const amr::PatchAdvance> own) { served(self).advance_list(own); });
  });
}

kumiko_status weight(const void* self, kumiko_case problem, const kumiko_patch* patch, double time,
                     double* weight, kumiko_error* error) {
  return serve_fully(
      error, [&] { *weight = served(self).weight(borrowed(problem), from_c(*patch), time); });
}

kumiko_status equation(const void* self, const kumiko_equation_taker* taker, kumiko_error* error) {
  return serve_fully(error, [&] { give(served(self).equation(), *taker); });
}

kumiko_status inadmissible_point(const void* self, kumiko_state state, int32_t* found, int32_t* i,
                                 int32_t* j, kumiko_error* error) {
  return serve_fully(error, [&] {
    const auto point = served(self).inadmissible_point(from_c(state));
    *found = point ? 1 : 0;
    if (point) std::tie(*i, *j) = std::pair(point->i, point->j);
  });
}

/// Abilities that a solver may lack, as bits of a number.
enum Ability : unsigned {
  kList = 1,
  kWeight = 2,
  kLimits = 4,
  kRescale = 8,
  kAbilities = 16  ///< as many combinations
};

unsigned abilities(const amr::SolverTraits& traits) {
  return (traits.list_kernel ? kList : 0U) | (traits.weighted ? kWeight : 0U) |
         (traits.limits_states ? kLimits : 0U) | (traits.rescales ? kRescale : 0U);
}

constexpr kumiko_solver_functions functions(unsigned able) {
  return {.size = sizeof(kumiko_solver_functions),
          .destroy = destroy,
          .traits = traits,
          .prepare = prepare,
          .advance = advance,
          .advance_with_fluxes = advance_with_fluxes,
          .tendency = tendency,
          .state_cfl = state_cfl,
          .displacement = displacement,
          .advance_list = (able & kList) != 0 ? advance_list : nullptr,
          .weight = (able & kWeight) != 0 ? weight : nullptr,
          .equation = equation,
          .inadmissible_point = (able & kLimits) != 0 ? inadmissible_point : nullptr,
          .rescale = (able & kRescale) != 0 ? rescale : nullptr};
}

constexpr std::array<kumiko_solver_functions, kAbilities> kGiven = [] {
  std::array<kumiko_solver_functions, kAbilities> all{};
  for (unsigned able = 0; able < kAbilities; ++able) all[able] = functions(able);
  return all;
}();

}  // namespace

kumiko_solver give(std::unique_ptr<amr::Solver> solver) {
  const kumiko_solver_functions* const table = &kGiven[abilities(solver->traits())];
  return {table, std::make_unique<ServedSolver>(std::move(solver)).release()};
}

SolverFromBeyond::SolverFromBeyond(kumiko_solver solver, std::string name, std::string whose)
    : self_(solver.self), functions_(known_part(*solver.functions)), whose_(std::move(whose)) {
  kumiko_solver_traits given{};
  given.size = sizeof(given);
  try {
    call(functions_.traits, &given);
    if (given.size < kLeastTraits) {
      throw FailedBeyond(whose_ + ": it gives " + std::to_string(given.size) +
                         " bytes of its traits, but has " + std::to_string(kLeastTraits) +
                         " to give at least");
    }
    given = known_part(given);  // a plugin from before there were vectors gives none
    if (given.vector_count > 0 && given.vectors == nullptr) {
      throw FailedBeyond(whose_ + ": it gives " + std::to_string(given.vector_count) +
                         " vectors, but no address of them");
    }
    if (given.centring != KUMIKO_NODE && given.centring != KUMIKO_CELL) {
      throw FailedBeyond(whose_ + ": it has the unknown centring " +
                         std::to_string(given.centring));
    }
  } catch (...) {
    functions_.destroy(self_);
    throw;
  }
  traits_.name = std::move(name);
  traits_.dimensions = given.dimensions;
  traits_.components = given.components;
  for (const kumiko_vector_components& one : std::span(given.vectors, given.vector_count)) {
    traits_.vectors.push_back({one.x, one.y});
  }
  traits_.centring = static_cast<amr::Centring>(given.centring);
  traits_.ghosts = given.ghosts;
  traits_.cfl_limit = given.cfl_limit;
  traits_.order = given.order;
  traits_.characteristic_ghosts = given.has_characteristic_ghosts != 0;
  traits_.flux_form = given.is_flux_form != 0;
  traits_.tendency = given.has_tendency != 0;
  traits_.nonlinear = given.is_nonlinear != 0;
  traits_.list_kernel = functions_.advance_list != nullptr;
  traits_.weighted = functions_.weight != nullptr;
  traits_.limits_states = functions_.inadmissible_point != nullptr;
  traits_.rescales = functions_.rescale != nullptr;
  coefficients_ = given.coefficients;
}

SolverFromBeyond::~SolverFromBeyond() { functions_.destroy(self_); }

amr::Equation SolverFromBeyond::equation() const {
  amr::Equation equation;
  const kumiko_equation_taker taker = taker_into(equation);
  if (functions_.equation != nullptr) call(functions_.equation, &taker);
  return equation;
}

void SolverFromBeyond::advance_list(std::span<const amr::PatchAdvance> list) const {
  if (functions_.advance_list == nullptr) return Solver::advance_list(list);
  with_list(list, patch_to_c, [&](std::span<const kumiko_patch_advance> in_c) {
    call(functions_.advance_list, in_c.data(), in_c.size());
  });
}

}  // namespace kumiko::plugin::detail
