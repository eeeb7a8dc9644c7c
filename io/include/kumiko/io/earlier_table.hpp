// Finds the rows that an earlier part of a run has left in a table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::io {

/// Rows of a table whose first column is a base step. They stay in the file, which may be larger
/// than a program should hold, and must not change meanwhile.
class EarlierTable {
 public:
  /// Without rows.
  EarlierTable() = default;
  /// The rows of `PATH`, or of `PATH.part` where that has more, up to base step `last`; a last line
  /// that is not complete and rows of other lengths are left out. Without rows if there is neither
  /// file. Cost: reads both.
  EarlierTable(const std::filesystem::path& path, std::int64_t last);

  bool empty() const noexcept { return rows_ == 0; }
  const std::vector<std::string>& columns() const noexcept { return columns_; }

  using Fields = std::vector<std::string_view>;
  /// Calls take() for each row, as long as columns(), in the file's order. Throws OutputError where
  /// the file has other rows now. Cost: reads it.
  void for_each(const std::function<void(const Fields& row)>& take) const;

 private:
  /// Reads one file, and calls take() as above.
  static EarlierTable read(const std::filesystem::path& path, std::int64_t last,
                           const std::function<void(const Fields& row)>& take);

  std::filesystem::path file_;
  std::int64_t last_ = 0;
  std::vector<std::string> columns_;
  std::uint64_t rows_ = 0;
};

}  // namespace kumiko::io
