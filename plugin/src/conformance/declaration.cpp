// What a solver says of itself.
#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <set>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/option_field.hpp>
#include <kumiko/amr/solver_declaration.hpp>

#include "conformance/checks.hpp"
#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

namespace {

using amr::ParameterSpec;
using amr::ParameterValue;

bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos;
}

bool default_is_allowed(const ParameterSpec& spec) {
  if (amr::refused({spec.minimum, spec.maximum}, spec.default_value)) return false;
  const auto* const text = std::get_if<std::string>(&spec.default_value);
  return !text || spec.choices.empty() || std::ranges::count(spec.choices, *text) > 0;
}

void check_parameters(const SolverFactory& factory, Complaints& complaints) {
  std::set<std::string> names;
  for (const ParameterSpec& spec : factory.parameters) {
    complain_if(
        !is_plugin_name(spec.name), complaints,
        "parameter '{}' needs a name of lower-case letters, digits and underscores, a letter first",
        spec.name);
    complain_if(!names.insert(spec.name).second, complaints, "parameter '{}' is declared twice",
                spec.name);
    complain_if(!is_one_line(spec.help), complaints, "parameter '{}' needs one line of help",
                spec.name);
    complain_if(!default_is_allowed(spec), complaints,
                "parameter '{}' has a default outside its range or choices", spec.name);
  }
}

/// The values at the ends of what is allowed: choices, both flags, least and largest numbers.
std::vector<ParameterValue> extremes(const ParameterSpec& spec) {
  std::vector<ParameterValue> values;
  if (std::holds_alternative<bool>(spec.default_value)) values = {true, false};
  if (std::holds_alternative<std::string>(spec.default_value)) {
    values.assign(spec.choices.begin(), spec.choices.end());
  }
  for (const double end : {spec.minimum, spec.maximum}) {
    if (!std::isfinite(end)) continue;
    if (std::holds_alternative<double>(spec.default_value)) values.emplace_back(end);
    if (std::holds_alternative<std::int64_t>(spec.default_value) && std::abs(end) < 0x1p62) {
      values.emplace_back(static_cast<std::int64_t>(end));
    }
  }
  return values;
}

/// The CFL numbers that prepare() returns. An exception, and writes beyond the coefficients, are
/// matters of the check memory.
void check_cfl_numbers(const Subject& subject, Complaints& complaints) {
  const Place place(subject);
  Guarded coefficients = roomy_coefficients(subject);
  for (const Flow& flow : flows_around(place.centre_x(), place.centre_y())) {
    double cfl = 0.0;
    try {
      cfl = prepare_short_step(subject, place, flow, coefficients);
    } catch (const std::exception&) {
      return;
    }
    if (coefficients.written() > 0) return;
    if (std::isfinite(cfl) && cfl >= 0.0) continue;
    complaints.push_back(
        fmt::format("prepare() returns the CFL number {:g} ({}); it must be finite and 0 or more",
                    cfl, flow.name));
    return;
  }
}

/// The answers that the solver's traits promise for a patch.
void check_answers(const Subject& subject, Complaints& complaints) {
  const amr::Solver& solver = *subject.solver;
  const Place place(subject);
  const auto asked = [&](auto ask) {
    try {
      ask();
    } catch (const std::exception& error) {
      complaints.emplace_back(error.what());
    }
  };
  if (subject.traits.weighted) {
    asked([&] {
      const Flow flow = flows_around(place.centre_x(), place.centre_y()).front();
      const double weight = solver.weight(flow, place.points(), 0.0);
      complain_if(!(std::isfinite(weight) && weight > 0.0), complaints,
                  "weight() returns {:g} ({}); it must be finite and above 0", weight, flow.name);
    });
  }
  if (subject.traits.limits_states) {
    asked([&] {
      PatchStep step(subject, place, smooth_values(subject));
      const std::optional<amr::InnerPoint> point = solver.inadmissible_point(step.before());
      const auto is_of_patch = [](int at) { return at >= 0 && at < amr::kPatchSize; };
      complain_if(point && !(is_of_patch(point->i) && is_of_patch(point->j)), complaints,
                  "inadmissible_point() names a point that is not of the patch");
    });
  }
}

bool allows_steps(const amr::Solver& solver, Complaints& complaints) {
  const std::size_t before = complaints.size();
  for (const std::string& impossible : amr::impossible_declarations(solver)) {
    complaints.push_back("it " + impossible);
  }
  const int components = solver.traits().components;
  complain_if(components > amr::kMostComponents, complaints,
              "it declares {} components; {} are the most that are checked", components,
              amr::kMostComponents);
  return complaints.size() == before;
}

/// A solver with one parameter changed. To refuse a value with a message is allowed: it may not
/// go with the others.
/// \return whether one could be made
bool try_value(const Subject& subject, const ParameterSpec& spec, const ParameterValue& value,
               Complaints& complaints) {
  amr::ParameterSet parameters = subject.parameters;
  parameters.set(spec.name, value);
  try {
    const std::unique_ptr<amr::Solver> solver = subject.factory.make(parameters);
    Complaints of_solver;
    if (!allows_steps(*solver, of_solver)) {
      complaints.push_back(fmt::format("with another '{}', {}", spec.name, of_solver.front()));
    }
    return true;
  } catch (const std::exception& error) {
    complain_if(std::string(error.what()).empty(), complaints,
                "an allowed value of '{}' is refused without a message", spec.name);
  } catch (...) {
    complaints.push_back(fmt::format(
        "an allowed value of '{}' throws something that is not a std::exception", spec.name));
  }
  return false;
}

}  // namespace

Finding check_declaration(Subject& subject) {
  const amr::SolverTraits& traits = subject.traits;
  Complaints complaints;
  if (allows_steps(*subject.solver, complaints)) {
    check_cfl_numbers(subject, complaints);
    if (complaints.empty()) check_answers(subject, complaints);
  }
  if (!complaints.empty()) subject.unusable = "no step is possible: see declaration";
  complain_if(!is_plugin_name(subject.factory.name), complaints,
              "'{}' needs a name of lower-case letters, digits and underscores, a letter first",
              subject.factory.name);
  complain_if(traits.name != subject.factory.name, complaints,
              "traits().name is '{}', but it is listed as '{}'", traits.name, subject.factory.name);
  if (!is_one_line(subject.factory.help)) complaints.emplace_back("it needs one line of help");
  complain_if(!(std::isfinite(traits.order) && traits.order >= 0.0), complaints,
              "order {:g} is declared; give a finite one, or 0 for not said", traits.order);
  check_parameters(subject.factory, complaints);
  int made = 0;
  int refused = 0;
  for (const ParameterSpec& spec : subject.factory.parameters) {
    for (const ParameterValue& value : extremes(spec)) {
      (try_value(subject, spec, value, complaints) ? made : refused) += 1;
    }
  }
  const Numbers numbers = {{"parameters", static_cast<double>(subject.factory.parameters.size())},
                           {"values_made", made},
                           {"values_refused", refused}};
  if (!complaints.empty()) return failed(numbers, "{}", fmt::join(complaints, "; "));
  const int tried = made + refused;
  const std::size_t parameters = subject.factory.parameters.size();
  return passed(numbers, "{} ghost layer{}, CFL limit {:g}, order {}; {} parameter{}{}",
                traits.ghosts, traits.ghosts == 1 ? "" : "s", traits.cfl_limit,
                traits.order > 0.0 ? fmt::format("{:g}", traits.order) : "not said", parameters,
                parameters == 1 ? "" : "s",
                tried > 0 ? fmt::format(", {} of {} extreme values accepted", made, tried) : "");
}

}  // namespace kumiko::plugin::conformance
