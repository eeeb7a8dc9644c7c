// Shows finished runs as one HTML page with tables, pictures and timelines that needs nothing else.
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
  std::string quantity;      ///< what its colours mean, the same for all pictures that compare
  std::string description;   ///< for those who cannot see it
  LayeredImage image;
};

/// Pictures of a run's states: each component, and where the states have extras, workers, costs
/// and the indicator. One range of colours for all of a quantity. Throws std::runtime_error when
/// the build has no VTK.
std::vector<ReportPicture> draw_pictures(std::span<const io::StoredState> states);

/// One run of a report. Where something is not there, a sentence says how to get it.
struct ReportRun {
  io::RunFolder folder;
  std::string name;         ///< different from the others'
  std::string about_files;  ///< which are not as the run has written them; empty when all are
  std::vector<ReportPicture> pictures;
  std::string about_pictures;  ///< why there are none, or not all; may be empty
  std::optional<amr::Trace> trace;
  std::string about_trace;  ///< why there is none, or of what it is; may be empty
};

/// A search that processes shared, in place of runs.
struct ReportSearch {
  std::string name;
  std::shared_ptr<const nlohmann::ordered_json> record;  ///< what io::read_search() has returned
};

/// A printed figure beside those of the runs.
struct PublishedRow {
  std::string name;
  std::string norm;  ///< of an error; else empty
  int points = 0;    ///< per unit of length; 0: not said
  double value = 0.0;
  std::string source;
  std::vector<std::optional<double>> ours;  ///< of each run that it can stand beside
};

/// What a report says beside its runs.
struct ReportOptions {
  std::string title;
  std::string version;  ///< of the program
  std::vector<PublishedRow> published;
  std::string about_published;  ///< why there is none, or not all; may be empty
};

/// Whether this build makes pages (KUMIKO_WITH_REPORT).
bool report_available();

/// Writes the page: 1 MB for the charts' script, 40 bytes for each piece of work of a trace, and
/// the pictures. Throws io::OutputError, or std::runtime_error when the build makes no pages.
void write_report(const std::filesystem::path& file, std::span<const ReportRun> runs,
                  const ReportOptions& options);

/// The same of a search: who worked for whom when. Some 200 bytes for each of its parts.
void write_report(const std::filesystem::path& file, const ReportSearch& search,
                  const ReportOptions& options);

/// Write the numbers of every chart into a folder, which they make where it is missing: a file
/// NAME.csv each. Throw io::OutputError.
/// \return the files
std::vector<std::filesystem::path> write_report_tables(const std::filesystem::path& folder,
                                                       std::span<const ReportRun> runs);
std::vector<std::filesystem::path> write_report_tables(const std::filesystem::path& folder,
                                                       const ReportSearch& search);

}  // namespace kumiko::viz
