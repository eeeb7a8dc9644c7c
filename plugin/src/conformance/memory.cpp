// What a solver writes: the interior of `after`, all of it, and nothing else. This check takes a
// solver's first steps, so its arrays have wide guards.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
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
    {"outside", "values beyond the views or the fluxes are written"},
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
       {&step.before_values, &step.after_values, &step.flux_values, &step.rate_values}) {
    faults["outside"] += guarded->written();
  }
  faults["beyond_coefficients"] = step.coefficient_values.written();
  return faults;
}

Numbers faults_of_step(const Subject& subject, PatchStep& step) {
  constexpr amr::PointRange kInterior = {0, kPatchSize, 0, kPatchSize};
  Numbers faults = faults_of(step, step.after(), kInterior, [&] { step.advance(); });
  if (subject.traits.flux_form) {
    add(faults, faults_of(step, step.after(), kInterior, [&] { step.advance_with_fluxes(); }));
  }
  if (subject.traits.list_kernel) {
    add(faults, faults_of(step, step.after(), kInterior, [&] { step.advance_list(); }));
  }
  if (!subject.traits.tendency) return faults;
  constexpr amr::PointRange kPart = {-2, 5, 3, 18};
  for (const amr::PointRange& range : {kTendencyRange, kPart}) {
    add(faults, faults_of(step, step.rates(), range, [&] { step.find_rates(range); }));
  }
  return faults;
}

/// Whether prepare() works, in at least one of the flows; what it does otherwise.
struct Preparation {
  int beyond = 0;      ///< values written beyond the coefficients
  int possible = 0;    ///< flows in which a step at the CFL limit could be prepared
  std::string failed;  ///< the first exception's text
};

Preparation try_to_prepare(const Subject& subject, const Place& place,
                           const std::vector<Flow>& flows) {
  Preparation result;
  Guarded coefficients = roomy_coefficients(subject);
  for (const Flow& flow : flows) {
    try {
      // Before anything relies on the number that it returns.
      prepare_short_step(subject, place, flow, coefficients);
      if (coefficients.written() == 0) {
        PatchStep step(subject, place, rough_values(subject));
        step.prepare_for(flow, subject.traits.cfl_limit);
        ++result.possible;
      }
    } catch (const std::exception& error) {
      if (result.failed.empty()) result.failed = error.what();
    }
    result.beyond = coefficients.written();
    if (result.beyond > 0) break;
  }
  return result;
}

/// Guards of these bits stand around arrays in turn. A result must not depend on them.
constexpr std::uint64_t kPatterns[] = {0x3FF8000000000000ULL, 0x7FF8BADBADBADBADULL,
                                       0xFE37E43C8800759CULL};

/// Whether a solver's results change with the bits beyond some arrays.
bool reads_beyond(PatchStep& step, const Flow& flow, double dt,
                  std::initializer_list<Guarded*> arrays) {
  const auto results_with = [&](std::uint64_t bits) {
    for (Guarded* const array : arrays) array->fill_guards(bits);
    const double cfl = step.prepare(flow, dt);
    std::vector<double> results = step.outputs();
    results.push_back(cfl);
    return results;
  };
  const std::vector<double> expected = results_with(kPatterns[0]);
  const bool differs = std::ranges::any_of(
      kPatterns, [&](std::uint64_t bits) { return !same_bits(results_with(bits), expected); });
  if (!differs) return false;
  // Results that differ by themselves are a matter of the check determinism.
  constexpr int kRepetitions = 20;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    if (!same_bits(results_with(kPatterns[0]), expected)) return false;
  }
  return true;
}

/// The fault of the coefficients, or an empty text.
std::string coefficient_fault(const Subject& subject, const char* what) {
  const std::size_t count = subject.solver->coefficients();
  return fmt::format(
      "{} beyond the {} coefficient{} that it declares; coefficients() must count all that "
      "prepare() fills",
      what, count, count == 1 ? "" : "s");
}

}  // namespace

Finding check_memory(Subject& subject) {
  const Place place(subject);
  const std::vector<Flow> flows = flows_around(place.centre_x(), place.centre_y());
  const Preparation preparation = try_to_prepare(subject, place, flows);
  Numbers faults = {{"beyond_coefficients", preparation.beyond}};
  if (preparation.beyond > 0) {
    subject.unusable = "it writes beyond its coefficients: see memory";
    return failed(faults, "prepare() {}", coefficient_fault(subject, "writes"));
  }
  if (preparation.possible == 0) {
    subject.unusable = "no step could be prepared: see memory";
    return failed(faults, "no step could be prepared: {}", preparation.failed);
  }
  bool depends_on_guards = false;
  bool depends_on_coefficient_guards = false;
  for (const Flow& flow : flows) {
    PatchStep step(subject, place, rough_values(subject), subject.patch_components(), kWideGuard);
    const double dt = step.prepare_for(flow, subject.traits.cfl_limit);
    add(faults, faults_of_step(subject, step));
    if (faults["outside"] + faults["beyond_coefficients"] > 0.0) {
      subject.unusable = "it writes where it must not: see memory";
      break;
    }
    depends_on_coefficient_guards =
        depends_on_coefficient_guards || reads_beyond(step, flow, dt, {&step.coefficient_values});
    depends_on_guards = depends_on_guards || reads_beyond(step, flow, dt,
                                                          {&step.before_values, &step.after_values,
                                                           &step.flux_values, &step.rate_values});
  }
  Complaints texts;
  if (depends_on_coefficient_guards || depends_on_guards) {
    subject.unusable = "it reads where it must not: see memory";
  }
  for (const auto& [name, text] : kFaults) {
    if (faults[name] > 0.0) texts.push_back(fmt::format("{:.0f} {}", faults[name], text));
  }
  if (faults["beyond_coefficients"] > 0.0) texts.push_back(coefficient_fault(subject, "it writes"));
  if (depends_on_coefficient_guards) {
    texts.push_back(coefficient_fault(subject, "the result depends on values"));
  }
  complain_if(depends_on_guards, texts,
              "the result depends on values beyond the views; use stride(), and read no more than "
              "they hold");
  if (texts.empty()) return passed(faults, "the interior is written, and nothing else");
  return failed(faults, "{}", fmt::join(texts, "; "));
}

}  // namespace kumiko::plugin::conformance
