#include <optional>
#include <string>
#include <vector>

#include <kumiko/plugin/case_check.hpp>

#include "conformance/case/case_checks.hpp"
#include "conformance/run.hpp"

namespace kumiko::plugin {

namespace {

struct CaseCheck {
  const char* name;
  Finding (*run)(conformance::CaseSubject&);
};

/// Those that tell what the others go by come first.
constexpr CaseCheck kCaseChecks[] = {{"finite", conformance::check_finite},
                                     {"determinism", conformance::check_case_determinism},
                                     {"thread_safety", conformance::check_case_thread_safety},
                                     {"stream", conformance::check_stream},
                                     {"divergence", conformance::check_divergence},
                                     {"steadiness", conformance::check_steadiness},
                                     {"factor", conformance::check_factor},
                                     {"displacement", conformance::check_exact_displacement},
                                     {"exact_at_0", conformance::check_exact_at_0},
                                     {"transport", conformance::check_transport},
                                     {"sides", conformance::check_sides},
                                     {"seam", conformance::check_seam}};

}  // namespace

std::vector<Finding> check_case(const amr::Case& problem, const std::string& name,
                                const CheckObserver& observer) {
  std::vector<Finding> findings;
  conformance::Run run_check(findings, name, observer);
  conformance::CaseSubject subject(problem);
  for (const CaseCheck& check : kCaseChecks) {
    run_check(check.name, [&](const std::string& activity) {
      subject.activity = activity;
      const bool is_finite = findings.empty() || findings.front().verdict != Verdict::kFailed;
      if (!is_finite) return conformance::skipped("some values are not finite");
      return conformance::guarded([&] { return check.run(subject); });
    });
  }
  return findings;
}

}  // namespace kumiko::plugin
