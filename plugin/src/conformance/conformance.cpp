#include <algorithm>
#include <iterator>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "conformance/checks.hpp"
#include "conformance/run.hpp"

namespace kumiko::plugin {

namespace {

using conformance::guarded;
using conformance::Subject;

/// The check memory, and what the checks after it rely on.
Finding check_first_steps(Subject& subject) {
  Finding finding = guarded([&] { return conformance::check_memory(subject); });
  if (subject.unusable.empty()) subject.not_finite = conformance::values_not_finite(subject);
  return finding;
}

/// Solvers that a check can judge.
enum class Needs {
  kNothing,
  kUsable,  ///< those that the kit may call
  kFinite   ///< those whose results are finite, too
};

struct Check {
  const char* name;
  Finding (*run)(Subject&);
  Needs needs = Needs::kFinite;
};

/// All checks; those that tell whether the others may run come first.
constexpr Check kChecks[] = {{"declaration", conformance::check_declaration, Needs::kNothing},
                             {"memory", check_first_steps, Needs::kUsable},
                             {"ghost_width", conformance::check_ghost_width},
                             {"constants", conformance::check_constants},
                             {"symmetry", conformance::check_symmetry},
                             {"translation", conformance::check_translation},
                             {"order", conformance::check_order},
                             {"stability", conformance::check_stability},
                             {"nan_input", conformance::check_nan_input, Needs::kUsable},
                             {"fluxes", conformance::check_fluxes},
                             {"tendency", conformance::check_tendency},
                             {"displacement", conformance::check_displacement, Needs::kUsable},
                             {"state_cfl", conformance::check_state_cfl, Needs::kUsable},
                             {"determinism", conformance::check_determinism},
                             {"thread_safety", conformance::check_thread_safety},
                             {"speed", conformance::check_speed}};

Finding run(const Check& check, Subject& subject) {
  if (check.needs != Needs::kNothing && !subject.unusable.empty()) {
    return conformance::skipped(subject.unusable);
  }
  if (check.needs == Needs::kFinite && !subject.not_finite.empty()) {
    return conformance::skipped("it makes values that are not finite: see nan_input");
  }
  return guarded([&] { return check.run(subject); });
}

/// "solver 'sharper' of 'build/sharper.so'".
std::string whose(const SolverFactory& factory) {
  const std::string file = factory.file.string();
  return fmt::format("solver '{}'{}", factory.name,
                     file.empty() ? "" : fmt::format(" of '{}'", file));
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
                               const SolverFactory& peer, const CheckObserver& observer) {
  ConformanceReport report{factory.name, factory.file.string(), {}, {}};
  conformance::Run run_check(report.findings, whose(factory), observer);
  std::unique_ptr<Subject> subject;
  for (const Check& check : kChecks) {
    run_check(check.name, [&](const std::string& activity) {
      if (!subject) {
        Finding made = guarded([&] {
          subject = std::make_unique<Subject>(factory, parameters, peer);
          return conformance::passed({}, "");
        });
        made.text = "no solver could be made, " + made.text;
        if (!subject) return made;
        report.traits = subject->traits;
      }
      subject->activity = activity;
      return run(check, *subject);
    });
    if (!subject) break;
  }
  return report;
}

}  // namespace kumiko::plugin
