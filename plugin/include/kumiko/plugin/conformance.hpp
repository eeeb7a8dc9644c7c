// The conformance kit: checks that a solver keeps what it declares and what amr::Solver asks of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <kumiko/amr/parameter.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/plugin/registry.hpp>

namespace kumiko::plugin {

enum class Verdict {
  kPassed,
  kFailed,
  kSkipped,  ///< makes no sense for this solver
  kNoted     ///< measured, not judged
};

/// "passed", "failed", "skipped" or "noted".
const char* to_string(Verdict verdict);

/// What one check found.
struct Finding {
  std::string check;  ///< stable, e.g. "ghost_width"
  Verdict verdict = Verdict::kSkipped;
  std::string text;  ///< one line with numbers, and the remedy when it failed
  std::map<std::string, double> numbers = {};
  double seconds = 0.0;  ///< that the check took
};

struct ConformanceReport {
  std::string solver;
  std::string file;  ///< of the plugin that it comes from; empty for one that is made otherwise
  amr::SolverTraits traits;  ///< as declared; the default ones when no solver could be made
  std::vector<Finding> findings;

  /// Whether no check failed.
  bool passed() const;
  double seconds() const;
};

/// Runs the checks on a solver made with `parameters`. Never throws what a solver throws: it
/// becomes a failed finding, and the next check goes on. A solver that crashes or never returns
/// takes the caller with it. Starts a few OS threads for a while; to be called from an OS thread.
/// \param peer  the solver whose speed is measured beside this one's, with its default parameters
ConformanceReport check_solver(const SolverFactory& factory, const amr::ParameterSet& parameters,
                               const SolverFactory& peer);

/// The report as text: a line for each finding, and one that sums up.
std::string to_text(const ConformanceReport& report);
/// The report as JSON; numbers that are not finite are null.
std::string to_json(const ConformanceReport& report);

}  // namespace kumiko::plugin
