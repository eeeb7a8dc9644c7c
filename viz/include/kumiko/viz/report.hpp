// Writes finished runs as one self-contained HTML page with tables, pictures and timelines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kumiko/amr/trace.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/run_folder.hpp>
#include <kumiko/viz/state_image.hpp>

namespace kumiko::viz {

/// A picture of a state.
struct ReportPicture {
  std::int64_t step = 0;  ///< base steps taken
  double time = 0.0;
  std::size_t unnested = 0;  ///< tagged patches that nesting left out, amr::SavedRun::unnested
  std::string
      quantity;  ///< the quantity shown by colours, the same for all pictures that are compared
  std::string description;  ///< a text for readers who cannot see it
  LayeredImage image;
};

/// Pictures of a run's states: each component and, if the states have extras, workers, costs and
/// the indicator. All pictures of a quantity have the same range of colours. Throws
/// std::runtime_error if the build has no VTK.
std::vector<ReportPicture> draw_pictures(std::span<const io::StoredState> states);

/// One run of a report. If data are missing, a sentence describes how to get them.
struct ReportRun {
  io::RunFolder folder;
  std::string name;  ///< different from the others'
  std::string
      about_files;  ///< files that have changed since the run wrote them; empty if none have
  std::vector<ReportPicture> pictures;
  std::string about_pictures;  ///< why there are none, or not all; may be empty
  std::optional<amr::Trace> trace;
  std::string about_trace;  ///< why there is none, or its origin; may be empty
};

/// A search that processes shared, in place of runs.
struct ReportSearch {
  std::string name;
  std::shared_ptr<const nlohmann::ordered_json> record;  ///< what io::read_search() has returned
};

/// A published value for comparison with those of the runs.
struct PublishedRow {
  std::string name;
  std::string norm;  ///< norm of an error; otherwise empty
  int points = 0;    ///< grid points per unit of length; 0: not known
  double value = 0.0;
  std::string source;
  std::vector<std::optional<double>> ours;  ///< values of the runs with which it can be compared
};

/// Data of a report in addition to its runs.
struct ReportOptions {
  std::string title;
  std::string version;  ///< of the program
  std::vector<PublishedRow> published;
  std::string about_published;  ///< why there is none, or not all; may be empty
};

/// True if this build makes pages (KUMIKO_WITH_REPORT).
bool report_available();

/// Writes the page. Its size is 1 MB for the charts' script, 40 bytes for each piece of work of a
/// trace, and the pictures. Throws io::OutputError, or std::runtime_error if the build cannot write
/// reports.
void write_report(const std::filesystem::path& file, std::span<const ReportRun> runs,
                  const ReportOptions& options);

/// The same for a search: which process worked for which and when. About 200 bytes for each of its
/// parts.
void write_report(const std::filesystem::path& file, const ReportSearch& search,
                  const ReportOptions& options);

/// A file that is there and no table of a report; the message names it.
struct ForeignTable : io::OutputError {
  using OutputError::OutputError;
};

/// Write the numbers of every chart as a file NAME.csv into a folder, which is made if it does not
/// exist. Tables of an earlier report are replaced. Throw ForeignTable, before anything is written,
/// where another file would be, and io::OutputError.
/// \return the files
std::vector<std::filesystem::path> write_report_tables(const std::filesystem::path& folder,
                                                       std::span<const ReportRun> runs);
std::vector<std::filesystem::path> write_report_tables(const std::filesystem::path& folder,
                                                       const ReportSearch& search);

}  // namespace kumiko::viz
