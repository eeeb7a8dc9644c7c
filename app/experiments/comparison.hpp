// Runs several solvers on one case at several resolutions, to compare them.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/case.hpp>

#include "experiments/sweep.hpp"

namespace kumiko::app {

/// What `kumiko compare` is asked for.
struct CompareRequest : CaseRequest, OutputRequest {
  std::vector<std::string> solvers;   ///< by name
  std::vector<std::string> variants;  ///< NAME[,KEY=VALUE]...
  std::vector<int> resolutions;       ///< points of level 0 in x; none: the file's
  std::string norm = "rms";           ///< of the error
  int repetitions = 1;                ///< of each run
  std::string backend = "threads";
};

/// A solver to compare, with keys of its own.
struct Contender {
  std::string option;  ///< that has asked for it
  std::string label;   ///< as it was asked for: NAME[,KEY=VALUE]...
  std::string solver;
  std::vector<std::string> overrides;  ///< KEY=VALUE with full keys
  // What it is known by once it has been made.
  bool cells = false;  ///< else nodes
  double order = 0.0;  ///< that it declares; 0 = none
  double cfl_limit = 0.0;
  double cfl = 0.0;       ///< of its runs, where they choose their steps: the file's, or the limit
  double file_cfl = 0.0;  ///< that the file asks for; 0: it gives a number of steps
  std::string file_interpolation = {};  ///< the file's step.time_interpolation,
  std::string interpolation = {};       ///< and the one that it runs with

  /// The contender as the command line names it: "--solver NAME,KEY=VALUE".
  std::string as_asked() const { return option + ' ' + label; }
};

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
  std::string failure = {};     ///< why there are no more; empty if nothing failed

  std::uint64_t leaf_points() const;
};

/// An error that is printed for the case, whose norm is said.
struct PublishedError {
  amr::PublishedValue value;
  /// For whose case: with keys of the case there may be others, or none.
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

/// A line for each run that failed, with the reason.
std::vector<std::string> failures_of(const Comparison& comparison);

/// A report of the runs that are done, for the terminal.
std::string plain_report(const Comparison& comparison);
/// Tables, JSON and a picture of what is done.
extern const std::array<SweepFile<Comparison>, 4> kComparisonFiles;

}  // namespace kumiko::app
