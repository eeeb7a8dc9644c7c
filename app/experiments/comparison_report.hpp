// Shows what a comparison found, as tables, JSON and a picture.
#pragma once

#include <filesystem>
#include <string>

#include "experiments/comparison.hpp"

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

/// Whether the files of a comparison may be put into a folder, without changing anything. Throws
/// RequestError.
void check_comparison_files(const std::filesystem::path& folder, bool overwrite);

/// Writes them, making the folder where it is missing. Throws io::OutputError.
void write_comparison_files(const std::filesystem::path& folder, const Comparison& comparison);

}  // namespace kumiko::app
