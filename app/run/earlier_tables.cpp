#include "run/earlier_tables.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <kumiko/io/manifest.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/record_csv.hpp>

#include "run/complete_run.hpp"
#include "terminal/counted.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// True if the run in a folder once ended at this base step, for which its tables have rows then.
bool ended_at(const std::filesystem::path& folder, int step) {
  std::ifstream stream(folder / io::kSummaryFile);
  const auto summary = nlohmann::ordered_json::parse(stream, nullptr, false);
  return summary.is_object() && summary.contains("steps") && summary["steps"] == step;
}

}  // namespace

bool is_lost(const Start& start, std::string_view name, const io::EarlierTable& rows) {
  if (!rows.empty() || !is_done_here(start)) return false;
  try {
    const std::array<std::string_view, 1> only = {name};
    const io::FolderCheck check = io::check_folder(start.path, only);
    return std::ranges::any_of(check.altered,
                               [&](const io::AlteredFile& file) { return file.name == name; });
  } catch (const io::OutputError&) {
    return false;  // there is no manifest
  }
}

io::EarlierTable earlier_rows(const Start& start, const std::string& name, int last,
                              RowSteps steps) {
  if (start.earlier != io::Earlier::kContinue) return {};
  const std::filesystem::path path = start.path / name;
  io::EarlierTable table(path, last);
  if (!start.from || last < 0) return table;
  if (is_lost(start, name, table)) {
    print_warning(
        "'{}' is lost: it has no rows, and no base steps are left that would give it any; bring "
        "back a copy, or run the case again",
        path.string());
  } else if (table.empty()) {
    print_warning("'{}' has no rows of the run's part before this restart; the new one begins here",
                  path.string());
  } else if (const std::int64_t missing = last + 1 - table.first_step() - table.steps();
             steps == RowSteps::kEach && missing > 0) {
    print_warning("'{}' lacks the rows of {} before this restart; the new one lacks them too",
                  path.string(), counted(static_cast<std::size_t>(missing), "base step"));
  } else if (steps == RowSteps::kSomeAndTheLast && table.last_step() < last &&
             ended_at(start.path, last)) {
    print_warning(
        "'{}' lacks the rows between base step {} and this restart; the new one lacks them too",
        path.string(), table.last_step());
  }
  return table;
}

void warn_of_altered_tables(const std::filesystem::path& folder) {
  std::vector<std::string> tables = {"diagnostics.csv", "load.csv"};
  for (const std::string& name : io::records_in(folder)) tables.push_back(io::record_file(name));
  const std::vector<std::string_view> names(tables.begin(), tables.end());
  constexpr auto kAnyStep = std::numeric_limits<std::int64_t>::max();
  std::vector<io::AlteredFile> altered;
  try {
    altered = io::check_folder(folder, names).altered;
  } catch (const io::OutputError&) {
    return;  // there is no manifest to compare with
  }
  for (const io::AlteredFile& file : altered) {
    const std::filesystem::path table = folder / file.name;
    const bool is_table = std::ranges::find(tables, file.name) != tables.end();
    // earlier_rows() has warned of a table without rows.
    if (!is_table || io::EarlierTable(table, kAnyStep).empty()) continue;
    print_warning("'{}' is not as the run left it: it {}; the rows that it has are kept",
                  table.string(), file.what);
  }
}

}  // namespace kumiko::app
