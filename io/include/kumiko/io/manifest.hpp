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

/// What was there before a run went on in its folder.
struct EarlierManifest {
  std::string text = {};               ///< empty: there was none
  std::set<std::string> written = {};  ///< names of files that have been written since
};

/// The text of a folder's manifest; empty where it has none, or it cannot be read.
EarlierManifest earlier_manifest(const std::filesystem::path& folder);

/// A JSON text that names the run's files that are there, with bytes, XXH3 of their content (64
/// bits, as 16 hexadecimal digits) and what each is for; and last a hash of the text itself.
/// Unfinished files are left out. Reads all files. Throws OutputError.
/// \param summary  the text of kSummaryFile, which is written after the manifest
/// \param earlier  files that are in it, and have not been written since, keep their bytes and
///                 hashes: what was damaged meanwhile is not called whole. Not so the report, which
///                 kumiko report may have made anew.
std::string make_manifest(const OutputFolder& folder, std::string_view summary,
                          const EarlierManifest& earlier = {});

/// A file of a run's folder that is not as its manifest says.
struct AlteredFile {
  std::string name;
  std::string what;  ///< "has changed", "is missing", ...
};

/// "a has changed, b is missing"
std::string to_string(const std::vector<AlteredFile>& files);

/// What a comparison of a folder with its manifest has found.
struct FolderCheck {
  std::vector<std::string> whole;     ///< as they were written
  std::vector<AlteredFile> altered;   ///< the manifest itself may be among them
  std::vector<std::string> unlisted;  ///< a run's files that the manifest does not know
};

/// Compares a finished run's folder with its manifest. Reads what it compares.
/// \param only  names of files to compare, the manifest beside them; empty: all
/// Throws OutputError when the folder has no manifest, or it cannot be read.
FolderCheck check_folder(const std::filesystem::path& folder,
                         std::span<const std::string_view> only = {});

/// A JSON text by which ParaView takes the states of a run as one series in time:
/// "states.hdf.series".
/// \param time_of  the time of a state, by its base step and its file
using TimeOfState = std::function<double(std::int64_t step, const std::filesystem::path& file)>;
std::string make_series(const OutputFolder& folder, const TimeOfState& time_of);

}  // namespace kumiko::io
