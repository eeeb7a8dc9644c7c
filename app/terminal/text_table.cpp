#include "terminal/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiko::app {

namespace {

/// Characters, not bytes: of UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

/// True if a cell may be in a column of numbers.
bool looks_like_number(const std::string& text) {
  constexpr const char* kFirst = "0123456789-+.";
  return text.empty() || text.find_first_of(kFirst) == 0;
}

}  // namespace

bool TextTable::is_number(std::size_t column) const {
  return std::ranges::all_of(
      rows_, [&](const std::vector<std::string>& row) { return looks_like_number(row[column]); });
}

std::string TextTable::plain() const {
  std::vector<std::size_t> widths;
  std::vector<bool> flush_right;
  for (std::size_t column = 0; column < header_.size(); ++column) {
    std::size_t width = width_of(header_[column]);
    for (const auto& row : rows_) width = std::max(width, width_of(row[column]));
    widths.push_back(width);
    flush_right.push_back(is_number(column));
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string gap(widths[column] - width_of(cells[column]), ' ');
      text += "  ";
      text += flush_right[column] ? gap + cells[column] : cells[column] + gap;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  add_line(header_);
  for (const auto& row : rows_) add_line(row);
  return text;
}

std::string TextTable::csv() const {
  std::string text = fmt::format("{}\n", fmt::join(header_, ","));
  for (const auto& row : rows_) text += fmt::format("{}\n", fmt::join(row, ","));
  return text;
}

std::string cell_text(const nlohmann::ordered_json& value, const char* format,
                      const char* missing) {
  if (value.is_null()) return missing;
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_float()) return value.dump();
  return fmt::format(fmt::runtime(format), value.get<double>());
}

}  // namespace kumiko::app
