#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <stdexcept>

#include <fmt/core.h>

#include "conformance/checks.hpp"

namespace kumiko::plugin {

namespace {

using conformance::Subject;

struct Check {
  const char* name;
  Finding (*run)(Subject&);
  bool uses_engine;
};

/// All checks; those that tell whether the others may run come first.
constexpr std::array<Check, 16> kChecks = {
    {{"declaration", conformance::check_declaration, false},
     {"memory", conformance::check_memory, false},
     {"ghost_width", conformance::check_ghost_width, false},
     {"constants", conformance::check_constants, false},
     {"symmetry", conformance::check_symmetry, false},
     {"translation", conformance::check_translation, true},
     {"order", conformance::check_order, true},
     {"stability", conformance::check_stability, false},
     {"nan_input", conformance::check_nan_input, false},
     {"fluxes", conformance::check_fluxes, false},
     {"tendency", conformance::check_tendency, false},
     {"displacement", conformance::check_displacement, false},
     {"state_cfl", conformance::check_state_cfl, false},
     {"determinism", conformance::check_determinism, false},
     {"thread_safety", conformance::check_thread_safety, false},
     {"speed", conformance::check_speed, false}}};

/// What a throwing function threw, in words.
template <class Function>
Finding guarded(Function function) {
  try {
    return function();
  } catch (const std::exception& error) {
    return conformance::failed(fmt::format("stopped by an exception: {}", error.what()));
  } catch (...) {
    return conformance::failed("stopped by an exception that is not a std::exception; throw those");
  }
}

Finding run(const Check& check, Subject& subject) {
  if (!subject.runnable) return conformance::skipped("no step is possible: see declaration");
  if (check.uses_engine && !subject.safe_in_engine) {
    return conformance::skipped("it writes where it must not, and would spoil a run: see memory");
  }
  return guarded([&] { return check.run(subject); });
}

bool is_wanted(const ConformanceOptions& options, std::string_view name) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

void check_names(const ConformanceOptions& options) {
  for (const std::string& name : options.only) {
    const std::vector<std::string>& known = conformance_checks();
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string list;
    for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
    throw std::invalid_argument(fmt::format("no check is called '{}'; there are {}", name, list));
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "passed";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kSkipped:
      return "skipped";
    case Verdict::kNoted:
      return "noted";
  }
  return "unknown";
}

const std::vector<std::string>& conformance_checks() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Check& check : kChecks) result.emplace_back(check.name);
    return result;
  }();
  return names;
}

bool ConformanceReport::passed() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.verdict == Verdict::kFailed; });
}

double ConformanceReport::seconds() const {
  double sum = 0.0;
  for (const Finding& finding : findings) sum += finding.seconds;
  return sum;
}

ConformanceReport check_solver(const SolverFactory& factory, const amr::ParameterSet& parameters,
                               const SolverFactory& peer, const ConformanceOptions& options) {
  check_names(options);
  ConformanceReport report{factory.name, factory.file.string(), {}, {}};
  std::unique_ptr<Subject> subject;
  const Finding made = guarded([&] {
    subject = std::make_unique<Subject>(factory, parameters, peer);
    return conformance::passed("");
  });
  if (!subject) {
    report.findings.push_back(made);
    report.findings.back().check = "declaration";
    report.findings.back().text = "no solver could be made, " + made.text;
    return report;
  }
  report.traits = subject->traits;
  for (const Check& check : kChecks) {
    // The first two say what is safe to do.
    const bool decides = &check <= &kChecks[1];
    if (!decides && !is_wanted(options, check.name)) continue;
    const auto start = std::chrono::steady_clock::now();
    Finding finding = run(check, *subject);
    finding.check = check.name;
    finding.seconds = seconds_since(start);
    if (is_wanted(options, check.name)) report.findings.push_back(std::move(finding));
  }
  return report;
}

}  // namespace kumiko::plugin
