#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/one_line.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/read_number.hpp>
#include <kumiko/io/run_folder.hpp>
#include <kumiko/io/shell_word.hpp>
#include <kumiko/io/state_writer.hpp>

#include "files/csv_file.hpp"
#include "run/rank_record.hpp"
#include "text/message.hpp"
#include "text/whole_file.hpp"

namespace kumiko::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRemedy = "run the case again with --overwrite, or name another folder";

using Json = nlohmann::ordered_json;

using ValueCheck = bool (*)(const Json&);
constexpr auto kIsText = [](const Json& value) { return value.is_string(); };
constexpr auto kIsNumber = [](const Json& value) { return value.is_number(); };
constexpr auto kIsInteger = [](const Json& value) { return value.is_number_integer(); };
constexpr auto kIsObject = [](const Json& value) { return value.is_object(); };
constexpr auto kAreNumbers = [](const Json& value) {
  return value.is_array() && std::ranges::all_of(value, &Json::is_number);
};
constexpr auto kAreObjects = [](const Json& value) {
  return value.is_array() && std::ranges::all_of(value, &Json::is_object);
};

constexpr auto kAreRanks = [](const Json& value) {
  try {
    value.get<std::vector<RankSummary>>();
    return true;
  } catch (const std::runtime_error&) {
  } catch (const nlohmann::json::exception&) {
  }
  return false;
};

std::string quoted(const fs::path& path) { return fmt::format("'{}'", one_line(path.string())); }

bool holds_checkpoint(const fs::path& folder) {
  return !OutputFolder::numbered(folder, kCheckpointFiles).empty() ||
         !OutputFolder::numbered(folder, kStateFiles).empty();
}

/// The remedy for the summary and the configuration, which a restart writes also if no steps are
/// left.
std::string remedy_by_restart(const fs::path& file) {
  const fs::path folder = file.parent_path();
  if (!holds_checkpoint(folder)) return std::string(kRemedy);
  return "write it anew with kumiko run --restart " + shell_word(folder.string());
}

RunFolderError not_read(const fs::path& file, const std::system_error& error,
                        std::string_view remedy) {
  return RunFolderError(fmt::format("{} {}; {}", quoted(file), why_not_read(error), remedy));
}

std::string read_whole(const fs::path& file) {
  try {
    return read_whole_file(file);
  } catch (const std::system_error& error) {
    throw not_read(file, error, remedy_by_restart(file));
  }
}

/// A table of numbers, of which one line at a time is in memory; errors name file
/// and line.
class Table {
 public:
  explicit Table(const fs::path& file) : file_(file), stream_(file, std::ios::binary) {
    if (!stream_.is_open()) refuse(std::system_error(errno, std::generic_category()));
    if (!next()) fail("it is empty");
    columns_.assign(fields_.begin(), fields_.end());
  }

  const std::vector<std::string>& columns() const { return columns_; }

  /// Goes to the next row. \return whether there is one
  bool next() {
    if (!std::getline(stream_, text_)) {
      if (stream_.bad()) refuse(std::system_error(EIO, std::generic_category()));
      return false;
    }
    ++line_;
    if (stream_.eof()) fail("the line is cut off");
    split_csv_line(std::string_view(text_), fields_);
    if (!columns_.empty() && fields_.size() != columns_.size()) {
      fail(fmt::format("the line has {}, but the table has {}", counted(fields_.size(), "field"),
                       counted(columns_.size(), "column")));
    }
    return true;
  }

  template <class Number>
  Number number(std::size_t column) const {
    const std::string_view field = fields_.at(column);
    if (const auto value = read_number<Number>(field)) return *value;
    fail(fmt::format("'{}' in the column {} is not a number of the column's type",
                     one_line(std::string(field)), columns_[column]));
  }

  template <class Number>
  Number number(std::string_view name) const {
    return number<Number>(column(name));
  }

  /// Throws if there is none of that name.
  std::size_t column(std::string_view name) const {
    const auto found = std::ranges::find(columns_, name);
    if (found == columns_.end()) fail(fmt::format("there is no column '{}'", name), 1);
    return static_cast<std::size_t>(found - columns_.begin());
  }

  [[noreturn]] void fail(const std::string& what) const { fail(what, line_); }

 private:
  [[noreturn]] void refuse(const std::system_error& error) const {
    throw not_read(file_, error, kRemedy);
  }

  [[noreturn]] void fail(const std::string& what, std::size_t line) const {
    throw RunFolderError(
        fmt::format("{}:{}: {}; {}", one_line(file_.string()), line, what, kRemedy));
  }

  fs::path file_;
  std::ifstream stream_;
  std::string text_;  ///< of the line, which the fields are parts of
  std::size_t line_ = 0;
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
};

std::vector<DiagnosticsRow> read_diagnostics(const fs::path& file, std::int64_t last_step) {
  Table table(file);
  const std::size_t patches = table.column("patches_0");
  std::size_t behind = patches + 1;
  while (behind < table.columns().size() && table.columns()[behind].starts_with("patches_")) {
    ++behind;
  }
  std::vector<DiagnosticsRow> records;
  while (table.next()) {
    DiagnosticsRow& record = records.emplace_back();
    record.step = table.number<std::int64_t>("step");
    record.time = table.number<double>("time");
    for (std::size_t column = patches; column < behind; ++column) {
      record.patches.push_back(table.number<std::size_t>(column));
    }
    record.field.mass = table.number<double>("mass");
    record.field.minimum = table.number<double>("min");
    record.field.maximum = table.number<double>("max");
    if (records.size() > 1 && record.step <= records[records.size() - 2].step) {
      table.fail("the steps do not rise");
    }
  }
  if (records.empty() || records.back().step != last_step) {
    table.fail(fmt::format("the table ends before base step {}", last_step));
  }
  return records;
}

std::vector<amr::BaseStepLoad> read_load(const fs::path& file, std::int64_t steps) {
  Table table(file);
  std::vector<amr::BaseStepLoad> load;
  const std::size_t step = table.column("step");
  for (const char* const name : {"worker", "updates", "busy_s", "wait_s", "steals"}) {
    table.column(name);
  }
  while (table.next()) {
    const int now = table.number<int>(step);
    if (load.empty() || now > load.back().step) {
      load.push_back({now, {}});
    } else if (now < load.back().step) {
      table.fail("the steps do not rise");
    }
    if (table.number<std::size_t>("worker") != load.back().workers.size()) {
      table.fail("the workers of a step are not 0, 1, 2, ...");
    }
    load.back().workers.push_back({.updates = table.number<std::uint64_t>("updates"),
                                   .busy_s = table.number<double>("busy_s"),
                                   .wait_s = table.number<double>("wait_s"),
                                   .steals = table.number<std::uint64_t>("steals")});
  }
  // A run that was complete when it was continued has taken no step.
  if (!load.empty() && load.back().step != steps - 1) {
    table.fail(fmt::format("the table ends before base step {}", steps - 1));
  }
  return load;
}

/// Checks keys, given by pointers (RFC 6901), that readers of the summary take for granted.
void check_keys(const fs::path& file, const Json& summary, ValueCheck holds, std::string_view what,
                std::initializer_list<std::string_view> keys, bool are_required = true) {
  for (const std::string_view key : keys) {
    const Json::json_pointer pointer{std::string(key)};
    if (!summary.is_object() || !summary.contains(pointer)) {
      if (summary.is_object() && !are_required) continue;
      throw RunFolderError(fmt::format("{} is not a summary of a run: it has no '{}'; {}",
                                       quoted(file), key.substr(1), remedy_by_restart(file)));
    }
    if (holds(summary.at(pointer))) continue;
    throw RunFolderError(fmt::format("{}: '{}' is not {}; {}", quoted(file), key.substr(1), what,
                                     remedy_by_restart(file)));
  }
}

void check_summary(const fs::path& file, const Json& summary) {
  check_keys(file, summary, kIsText, "a text", {"/case", "/solver", "/backend"});
  check_keys(file, summary, kIsInteger, "a whole number", {"/workers", "/steps"});
  check_keys(file, summary, kIsNumber, "a number", {"/wall_s", "/imbalance"});
  check_keys(file, summary, kIsObject, "a table", {"/error", "/updates", "/patches", "/config"});
  check_keys(file, summary, kAreObjects, "a list of tables", {"/load", "/longest_waits"});
  check_keys(file, summary, kIsText, "a text", {"/schedule"}, false);
  check_keys(file, summary, kIsObject, "a table", {"/components"}, false);
  check_keys(file, summary, kAreNumbers, "a list of numbers",
             {"/updates/per_level", "/patches/per_level"}, false);
  check_keys(file, summary, kAreRanks, "a list of what each rank did", {"/ranks"}, false);
  check_keys(file, summary, kIsInteger, "a whole number", {"/moved_patches"}, false);
}

Json read_summary(const fs::path& file) {
  Json summary;
  try {
    summary = Json::parse(read_whole(file));
  } catch (const nlohmann::json::parse_error& error) {
    // The library's own number of its message comes before the position.
    const std::string_view what = error.what();
    const std::size_t position = what.find("at line");
    throw RunFolderError(fmt::format("{} is damaged {}; {}", quoted(file),
                                     what.substr(std::min(position, what.size())),
                                     remedy_by_restart(file)));
  }
  // As earlier summaries call it.
  constexpr const char* kEarlier = "balance_efficiency";
  if (summary.is_object() && summary.contains(kEarlier) && !summary.contains("imbalance")) {
    Json value = summary[kEarlier];
    summary["imbalance"] = std::move(value);
  }
  check_summary(file, summary);
  return summary;
}

/// Why a folder without a summary has none.
NotARun without_summary(const fs::path& folder) {
  std::error_code hidden;
  const std::string name = quoted(folder);
  if (!fs::exists(folder, hidden)) return NotARun("there is no folder " + name);
  if (!fs::is_directory(folder, hidden)) {
    return NotARun(name + " is not a folder; name the one that holds it");
  }
  if (!OutputFolder::holds_run(folder)) {
    return NotARun(fmt::format(
        "{} is not a run's folder: it has no {}; name one that kumiko run --output has written",
        name, kSummaryFile));
  }
  return NotARun(fmt::format(
      "the run in {} is not complete: there is no {} yet; wait until it has ended, or {}", name,
      kSummaryFile,
      holds_checkpoint(folder)
          ? "continue it with kumiko run --restart " + shell_word(folder.string())
          : "begin it anew, since it has no checkpoint"));
}

std::vector<AlteredFile> altered_texts(const fs::path& folder) {
  constexpr std::array<std::string_view, 4> kTexts = {kSummaryFile, kConfigurationFile,
                                                      "diagnostics.csv", "load.csv"};
  try {
    return check_folder(folder, kTexts).altered;
  } catch (const OutputError&) {
    return {{std::string(kManifestFile), "is missing or cannot be read"}};
  }
}

}  // namespace

RunFolder read_run_folder(const fs::path& folder) {
  std::error_code hidden;
  if (!fs::is_regular_file(folder / kSummaryFile, hidden)) throw without_summary(folder);
  RunFolder run;
  run.path = folder;
  run.summary = std::make_shared<const Json>(read_summary(folder / kSummaryFile));
  const auto steps = run.summary->at("steps").get<std::int64_t>();
  run.configuration = read_whole(folder / kConfigurationFile);
  run.diagnostics = read_diagnostics(folder / "diagnostics.csv", steps);
  run.load = read_load(folder / "load.csv", steps);
  run.states = OutputFolder::numbered(folder, "state_#.hdf");
  run.states.erase(run.states.upper_bound(steps), run.states.end());
  run.has_trace = fs::is_regular_file(folder / kTraceFile, hidden);
  run.altered = altered_texts(folder);
  return run;
}

}  // namespace kumiko::io
