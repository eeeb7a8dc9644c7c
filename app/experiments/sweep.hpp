// The files of predictions in a folder of results.
#pragma once

#include <filesystem>
#include <string>

#include <kumiko/io/output_folder.hpp>

namespace kumiko::app {

/// A file in the folder of results, made from what was found.
template <class Found>
struct SweepFile {
  const char* name;
  std::string (*text)(const Found& found);
};

/// Prints the results, and the folder of their files; an empty path stands for none. Results that
/// are in a file need not be shown: see print_saved().
void print_found(const std::filesystem::path& folder, const std::string& text);

/// Checks that a file may be put into a folder, without changing anything; an empty path stands for
/// none. `what` says what an earlier one is of. Throws RequestError.
void check_sweep_file(const std::filesystem::path& folder, const char* name, bool overwrite,
                      const std::string& what);

template <class Files>
void check_sweep_files(const std::filesystem::path& folder, const Files& files, bool overwrite,
                       const std::string& what) {
  for (const auto& file : files) check_sweep_file(folder, file.name, overwrite, what);
}

/// Writes all files, making the folder where it is missing; an empty path stands for none. Throws
/// io::OutputError.
template <class Files, class Found>
void write_sweep_files(const std::filesystem::path& folder, const Files& files,
                       const Found& found) {
  if (folder.empty()) return;
  std::filesystem::create_directories(folder);
  for (const auto& file : files) io::write_text_file(folder / file.name, file.text(found));
}

}  // namespace kumiko::app
