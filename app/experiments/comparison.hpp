// Runs of several solvers on one case at several resolutions, and what compares them.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/case.hpp>

#include "experiments/contender.hpp"
#include "experiments/sweep.hpp"

namespace kumiko::app {

/// A run of a contender at a resolution.
struct ComparedRun : Repetitions {
  std::size_t contender = 0;
  int points = 0;               ///< of level 0 in x
  int points_y = 0;             ///< in the file's proportion
  int finest_points = 0;        ///< in x, of the finest level
  int points_per_length = 0;    ///< of the finest level, as PublishedValue::points counts
  int steps_in_proportion = 0;  ///< base steps that keep the file's CFL number
  int steps = 0;                ///< the same, or as many as the solver's CFL limit asks for
  io::RunSummary summary = {};  ///< of the fastest repetition
  std::string failure = {};     ///< the reason that ended the repetitions; empty without one

  std::uint64_t leaf_points() const;
};

/// A published error of the case whose norm is known.
struct PublishedError {
  amr::PublishedValue value;
  /// The contenders whose case has it: with other keys, a case may have other errors, or none.
  std::set<std::size_t> contenders;
};

struct Comparison {
  std::vector<Contender> contenders;
  std::vector<ComparedRun> runs;          ///< contender by contender, from coarse to fine
  std::vector<PublishedError> published;  ///< of all contenders, each once
  std::string case_name;
  std::string norm;
  int levels = 1;
  int repetitions = 1;
  bool complete = false;
};

/// A norm to compare by.
struct Norm {
  std::string_view name;   ///< as amr::PublishedValue has it
  std::string_view title;  ///< in a heading
  double amr::ErrorNorms::*value;
};
inline constexpr std::array<Norm, 4> kNorms = {
    {{"rms", "RMS error", &amr::ErrorNorms::rms},
     {"l1_relative", "relative L1 error", &amr::ErrorNorms::l1_relative},
     {"l1", "L1 error (integral over the domain)", &amr::ErrorNorms::l1},
     {"linf", "largest error", &amr::ErrorNorms::linf}}};

std::string_view norm_title(std::string_view norm);

const Contender& contender_of(const Comparison& comparison, const ComparedRun& run);

/// The error of a run in a norm; empty if the case has no exact solution at its end, or if the norm
/// is not in kNorms.
std::optional<double> error_of(const io::RunSummary& summary, std::string_view norm);

/// The order of convergence from the contender's coarser run to this one, in the norm to compare
/// by; empty if that run is not measured, or if an error is 0.
std::optional<double> order_of(const Comparison& comparison, const ComparedRun& run);

/// True if mass may enter and leave.
bool is_open(const Comparison& comparison);

/// The contender's run to compare with a published value, or nullptr: a run to the end whose finest
/// level has the value's spacing.
const ComparedRun* run_beside(const Comparison& comparison, std::size_t contender,
                              const PublishedError& error);
bool has_run_beside(const Comparison& comparison, const PublishedError& error);

/// A line for each run that failed, with the reason.
std::vector<std::string> failures_of(const Comparison& comparison);

}  // namespace kumiko::app
