// Lays out a table of texts, for the terminal and for Markdown.
#pragma once

#include <string>
#include <vector>

namespace kumiko::app {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

  /// Adds a row, which has as many cells as the header.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  /// The table in columns as wide as their widest cell: those of numbers are flush right, and the
  /// last column, if it is text, is not filled up.
  std::string plain() const;
  /// The table as GitHub and Doxygen read it.
  std::string markdown() const;

 private:
  bool is_number(std::size_t column) const;

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace kumiko::app
