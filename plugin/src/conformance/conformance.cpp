#include <algorithm>
#include <chrono>
#include <exception>

#include <kumiko/amr/require.hpp>

#include "conformance/checks.hpp"

namespace kumiko::plugin {

namespace {

using conformance::Subject;

struct Check {
  const char* name;
  Finding (*run)(Subject&);
  bool uses_engine = false;
};

/// All checks; those that tell whether the others may run come first.
constexpr Check kChecks[] = {{"declaration", conformance::check_declaration},
                             {"memory", conformance::check_memory},
                             {"ghost_width", conformance::check_ghost_width},
                             {"constants", conformance::check_constants},
                             {"symmetry", conformance::check_symmetry},
                             {"translation", conformance::check_translation, true},
                             {"order", conformance::check_order, true},
                             {"stability", conformance::check_stability},
                             {"nan_input", conformance::check_nan_input},
                             {"fluxes", conformance::check_fluxes},
                             {"tendency", conformance::check_tendency},
                             {"displacement", conformance::check_displacement},
                             {"state_cfl", conformance::check_state_cfl},
                             {"determinism", conformance::check_determinism},
                             {"thread_safety", conformance::check_thread_safety},
                             {"speed", conformance::check_speed}};

/// What a throwing function threw, in words.
template <class Function>
Finding guarded(Function function) {
  try {
    return function();
  } catch (const std::exception& error) {
    return conformance::failed({}, "stopped by an exception: {}", error.what());
  } catch (...) {
    return conformance::failed({},
                               "stopped by an exception that is not a std::exception; throw those");
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
  return options.only.empty() || std::ranges::count(options.only, name) > 0;
}

void check_names(const ConformanceOptions& options) {
  for (const std::string& name : options.only) {
    const std::vector<std::string>& known = conformance_checks();
    amr::require(std::ranges::count(known, name) > 0, "no check is called '{}'; there are {}", name,
                 fmt::join(known, ", "));
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

const char* to_string(Verdict verdict) {
  constexpr const char* kNames[] = {"passed", "failed", "skipped", "noted"};
  return kNames[static_cast<int>(verdict)];
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
  return std::ranges::count(findings, Verdict::kFailed, &Finding::verdict) == 0;
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
    return conformance::passed({}, "");
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
