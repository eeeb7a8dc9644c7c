#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <kumiko/io/earlier_table.hpp>
#include <kumiko/io/read_number.hpp>

#include "files/csv_file.hpp"
#include "files/part_file.hpp"

namespace kumiko::io {

namespace {

/// The base step of a row, if it is one up to `last`.
std::optional<std::int64_t> step_up_to(std::string_view field, std::int64_t last) {
  const auto step = read_number<std::int64_t>(field);
  return step && *step <= last ? std::optional(*step) : std::nullopt;
}

}  // namespace

EarlierTable::EarlierTable(const std::filesystem::path& path, std::int64_t last) {
  const auto count_only = [](const Fields&) {};
  *this = read(path, last, count_only);
  std::filesystem::path part = path;
  EarlierTable unfinished = read(part += kPartSuffix, last, count_only);
  if (unfinished.rows_ > rows_) *this = std::move(unfinished);
}

void EarlierTable::for_each(const std::function<void(const Fields& row)>& take) const {
  if (empty()) return;
  if (read(file_, last_, take).rows_ == rows_) return;
  throw OutputError(
      fmt::format("cannot continue '{}': it cannot be read, or another process is changing it",
                  file_.string()));
}

EarlierTable EarlierTable::read(const std::filesystem::path& path, std::int64_t last,
                                const std::function<void(const Fields& row)>& take) {
  EarlierTable table;
  table.file_ = path;
  table.last_ = last;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  Fields fields;
  std::int64_t latest = -1;
  // A line without an end is one that a killed run did not finish.
  while (std::getline(file, line) && !file.eof()) {
    split_csv_line(line, fields);
    if (table.columns_.empty()) {
      table.columns_.assign(fields.begin(), fields.end());
      continue;
    }
    if (fields.size() != table.columns_.size()) continue;
    const std::optional<std::int64_t> step = step_up_to(fields.front(), last);
    if (!step) continue;
    if (table.rows_++ == 0) table.first_step_ = *step;
    if (std::exchange(latest, *step) != *step) ++table.steps_;
    table.last_step_ = *step;
    take(fields);
  }
  return table;
}

}  // namespace kumiko::io
