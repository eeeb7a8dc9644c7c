// The conformance kit: checks that a solver behaves as it declares and as amr::Solver requires.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <kumiko/amr/parameter.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::plugin {

enum class Verdict {
  kPassed,
  kFailed,
  kSkipped,  ///< does not apply to this solver
  kNoted     ///< measured, without a verdict
};

/// "passed", "failed", "skipped" or "noted".
const char* to_string(Verdict verdict);

/// The result of one check.
struct Finding {
  std::string check;  ///< stable, e.g. "ghost_width"
  Verdict verdict = Verdict::kSkipped;
  std::string text;  ///< one line with numbers, and the remedy when it failed
  std::map<std::string, double> numbers = {};
  double seconds = 0.0;  ///< time of the check in seconds
};

struct ConformanceReport {
  std::string solver;
  std::string file;  ///< file of the plugin that it comes from; empty if it is not from a plugin
  amr::SolverTraits traits;  ///< as declared; the default traits if no solver could be made
  std::vector<Finding> findings;

  /// Whether no check failed.
  bool passed() const;
  double seconds() const;
};

/// Follows the checks of a solver: called on the thread that runs them. An empty function is not
/// called.
struct CheckObserver {
  std::function<void(const char* check)> begins = {};
  std::function<void(const Finding& finding)> ends = {};
};

/// Runs the checks on a solver made with `parameters`. An exception of the solver is not rethrown:
/// it becomes a failed finding, and the next check runs. A solver that crashes or never returns
/// also crashes or blocks the caller; a FaultNote names solver and check. Starts a few temporary OS
/// threads; call it from an OS thread. \param peer the solver whose speed is measured for
/// comparison, with its default parameters
ConformanceReport check_solver(const SolverFactory& factory, const amr::ParameterSet& parameters,
                               const SolverFactory& peer, const CheckObserver& observer = {});

/// The report as text: heading(), a line for each finding, and summary().
std::string to_text(const ConformanceReport& report);
/// The lines of a report's text, each with a newline, for those who print them one by one.
std::string heading(const SolverFactory& factory);
std::string to_text(const Finding& finding);
std::string summary(std::span<const Finding> findings);
/// The report as JSON; numbers that are not finite are null.
std::string to_json(const ConformanceReport& report);
/// The findings as a JSON list, as in that of a report.
std::string to_json(std::span<const Finding> findings);

}  // namespace kumiko::plugin
