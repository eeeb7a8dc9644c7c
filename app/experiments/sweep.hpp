// Shared by the commands that run a case many times and compare the runs.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/summary.hpp>

#include "run/setup.hpp"
#include "run/shared_options.hpp"
#include "terminal/counted.hpp"
#include "terminal/summary_file.hpp"

namespace kumiko::app {

/// Runs a setup from its first state to its last step, and writes nothing. `label` stands next
/// to the progress bar. Throws as execute() does.
io::RunSummary measure(const CaseRequest& request, const Setup& setup, const std::string& backend,
                       const std::string& label);

/// The median of one value or more.
double median(std::vector<double> values);

/// The wall times of the repetitions of one run.
struct Repetitions {
  std::vector<double> wall_s = {};  ///< of each that is done

  bool is_measured() const { return !wall_s.empty(); }
  double least_wall_s() const { return *std::ranges::min_element(wall_s); }
  double median_wall_s() const { return median(wall_s); }
  /// Adds one. \return whether it is the fastest so far
  bool add(double seconds);
};

/// How many runs there are of each point: "3 runs", or where a signal has ended the sweep "1 to 3
/// of 500 runs".
template <class Points>
std::string repetitions_text(const Points& points, int asked) {
  std::size_t least = static_cast<std::size_t>(asked);
  std::size_t most = 0;
  for (const Repetitions& point : points) {
    if (!point.is_measured()) continue;
    least = std::min(least, point.wall_s.size());
    most = std::max(most, point.wall_s.size());
  }
  if (least == static_cast<std::size_t>(asked) || most == 0) return counted(asked, "run");
  return fmt::format("{}{} of {}", least,
                     most > least ? fmt::format(" to {}", most) : std::string(),
                     counted(asked, "run"));
}

/// A file in the folder of results, made from what was found.
template <class Found>
struct SweepFile {
  const char* name;
  std::string (*text)(const Found& found);
};

/// How to have files of a command with --output.
inline constexpr const char* kSweepFilesRemedy =
    "name a folder by --output, or a file by --summary";

/// Prints the results, and the folder of their files; an empty path stands for none. Results that
/// are in a file need not be shown: see print_saved().
/// \param summary  the file of --summary, empty for none
void print_found(const std::filesystem::path& folder, const std::filesystem::path& summary,
                 const std::string& text);

/// Throws RequestError where --quiet would leave nothing of what the runs find, because no file is
/// asked for. `what` names the result, `remedy` the options that ask for a file.
void refuse_quiet_for_nothing(const CaseRequest& request, const std::filesystem::path& output,
                              const std::string& what, const std::string& remedy);

/// Checks that a file may be put into a folder, without changing anything; an empty path stands for
/// none. `what` says what an earlier one is of. Throws RequestError.
void check_sweep_file(const std::filesystem::path& folder, const char* name, bool overwrite,
                      const std::string& what);

/// Warns of overrides without effect: the runs of a sweep write no files of their own. `what` is
/// the sweep, as "comparison".
void warn_of_files(const std::vector<std::string>& overrides, const std::string& what);

template <class Files>
void check_sweep_files(const std::filesystem::path& folder, const Files& files, bool overwrite,
                       const std::string& what) {
  for (const auto& file : files) check_sweep_file(folder, file.name, overwrite, what);
}

/// Writes all files, making the folder where it is missing, and the JSON among them as --summary
/// says; an empty path stands for none. Throws io::OutputError.
template <class Files, class Found>
void write_sweep_files(const std::filesystem::path& folder, const Files& files, const Found& found,
                       const std::filesystem::path& json = {}) {
  if (!folder.empty()) std::filesystem::create_directories(folder);
  for (const auto& file : files) {
    const bool is_json = std::string_view(file.name).ends_with(".json");
    if (!folder.empty()) io::write_text_file(folder / file.name, file.text(found));
    if (is_json) write_summary(json, file.text(found));
  }
}

}  // namespace kumiko::app
