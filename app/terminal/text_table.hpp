// Lays out a table of texts as columns and as CSV.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace kumiko::app {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

  /// Adds a row, which has as many cells as the header.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// The table in columns as wide as their widest cell: those of numbers are flush right, and the
  /// last column, if it is text, is not filled up.
  std::string plain() const;
  /// The table with commas between the cells as they are.
  std::string csv() const;

 private:
  bool is_number(std::size_t column) const;

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// One column of a report: of its CSV and JSON, of its table, or of both.
template <class Row>
struct Column {
  const char* name;    ///< in CSV and JSON; nullptr: not there
  const char* title;   ///< in the table; nullptr: not there
  const char* format;  ///< of its numbers there; a CSV has every digit
  std::function<nlohmann::ordered_json(const Row& row)> value;
};

/// A cell's text, and `missing` for null.
std::string cell_text(const nlohmann::ordered_json& value, const char* format, const char* missing);

template <class Row, class Rows>
TextTable table_of(const std::vector<Column<Row>>& columns, const Rows& rows, bool for_csv) {
  const auto heading = for_csv ? &Column<Row>::name : &Column<Row>::title;
  std::vector<std::string> header;
  for (const Column<Row>& column : columns) {
    if (column.*heading != nullptr) header.emplace_back(column.*heading);
  }
  TextTable table(std::move(header));
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (const Column<Row>& column : columns) {
      if (column.*heading == nullptr) continue;
      cells.push_back(
          cell_text(column.value(row), for_csv ? "{}" : column.format, for_csv ? "" : "-"));
    }
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace kumiko::app
