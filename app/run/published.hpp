// Sets the values that the thesis and the literature print, which cases know, beside those of runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/viz/report.hpp>

#include "run/problem.hpp"

namespace kumiko::app {

/// Names of amr::PublishedValue that say which runs they are of: the coarse grid, AMR, the finest
/// level's grid; and ratios of two runs' wall times.
inline constexpr std::string_view kCoarseError = "rms.coarse";
inline constexpr std::string_view kAmrError = "rms.amr";
inline constexpr std::string_view kFineError = "rms.fine";
inline constexpr std::string_view kThreadsOverPthread = "wall.threads_over_pthread";
inline constexpr std::string_view kFineOverAmr = "wall.fine_over_amr";

/// What a table calls a value of such a name; others are called what they are.
std::string published_title(const std::string& name);

/// The printed values of a name that a run of the problem can stand beside, "1.6 and 3.1" where
/// there are several, "-" where there is none. An error is of all time steps on a grid of one
/// spacing.
std::string published_text(const Problem& problem, std::string_view name, const char* format);

/// A finished run, and what it was asked to do.
struct FinishedRun {
  const nlohmann::ordered_json& summary;
  const Problem* problem;  ///< null: not known
};

/// What is printed for the cases of the runs, where a run can stand beside it, and a sentence on
/// the rest.
struct PublishedTable {
  std::vector<viz::PublishedRow> rows;
  std::string about_others;  ///< empty when there is none
};

/// An error stands beside the runs that went to the end on a grid of its spacing, a ratio beside
/// the run that it divides by another one of the same runs.
PublishedTable published_table(std::span<const FinishedRun> runs);

}  // namespace kumiko::app
