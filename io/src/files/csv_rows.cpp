#include <fstream>

#include <kumiko/io/csv_rows.hpp>
#include <kumiko/io/read_number.hpp>

#include "files/csv_file.hpp"
#include "files/part_file.hpp"

namespace kumiko::io {

namespace {

bool is_up_to(const std::string& field, std::int64_t last) {
  const auto step = read_number<std::int64_t>(field);
  return step && *step <= last;
}

CsvRows read_one(const std::filesystem::path& path, std::int64_t last) {
  CsvRows table;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::vector<std::string> fields;
  // A line without an end is one that a killed run did not finish.
  while (std::getline(file, line) && !file.eof()) {
    split_csv_line(line, fields);
    if (table.columns.empty()) {
      table.columns = fields;
    } else if (fields.size() == table.columns.size() && is_up_to(fields.front(), last)) {
      table.rows.push_back(fields);
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
