#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <kumiko/io/output_folder.hpp>

#include "part_file.hpp"

namespace kumiko::io {

namespace {

namespace fs = std::filesystem;

/// The files of a run; a star stands for any characters.
constexpr std::array<std::string_view, 5> kRunFiles = {
    "state_*.hdf", "field_*.png", "diagnostics.csv", "summary.json", "trace.json"};

constexpr std::string_view kOtherFolder = "name another folder with --output";

bool matches(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  const std::string_view head = pattern.substr(0, star);
  const std::string_view tail = pattern.substr(star + 1);
  return name.size() >= head.size() + tail.size() && name.substr(0, head.size()) == head &&
         name.substr(name.size() - tail.size()) == tail;
}

/// Whether this process, as the user it acts for, may add files to a folder.
bool may_add_files(const fs::path& folder) {
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

/// The path itself or the closest folder above it that exists.
fs::path closest_existing(fs::path path) {
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
  return path;
}

void check_place(const fs::path& path, const fs::path& place, std::string_view remedy) {
  if (!fs::is_directory(place)) {
    throw OutputError(fmt::format("cannot write '{}': '{}' is no folder; {}", path.string(),
                                  place.string(), remedy));
  }
  if (!may_add_files(place)) {
    throw OutputError(fmt::format("cannot write '{}': no permission to write to '{}'; {}",
                                  path.string(), place.string(), remedy));
  }
}

/// The path without a slash at its end, from the root, so that it has all its parents.
fs::path normal(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

void remove_run_files(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const bool plain = entry.is_symlink() || entry.is_regular_file();
    if (plain && OutputFolder::owns(entry.path().filename().string())) fs::remove(entry.path());
  }
}

/// Calls f, and turns what the file system reports into an OutputError.
template <class Function>
void reporting(const fs::path& path, Function f) {
  try {
    f();
  } catch (const fs::filesystem_error& error) {
    throw OutputError(fmt::format("cannot use '{}': {}; {}", path.string(), error.code().message(),
                                  kOtherFolder));
  }
}

}  // namespace

void OutputFolder::check(const fs::path& path, bool overwrite) {
  if (path.empty()) throw OutputError("the output folder has an empty name; name it with --output");
  reporting(path, [&] {
    const fs::path folder = normal(path);
    const fs::path place = closest_existing(folder);
    check_place(path, place, kOtherFolder);
    if (place == folder && !overwrite && !fs::is_empty(folder)) {
      throw OutputError(fmt::format(
          "the output folder '{}' is in use; replace the run in it with --overwrite, or {}",
          path.string(), kOtherFolder));
    }
  });
}

bool OutputFolder::owns(std::string_view name) {
  if (name.size() > kPartSuffix.size() &&
      name.substr(name.size() - kPartSuffix.size()) == kPartSuffix) {
    name.remove_suffix(kPartSuffix.size());
  }
  return std::any_of(kRunFiles.begin(), kRunFiles.end(),
                     [&](std::string_view pattern) { return matches(name, pattern); });
}

OutputFolder::OutputFolder(fs::path path, bool overwrite) : path_(std::move(path)) {
  check(path_, overwrite);
  reporting(path_, [&] {
    fs::create_directories(normal(path_));
    if (overwrite) remove_run_files(path_);
  });
}

fs::path OutputFolder::file(std::string_view name) const {
  if (!owns(name)) {
    throw std::logic_error(fmt::format("'{}' is no name of a run's file; see kRunFiles", name));
  }
  return path_ / name;
}

void OutputFolder::write_text(std::string_view name, std::string_view text) const {
  write_text_file(file(name), text);
}

void OutputFolder::write(std::string_view name,
                         const std::function<void(std::ostream&)>& content) const {
  PartFile part(file(name));
  // A stream tells that it failed, but not why; errno is that of the latest call that did.
  const auto check = [&part](const std::ofstream& out) {
    if (!out) throw OutputError(system_message("cannot write", part.part(), errno));
  };
  std::ofstream out(part.part(), std::ios::binary);
  check(out);
  content(out);
  out.close();
  check(out);
  part.publish();
}

void check_writable(const fs::path& file) {
  constexpr std::string_view kRemedy = "name another file";
  if (!file.has_filename() || fs::is_directory(file)) {
    throw OutputError(fmt::format("cannot write '{}': it is no file; {}", file.string(), kRemedy));
  }
  check_place(file, fs::absolute(file).parent_path(), kRemedy);
}

void write_text_file(const fs::path& file, std::string_view text) {
  PartFile part(file);
  FileWriter writer(part.part());
  writer.write(text);
  writer.close();
  part.publish();
}

}  // namespace kumiko::io
