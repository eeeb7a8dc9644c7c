// Lists the files of a run's folder with their hashes, and checks a folder against the list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/io/output_folder.hpp>

namespace kumiko::io {

/// The manifest of a folder before a run continued in it.
struct EarlierManifest {
  std::string text = {};               ///< its text; empty if there was none
  std::set<std::string> written = {};  ///< names of files that have been written since
  std::set<std::string> lost = {};     ///< names of files to list although they are missing
};

/// The text of a folder's manifest; empty if it has none or it cannot be read.
EarlierManifest earlier_manifest(const std::filesystem::path& folder);

/// A JSON text that lists the existing files of the run with their sizes in bytes, the XXH3 hash of
/// their content (64 bits, as 16 hexadecimal digits) and their purpose. At its end is a hash of the
/// text itself. Unfinished files are left out. Reads all files. Throws OutputError.
/// \param summary  the text of kSummaryFile, which is written after the manifest
/// \param earlier  files that are in it and have not been written since keep their sizes and
///                 hashes, so that a file damaged meanwhile is still found. The report is an
///                 exception, because kumiko report may have rewritten it.
std::string make_manifest(const OutputFolder& folder, std::string_view summary,
                          const EarlierManifest& earlier = {});

/// A file of a run's folder that differs from its manifest.
struct AlteredFile {
  std::string name;
  std::string what;  ///< "has changed", "is missing", ...
};

/// "a has changed, b is missing"
std::string to_string(const std::vector<AlteredFile>& files);

/// The result of comparing a folder with its manifest.
struct FolderCheck {
  std::vector<std::string> whole;     ///< as they were written
  std::vector<AlteredFile> altered;   ///< the manifest itself may be among them
  std::vector<std::string> unlisted;  ///< files of a run that the manifest does not list
};

/// Compares a finished run's folder with its manifest. Reads the files that it compares.
/// \param only  names of the files to compare, in addition to the manifest; empty: all
/// Throws OutputError if the folder has no manifest, or it cannot be read.
FolderCheck check_folder(const std::filesystem::path& folder,
                         std::span<const std::string_view> only = {});

/// The JSON text of "states.hdf.series", with which ParaView reads the states of a run as one time
/// series.
/// \param time_of  the time of a state, by its base step and its file
using TimeOfState = std::function<double(std::int64_t step, const std::filesystem::path& file)>;
std::string make_series(const OutputFolder& folder, const TimeOfState& time_of);

}  // namespace kumiko::io
