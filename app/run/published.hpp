// Compares values that the thesis and the literature published, and that cases know, with runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/viz/report.hpp>

#include "run/setup.hpp"

namespace kumiko::app {

/// A finished run, and what it was asked to do.
struct FinishedRun {
  const nlohmann::ordered_json& summary;
  const Setup* setup;  ///< null: not known
};

/// The published values for the cases of the runs that a run can be compared with, and a sentence
/// on the others.
struct PublishedTable {
  std::vector<viz::PublishedRow> rows;
  std::string about_others;  ///< empty when there is none
};

/// Compares an error with the runs that went to the end on a grid of its spacing, and a ratio with
/// the run that it divides by another one of the same runs.
PublishedTable published_table(std::span<const FinishedRun> runs);

}  // namespace kumiko::app
