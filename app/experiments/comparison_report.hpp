// Shows what a comparison found, as tables, JSON and a picture.
#pragma once

#include <array>
#include <string>

#include "experiments/comparison.hpp"
#include "experiments/sweep.hpp"

namespace kumiko::app {

/// A report of the runs that are done, for the terminal.
std::string plain_report(const Comparison& comparison);

/// The report as Markdown, for a page of documentation.
std::string markdown_report(const Comparison& comparison);

/// A line per run that is done, with every digit.
std::string csv_report(const Comparison& comparison);

/// Everything, with each run's summary as `kumiko run` writes it.
std::string json_report(const Comparison& comparison);

/// Error against wall time and against point updates, as SVG. Leaves out what a log axis cannot
/// show.
std::string work_precision_picture(const Comparison& comparison);

inline constexpr std::array<SweepFile<Comparison>, 4> kComparisonFiles = {
    {{"compare.csv", csv_report},
     {"compare.json", json_report},
     {"compare.md", markdown_report},
     {"work_precision.svg", work_precision_picture}}};

}  // namespace kumiko::app
