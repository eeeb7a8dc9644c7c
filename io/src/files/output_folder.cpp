#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/read_number.hpp>
#include <kumiko/io/shell_word.hpp>

#include "files/part_file.hpp"
#include "files/part_lock.hpp"

namespace kumiko::io {

namespace {

namespace fs = std::filesystem;
using runtime::io::FileDescriptor;

struct RunFile {
  std::string_view pattern;  ///< "#" stands for six digits or more, "*" for a record's name
  std::string_view purpose;
};

/// The files of a run.
constexpr std::array<RunFile, 16> kRunFiles = {
    {{"checkpoint_#.hdf", "the run after that many base steps, to go on from"},
     {"state_#.hdf", "the run after that many base steps, to look at or go on from"},
     {"checkpoint_#.run.json", "how the run came to the checkpoint"},
     {"state_#.run.json", "how the run came to the state"},
     {"states.hdf.series", "the states as one series in time, for ParaView"},
     {"field_start.png", "the first field with its patches"},
     {"field_end.png", "the last field with its patches"},
     {"diagnostics.csv", "mass, range, patches and updates over time"},
     {"load.csv", "what every worker did in every base step"},
     {"record_*.csv", "values over time, as a [[record]] asks for them"},
     {kTraceFile, "a part of the run, piece by piece, to export and to simulate"},
     {"trace.json", "who computed which patch when, for Perfetto"},
     {"report.html", "the run as a page, by kumiko report"},
     {kConfigurationFile, "the effective configuration"},
     {kManifestFile, "this list"},
     {kSummaryFile, "every figure of the run; written last, it says that the run is complete"}}};

constexpr std::string_view kOtherFolder = "name another folder with --output";

/// The digits that stand for a pattern's "#", six or more; empty when the name does not match.
std::string_view digits_of(std::string_view name, std::string_view pattern) {
  constexpr std::size_t kLeastDigits = 6;
  const std::size_t place = pattern.find('#');
  const std::string_view head = pattern.substr(0, place);
  const std::string_view tail = pattern.substr(place + 1);
  if (name.size() < head.size() + kLeastDigits + tail.size() || !name.starts_with(head) ||
      !name.ends_with(tail)) {
    return {};
  }
  const std::string_view digits = name.substr(head.size(), name.size() - head.size() - tail.size());
  return digits.find_first_not_of("0123456789") == digits.npos ? digits : std::string_view();
}

bool matches(std::string_view name, std::string_view pattern) {
  if (const std::size_t star = pattern.find('*'); star != pattern.npos) {
    const std::string_view head = pattern.substr(0, star);
    const std::string_view tail = pattern.substr(star + 1);
    return name.size() > head.size() + tail.size() && name.starts_with(head) &&
           name.ends_with(tail) &&
           is_record_name(name.substr(star, name.size() - head.size() - tail.size()));
  }
  if (pattern.find('#') == std::string_view::npos) return name == pattern;
  return !digits_of(name, pattern).empty();
}

const RunFile* find_run_file(std::string_view name) {
  const auto* const found = std::ranges::find_if(
      kRunFiles, [&](std::string_view pattern) { return matches(name, pattern); },
      &RunFile::pattern);
  return found == kRunFiles.end() ? nullptr : found;
}

/// The error of a new file in a folder; 0 if one can be made. A file system of the kernel's, as
/// /sys, grants root the permission and refuses the file.
int error_of_new_file(const fs::path& folder) {
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) return errno;
  const FileDescriptor unnamed(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (unnamed.get() >= 0) return 0;
  // A file system without unnamed files.
  const fs::path name = folder / fmt::format(".kumiko-{}", ::getpid());
  const FileDescriptor named(::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  if (named.get() < 0) return errno == EEXIST ? 0 : errno;
  ::unlink(name.c_str());
  return 0;
}

/// The reason why this process, as its effective user, may not add files to a folder; empty if it
/// may.
std::string what_forbids_files(const fs::path& folder) {
  const int error = error_of_new_file(folder);
  if (error == 0) return {};
  if (error == ENOENT) return "no file can be made in";  // /proc says it of a folder that is there
  return error == EACCES ? "no permission to write to"
                         : std::generic_category().message(error) + ":";
}

/// The path itself or the closest folder above it that exists.
fs::path closest_existing(fs::path path) {
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
  return path;
}

/// Refuses a folder with the name of a file that every run writes: it would end before its first
/// base step, or after its last one.
void check_names(const fs::path& path) {
  constexpr std::array<std::string_view, 6> kWritten = {"diagnostics.csv",   "load.csv",
                                                        "states.hdf.series", kConfigurationFile,
                                                        kManifestFile,       kSummaryFile};
  for (const std::string_view name : kWritten) {
    for (const std::string_view end : {std::string_view(), kPartSuffix}) {
      const fs::path file = path / fmt::format("{}{}", name, end);
      std::error_code hidden;
      if (!fs::is_directory(file, hidden)) continue;
      throw OutputError(
          fmt::format("'{}' is a folder, but the run writes a file of that name; "
                      "rename it, or {}",
                      file.string(), kOtherFolder));
    }
  }
}

void check_place(const fs::path& path, const fs::path& place, std::string_view remedy) {
  if (!fs::is_directory(place)) {
    throw OutputError(fmt::format("cannot write '{}': '{}' is not a folder; {}", path.string(),
                                  place.string(), remedy));
  }
  if (const std::string why = what_forbids_files(place); !why.empty()) {
    throw OutputError(
        fmt::format("cannot write '{}': {} '{}'; {}", path.string(), why, place.string(), remedy));
  }
}

/// Where the path leads, without a slash at its end, from the root, so that it has all its parents.
/// Links are followed before ".." is: what is above a folder is not what is above a link to it.
fs::path normal(const fs::path& path) {
  std::error_code hidden;
  fs::path whole = fs::weakly_canonical(fs::absolute(path), hidden);
  // Behind a folder that may not be entered no link can be seen; the folder is refused for that.
  if (hidden == std::errc::permission_denied) {
    whole = fs::absolute(path).lexically_normal();
  } else if (hidden) {
    throw fs::filesystem_error("cannot follow", path, hidden);
  }
  return whole.has_filename() ? whole : whole.parent_path();
}

/// True if a file must be removed before a run can continue, because it says that the run was
/// complete, or because it was left unfinished. Parts of tables stay, because they are continued.
bool hinders_continuation(std::string_view name) {
  if (is_part(name)) return !name.ends_with(".csv.part") || name.ends_with(".part.part");
  return name == kManifestFile || name == kSummaryFile || name.ends_with(".csv");
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

/// Removes the run's files whose name `chosen` chooses.
template <class Chosen>
void remove_run_files(const fs::path& folder, Chosen chosen) {
  reporting(folder, [&] {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      const bool plain = entry.is_symlink() || entry.is_regular_file();
      if (plain && OutputFolder::owns(name) && chosen(name)) fs::remove(entry.path());
    }
  });
}

/// Makes the folder with its parents where they are missing. Each new name is on the disk before
/// anything is in the folder: what a run has synced is not lost with the way to it.
fs::path make_folder(const fs::path& path) {
  reporting(path, [&] {
    const fs::path folder = normal(path);
    std::vector<fs::path> parents;  // of what is new
    for (fs::path at = folder; !fs::exists(at); at = at.parent_path()) {
      parents.push_back(at.parent_path());
    }
    fs::create_directories(folder);
    std::for_each(parents.rbegin(), parents.rend(), sync_folder);
  });
  return path;
}

/// The folder, kept from others until it is closed.
FileDescriptor locked(const fs::path& folder) {
  FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Other errors: a file system without locks, or a folder that may be written but not read.
  if (try_lock(descriptor.get())) return descriptor;
  throw OutputError(fmt::format(
      "another run is writing into the output folder '{}'; wait until it has ended, or {}",
      folder.string(), kOtherFolder));
}

/// True if a run has left files here: its configuration or, when it was ended before it wrote that,
/// the beginning of a table.
bool has_files_of_run(const fs::path& folder) {
  std::error_code missing;
  return OutputFolder::holds_run(folder) ||
         fs::is_regular_file(folder / "load.csv.part", missing) ||
         fs::is_regular_file(folder / "diagnostics.csv.part", missing);
}

}  // namespace

bool is_record_name(std::string_view name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.find_first_not_of(kAllowed) == name.npos;
}

void OutputFolder::check(const fs::path& path, Earlier earlier) {
  if (path.empty()) {
    throw OutputError("the name of the output folder is empty; name a folder with --output");
  }
  reporting(path, [&] {
    const fs::path folder = normal(path);
    const fs::path place = closest_existing(folder);
    check_place(path, place, kOtherFolder);
    if (place != folder || fs::is_empty(folder)) return;
    if (earlier != Earlier::kRefuse) check_names(path);
    if (earlier == Earlier::kContinue) return;
    // All other files are the user's, even if they have the names of a run's files.
    if (!has_files_of_run(folder)) {
      throw OutputError(
          fmt::format("the output folder '{}' has files but no run (there is no {}), so nothing in "
                      "it is replaced; {}",
                      path.string(), kConfigurationFile, kOtherFolder));
    }
    if (earlier == Earlier::kReplace) return;
    const FileDescriptor nobody_writes = locked(path);
    const bool can_continue =
        !numbered(folder, "checkpoint_#.hdf").empty() || !numbered(folder, "state_#.hdf").empty();
    throw OutputError(fmt::format(
        "the output folder '{}' holds a run; replace that run with --overwrite, {}or {}",
        path.string(), can_continue ? "or continue it with --restart latest, " : "", kOtherFolder));
  });
}

bool OutputFolder::owns(std::string_view name) {
  while (is_part(name)) name.remove_suffix(kPartSuffix.size());
  return find_run_file(name) != nullptr;
}

std::string_view OutputFolder::purpose(std::string_view name) {
  const RunFile* const file = find_run_file(name);
  return file == nullptr ? std::string_view() : file->purpose;
}

OutputFolder::OutputFolder(fs::path path, Earlier earlier)
    : path_((check(path, earlier), std::move(path))), lock_(locked(make_folder(path_))) {
  if (earlier != Earlier::kReplace) return;
  // The file that marks a run is removed last, so that an interrupted removal can be repeated.
  remove_run_files(path_, [](std::string_view name) { return name != kConfigurationFile; });
  remove_run_files(path_, [](std::string_view) { return true; });
}

bool OutputFolder::make_again() {
  std::error_code hidden;
  if (fs::exists(path_, hidden)) return false;
  lock_ = locked(make_folder(path_));
  return true;
}

void OutputFolder::forget_end() const { remove_run_files(path_, hinders_continuation); }

bool OutputFolder::holds_run(const fs::path& folder) {
  std::error_code missing;
  return fs::is_regular_file(folder / kConfigurationFile, missing);
}

std::map<std::int64_t, fs::path> OutputFolder::numbered(const fs::path& folder,
                                                        std::string_view pattern) {
  std::map<std::int64_t, fs::path> found;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    const std::string name = entry.path().filename().string();
    const auto number = read_number<std::int64_t>(digits_of(name, pattern));
    if (number && entry.is_regular_file(missing)) found[*number] = entry.path();
  }
  return found;
}

fs::path OutputFolder::file(std::string_view name) const {
  amr::ensure(owns(name), "'{}' is not the name of a run's file; see kRunFiles", name);
  return path_ / name;
}

void check_writable(const fs::path& file) {
  constexpr std::string_view kRemedy = "name another file";
  std::error_code hidden;  // behind a folder that may not be entered, or by links in a circle
  const fs::file_status status = fs::status(file, hidden);
  if (!fs::status_known(status)) {
    throw OutputError(
        fmt::format("cannot write '{}': {}; {}", file.string(), hidden.message(), kRemedy));
  }
  // Nor a device, which a file of that name would replace.
  if (!file.has_filename() || (fs::exists(status) && !fs::is_regular_file(status))) {
    throw OutputError(
        fmt::format("cannot write '{}': it is not an ordinary file; {}", file.string(), kRemedy));
  }
  const fs::path parent = fs::absolute(file).parent_path();
  const fs::path place = closest_existing(parent);
  check_place(file, place, kRemedy);
  if (place == parent) return;
  const std::string folder = file.parent_path().string();
  throw OutputError(
      fmt::format("cannot write '{}': there is no folder '{}'; make it with mkdir -p {}, or {}",
                  file.string(), folder, shell_word(folder), kRemedy));
}

void check_writable_folder(const fs::path& folder) {
  reporting(folder, [&] { check_place(folder, closest_existing(normal(folder)), kOtherFolder); });
}

void write_text_file(const fs::path& file, std::string_view text) {
  write_text_file(file, [text](std::ostream& out) { out << text; });
}

void write_text_file(const fs::path& file, const std::function<void(std::ostream&)>& content) {
  PartFile part(file);
  // A stream does not say why it failed; errno is that of the latest call that did.
  const auto check = [&part](const std::ofstream& out) {
    if (!out) throw cannot_write(part.part(), errno);
  };
  std::ofstream out(part.part(), std::ios::binary);
  check(out);
  content(out);
  out.close();
  check(out);
  part.publish();
}

void write_file_by_name(const fs::path& file,
                        const std::function<void(const fs::path& part)>& content) {
  PartFile part(file);
  content(part.part());
  part.publish();
}

}  // namespace kumiko::io
