#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>

#include "conformance/checks.hpp"

namespace kumiko::plugin {

namespace {

using Clock = std::chrono::steady_clock;
using conformance::Subject;

struct Check {
  const char* name;
  Finding (*run)(Subject&);
};

/// All checks; those that tell whether the others may run come first.
constexpr Check kChecks[] = {{"declaration", conformance::check_declaration},
                             {"memory", conformance::check_memory},
                             {"ghost_width", conformance::check_ghost_width},
                             {"constants", conformance::check_constants},
                             {"symmetry", conformance::check_symmetry},
                             {"translation", conformance::check_translation},
                             {"order", conformance::check_order},
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
  return guarded([&] { return check.run(subject); });
}

}  // namespace

const char* to_string(Verdict verdict) {
  constexpr const char* kNames[] = {"passed", "failed", "skipped", "noted"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Verdict::kNoted) + 1);
  return kNames[static_cast<std::size_t>(verdict)];
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
                               const SolverFactory& peer) {
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
    const auto start = Clock::now();
    Finding& finding = report.findings.emplace_back(run(check, *subject));
    finding.check = check.name;
    finding.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return report;
}

}  // namespace kumiko::plugin
