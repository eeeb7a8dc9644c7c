// What a solver writes: the interior of `after`, all of it, and nothing else.
#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

namespace {

using amr::kPatchSize;

/// What `after` holds before a step: nothing that a solver computes, each value once.
double pattern(int i, int j, int component) { return 1e200 * (4.0 + noise(i, j, component)); }

bool is_inside(int i, int j, const amr::PointRange& range) {
  return i >= range.i0 && i < range.i1 && j >= range.j0 && j < range.j1;
}

/// Faults by their names among the numbers, and what is told of each behind the count.
constexpr std::pair<const char*, const char*> kFaults[] = {
    {"outside", "values beyond the views or the coefficients are written"},
    {"ghosts", "ghost points of the result are written; write points 0 .. 15 only"},
    {"unwritten", "interior points are left unwritten; loop over before.components()"},
    {"before", "values of `before` are changed; it is to be read only"},
    {"coefficients", "coefficients are changed by advance(); only prepare() writes them"}};

/// Keeps the larger count of each fault.
void add(Numbers& faults, const Numbers& more) {
  for (const auto& [name, count] : more) faults[name] = std::max(faults[name], count);
}

int count_changes(std::span<const double> now, const std::vector<double>& then) {
  int changes = 0;
  for (std::size_t at = 0; at < then.size(); ++at) {
    if (!same_bits(now.subspan(at, 1), {&then[at], 1})) ++changes;
  }
  return changes;
}

std::vector<double> copy_of(Guarded& guarded) {
  return {guarded.values().begin(), guarded.values().end()};
}

/// Runs `call`, which writes `range` of `result`, on a view that holds a pattern.
template <class Call>
Numbers faults_of(PatchStep& step, amr::PatchView result, const amr::PointRange& range, Call call) {
  const std::vector<double> before = copy_of(step.before_values);
  const std::vector<double> coefficients = copy_of(step.coefficient_values);
  for_view(result, step.layers(),
           [](int i, int j, int component, double& value) { value = pattern(i, j, component); });
  call();
  Numbers faults;
  for_view(result, step.layers(), [&](int i, int j, int component, double& value) {
    const bool kept = value == pattern(i, j, component);
    const bool is_wanted = is_inside(i, j, range);
    faults[is_wanted ? "unwritten" : "ghosts"] += kept == is_wanted ? 1 : 0;
  });
  faults["before"] = count_changes(step.before_values.values(), before);
  faults["coefficients"] = count_changes(step.coefficient_values.values(), coefficients);
  for (const Guarded* const guarded :
       {&step.before_values, &step.after_values, &step.coefficient_values, &step.flux_values,
        &step.rate_values}) {
    faults["outside"] += guarded->written();
  }
  return faults;
}

Numbers faults_of_step(const Subject& subject, PatchStep& step) {
  constexpr amr::PointRange kInterior = {0, kPatchSize, 0, kPatchSize};
  Numbers faults = faults_of(step, step.after(), kInterior, [&] { step.advance(); });
  if (subject.traits.flux_form) {
    add(faults, faults_of(step, step.after(), kInterior, [&] { step.advance_with_fluxes(); }));
  }
  if (!subject.traits.tendency) return faults;
  constexpr amr::PointRange kPart = {-2, 5, 3, 18};
  for (const amr::PointRange& range : {kTendencyRange, kPart}) {
    add(faults, faults_of(step, step.rates(), range, [&] { step.find_rates(range); }));
  }
  return faults;
}

}  // namespace

Finding check_memory(Subject& subject) {
  const Place place(subject);
  Numbers faults;
  for (const Flow& flow : flows_around(place.centre_x(), place.centre_y())) {
    PatchStep step(subject, place, rough_values(subject));
    step.prepare_for(flow, subject.traits.cfl_limit);
    add(faults, faults_of_step(subject, step));
    subject.safe_in_engine = faults["outside"] == 0.0;
  }
  std::vector<std::string> texts;
  for (const auto& [name, text] : kFaults) {
    if (faults[name] > 0.0) texts.push_back(fmt::format("{:.0f} {}", faults[name], text));
  }
  if (texts.empty()) return passed(faults, "the interior is written, and nothing else");
  return failed(faults, "{}", fmt::join(texts, "; "));
}

}  // namespace kumiko::plugin::conformance
