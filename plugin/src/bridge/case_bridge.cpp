#include "bridge/case_bridge.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bridge/equation_bridge.hpp"
#include "bridge/sized.hpp"

namespace kumiko::plugin::detail {

namespace {

const amr::Case& served(const void* self) { return *static_cast<const amr::Case*>(self); }

/// Bytes of the facts that every plugin of this version gives.
constexpr std::size_t kLeastFacts =
    offsetof(kumiko_case_facts, has_steady_velocity) + sizeof(std::int32_t);

// Sides and kinds of boundaries are converted by cast.
static_assert(KUMIKO_LEFT == static_cast<int>(amr::Side::kLeft) &&
              KUMIKO_RIGHT == static_cast<int>(amr::Side::kRight) &&
              KUMIKO_BOTTOM == static_cast<int>(amr::Side::kBottom) &&
              KUMIKO_TOP == static_cast<int>(amr::Side::kTop));
static_assert(KUMIKO_FIXED_VALUE == static_cast<int>(amr::BoundaryKind::kFixedValue) &&
              KUMIKO_PERIODIC == static_cast<int>(amr::BoundaryKind::kPeriodic) &&
              KUMIKO_OUTFLOW == static_cast<int>(amr::BoundaryKind::kOutflow) &&
              KUMIKO_REFLECTING == static_cast<int>(amr::BoundaryKind::kReflecting) &&
              KUMIKO_PRESCRIBED == static_cast<int>(amr::BoundaryKind::kPrescribed));

std::string text(const char* from) { return from == nullptr ? "" : from; }

kumiko_status known(bool is_known) { return is_known ? KUMIKO_OK : KUMIKO_UNKNOWN; }

void keep(void*) {}
void destroy(void* self) { delete static_cast<amr::Case*>(self); }

kumiko_status facts(const void* self, kumiko_case_facts* facts, kumiko_error* error) {
  return serve_fully(error, [&] {
    const amr::Case& problem = served(self);
    kumiko_case_facts own{};
    own.dimensions = problem.dimensions();
    own.extent_x = problem.extent().x;
    own.extent_y = problem.extent().y;
    const auto sides = problem.boundaries().sides();
    for (std::size_t side = 0; side < sides.size(); ++side) {
      own.sides[side] = {static_cast<int32_t>(sides[side].kind), sides[side].value};
    }
    own.end_time = problem.end_time();
    own.components = problem.components();
    own.has_steady_velocity = problem.steady_velocity() ? 1 : 0;
    own.observe_every = problem.observe_every();
    own.unit_factor_time = problem.unit_factor_time();
    own.has_velocity_factor = problem.velocity_factor(own.unit_factor_time) ? 1 : 0;
    fill_room(facts, own);
  });
}

kumiko_status initial(const void* self, kumiko_points points, int32_t component, double* values,
                      kumiko_error* error) {
  return serve_fully(error, [&] {
    served(self).initial(from_c(points), component, {values, points.count});
  });
}

kumiko_status boundary_values(const void* self, int32_t side, kumiko_points points,
                              int32_t component, double time, double* values, kumiko_error* error) {
  return serve_fully(error, [&] {
    served(self).boundary_values(static_cast<amr::Side>(side), from_c(points), component, time,
                                 {values, points.count});
  });
}

kumiko_status velocity(const void* self, kumiko_points points, double time, kumiko_vectors velocity,
                       kumiko_error* error) {
  return serve_fully(
      error, [&] { served(self).velocity(from_c(points), time, from_c(velocity, points.count)); });
}

kumiko_status stream_function(const void* self, kumiko_points points, double time, double* values,
                              kumiko_error* error) {
  return serve(error, [&] {
    return known(served(self).stream_function(from_c(points), time, {values, points.count}));
  });
}

kumiko_status exact_displacement(const void* self, kumiko_points points, double time, double tau,
                                 kumiko_vectors displacement, kumiko_error* error) {
  return serve(error, [&] {
    return known(served(self).exact_displacement(from_c(points), time, tau,
                                                 from_c(displacement, points.count)));
  });
}

kumiko_status exact(const void* self, kumiko_points points, int32_t component, double time,
                    double* values, kumiko_error* error) {
  return serve(error, [&] {
    return known(served(self).exact(from_c(points), component, time, {values, points.count}));
  });
}

kumiko_status refinement_indicator(const void* self, const kumiko_refinement_patch* patch,
                                   double* indicator, kumiko_error* error) {
  return serve(error, [&] {
    return known(served(self).refinement_indicator(
        {patch->level, patch->time, patch->spacing, from_c(patch->points), from_c(patch->field)},
        {indicator, patch->points.count}));
  });
}

kumiko_status component_names(const void* self, void (*take)(void* taker, const char* name),
                              void* taker, kumiko_error* error) {
  return serve_fully(error, [&] {
    for (const std::string& name : served(self).component_names()) take(taker, name.c_str());
  });
}

kumiko_status published_values(const void* self,
                               void (*take)(void* taker, const kumiko_published_value* value),
                               void* taker, kumiko_error* error) {
  return serve_fully(error, [&] {
    for (const amr::PublishedValue& value : served(self).published_values()) {
      const kumiko_published_value in_c{value.name.c_str(), value.source.c_str(),
                                        value.norm.c_str(), value.value, value.points};
      take(taker, &in_c);
    }
  });
}

kumiko_status equation(const void* self, const kumiko_equation_taker* taker, kumiko_error* error) {
  return serve_fully(error, [&] { give(served(self).equation(), *taker); });
}

kumiko_observed_patch patch_to_c(const amr::ObservedPatch& patch) {
  std::int32_t covered = 0;
  for (std::size_t quadrant = 0; quadrant < patch.covered.size(); ++quadrant) {
    if (patch.covered[quadrant]) covered |= 1 << quadrant;
  }
  return {patch.id.level, patch.id.i, patch.id.j,    covered,
          patch.x,        patch.y,    patch.spacing, to_c(patch.state)};
}

amr::ObservedPatch patch_from_c(const kumiko_observed_patch& patch) {
  amr::ObservedPatch own{
      {patch.level, patch.i, patch.j}, patch.x, patch.y, patch.spacing, {}, from_c(patch.state)};
  for (std::size_t quadrant = 0; quadrant < own.covered.size(); ++quadrant) {
    own.covered[quadrant] = ((patch.covered >> quadrant) & 1) != 0;
  }
  return own;
}

template <class To, class From, class Convert>
std::vector<To> all_of(std::span<const From> list, Convert convert) {
  std::vector<To> converted;
  converted.reserve(list.size());
  for (const From& one : list) converted.push_back(convert(one));
  return converted;
}

kumiko_status observe(const void* self, const kumiko_observation* shown, kumiko_error* error) {
  return serve_fully(error, [&] {
    const std::vector<amr::ObservedPatch> patches =
        all_of<amr::ObservedPatch>(std::span(shown->patches, shown->patch_count), patch_from_c);
    served(self).observe({static_cast<int>(shown->step), shown->time, shown->dt, shown->rank,
                          shown->ranks, patches});
  });
}

kumiko_status velocity_factor(const void* self, double time, double* factor, kumiko_error* error) {
  return serve_fully(error, [&] { *factor = served(self).velocity_factor(time).value(); });
}

constexpr kumiko_case_functions functions(void (*destroy)(void* self)) {
  return {.size = sizeof(kumiko_case_functions),
          .destroy = destroy,
          .facts = facts,
          .initial = initial,
          .boundary_values = boundary_values,
          .velocity = velocity,
          .stream_function = stream_function,
          .exact_displacement = exact_displacement,
          .exact = exact,
          .refinement_indicator = refinement_indicator,
          .component_names = component_names,
          .published_values = published_values,
          .equation = equation,
          .observe = observe,
          .velocity_factor = velocity_factor};
}

constexpr kumiko_case_functions kLent = functions(keep);
constexpr kumiko_case_functions kGiven = functions(destroy);

}  // namespace

LentCase lend(const amr::Case& problem) {
  const auto* const beyond = dynamic_cast<const CaseFromBeyond*>(&problem);
  if (beyond != nullptr) return beyond->lend();
  // The table only reads what it is lent.
  return {{&kLent, const_cast<amr::Case*>(&problem)}, {}};
}

kumiko_case give(std::unique_ptr<amr::Case> problem) { return {&kGiven, problem.release()}; }

CaseFromBeyond::CaseFromBeyond(kumiko_case problem, std::string whose)
    : case_(problem), lent_(known_part(*problem.functions)), whose_(std::move(whose)), facts_{} {
  lent_.destroy = keep;
  facts_.size = sizeof(facts_);
  try {
    call(lent_.facts, &facts_);
    if (facts_.size < kLeastFacts) {
      throw FailedBeyond(whose_ + ": it gives " + std::to_string(facts_.size) +
                         " bytes of its facts, but has " + std::to_string(kLeastFacts) +
                         " to give at least");
    }
    for (const kumiko_boundary& side : facts_.sides) {
      if (side.kind >= KUMIKO_FIXED_VALUE && side.kind <= KUMIKO_PRESCRIBED) continue;
      throw FailedBeyond(whose_ + ": it has a boundary of the unknown kind " +
                         std::to_string(side.kind));
    }
  } catch (...) {
    case_.functions->destroy(case_.self);
    throw;
  }
}

CaseFromBeyond::~CaseFromBeyond() { case_.functions->destroy(case_.self); }

amr::Boundaries CaseFromBeyond::boundaries() const {
  const auto side = [this](std::size_t at) {
    return amr::Boundary{static_cast<amr::BoundaryKind>(facts_.sides[at].kind),
                         facts_.sides[at].value};
  };
  return {side(0), side(1), side(2), side(3)};
}

std::vector<std::string> CaseFromBeyond::component_names() const {
  std::vector<std::string> names;
  const auto take = [](void* taker, const char* name) {
    static_cast<std::vector<std::string>*>(taker)->push_back(text(name));
  };
  call(lent_.component_names, take, &names);
  return names;
}

amr::Equation CaseFromBeyond::equation() const {
  amr::Equation equation;
  const kumiko_equation_taker taker = taker_into(equation);
  if (lent_.equation != nullptr) call(lent_.equation, &taker);
  return equation;
}

std::optional<double> CaseFromBeyond::velocity_factor(double time) const {
  if (facts_.has_velocity_factor == 0 || lent_.velocity_factor == nullptr) return std::nullopt;
  double factor = 0.0;
  call(lent_.velocity_factor, time, &factor);
  return factor;
}

void CaseFromBeyond::observe(const amr::Observation& observation) const {
  const std::vector<kumiko_observed_patch> patches =
      all_of<kumiko_observed_patch>(observation.patches, patch_to_c);
  const kumiko_observation in_c{sizeof(in_c),   observation.step, observation.time,
                                observation.dt, observation.rank, observation.ranks,
                                patches.data(), patches.size()};
  call(lent_.observe, &in_c);
}

std::vector<amr::PublishedValue> CaseFromBeyond::published_values() const {
  std::vector<amr::PublishedValue> values;
  const auto take = [](void* taker, const kumiko_published_value* value) {
    static_cast<std::vector<amr::PublishedValue>*>(taker)->push_back(
        {text(value->name), value->value, text(value->source), text(value->norm), value->points});
  };
  call(lent_.published_values, take, &values);
  return values;
}

}  // namespace kumiko::plugin::detail
