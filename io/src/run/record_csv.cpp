#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/record_csv.hpp>

#include "files/csv_file.hpp"
#include "files/part_file.hpp"

namespace kumiko::io {

namespace {

constexpr std::string_view kRecordHead = "record_";
constexpr std::string_view kRecordTail = ".csv";

std::vector<std::string> all_columns(const std::vector<std::string>& columns) {
  std::vector<std::string> all = {"step", "time [T]"};
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

}  // namespace

std::string record_file(std::string_view name) {
  return fmt::format("{}{}{}", kRecordHead, name, kRecordTail);
}

std::vector<std::string> records_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    const std::string file = entry.path().filename().string();
    std::string_view name = file;
    if (is_part(name)) name.remove_suffix(kPartSuffix.size());
    if (!name.starts_with(kRecordHead) || !name.ends_with(kRecordTail)) continue;
    name.remove_prefix(kRecordHead.size());
    name.remove_suffix(kRecordTail.size());
    if (is_record_name(name)) names.emplace(name);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> record_columns(const EarlierTable& earlier) {
  const std::vector<std::string>& all = earlier.columns();
  const auto lead = static_cast<std::ptrdiff_t>(std::min(all.size(), all_columns({}).size()));
  return {all.begin() + lead, all.end()};
}

void check_columns(const std::filesystem::path& path, const std::vector<std::string>& columns,
                   const EarlierTable& earlier) {
  if (earlier.empty() || earlier.columns() == all_columns(columns)) return;
  throw OutputError(
      fmt::format("cannot continue '{}': its columns are those of another record; give this record "
                  "another name, or name another folder with --output",
                  path.string()));
}

RecordCsv::RecordCsv(const std::filesystem::path& path, const std::vector<std::string>& columns,
                     const EarlierTable& earlier)
    : columns_(columns.size()) {
  check_columns(path, columns, earlier);
  const auto line_of = [](const EarlierTable::Fields& row) { return csv_line(row); };
  file_ = std::make_unique<CsvFile>(path, csv_line(all_columns(columns)), earlier, line_of);
}

RecordCsv::RecordCsv(RecordCsv&& other) noexcept = default;
RecordCsv::~RecordCsv() = default;

void RecordCsv::row(std::int64_t step, double time, std::span<const double> values) {
  amr::require(values.size() == columns_, "a row of a record has {} values, its file {} columns",
               values.size(), columns_);
  // fmt writes the shortest digits that read back to the same double.
  file_->write(fmt::format("{},{},{}\n", step, time, fmt::join(values, ",")));
}

void RecordCsv::finish() { file_->finish(); }

}  // namespace kumiko::io
