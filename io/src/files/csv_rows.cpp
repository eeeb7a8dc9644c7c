#include <charconv>
#include <fstream>
#include <string_view>

#include <kumiko/io/csv_rows.hpp>

#include "files/part_file.hpp"

namespace kumiko::io {

namespace {

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

bool is_up_to(const std::string& field, std::int64_t last) {
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), step);
  return error == std::errc{} && end == field.data() + field.size() && step <= last;
}

CsvRows read_one(const std::filesystem::path& path, std::int64_t last) {
  CsvRows table;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  // A line without an end is one that a killed run did not finish.
  while (std::getline(file, line) && !file.eof()) {
    std::vector<std::string> fields = split(line);
    if (table.columns.empty()) {
      table.columns = std::move(fields);
    } else if (fields.size() == table.columns.size() && is_up_to(fields.front(), last)) {
      table.rows.push_back(std::move(fields));
    }
  }
  return table;
}

}  // namespace

CsvRows read_csv_rows(const std::filesystem::path& path, std::int64_t last) {
  CsvRows whole = read_one(path, last);
  std::filesystem::path part = path;
  CsvRows unfinished = read_one(part += kPartSuffix, last);
  return unfinished.rows.size() > whole.rows.size() ? unfinished : whole;
}

}  // namespace kumiko::io
