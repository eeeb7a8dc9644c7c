// Finds the rows of a table that an earlier part of a run has written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::io {

/// Rows of a table whose first column is a base step. The rows are not kept in memory, since the
/// file may be large. The file must not change while this object exists.
class EarlierTable {
 public:
  /// A table without rows.
  EarlierTable() = default;
  /// The rows of `PATH`, or of `PATH.part` if it has more rows, up to base step `last`. An
  /// incomplete last line and rows of other lengths are left out. Without rows if neither file
  /// exists. Cost: reads both files.
  EarlierTable(const std::filesystem::path& path, std::int64_t last);

  bool empty() const noexcept { return rows_ == 0; }
  /// Base steps that have rows, where those of one step follow each other.
  std::int64_t steps() const noexcept { return steps_; }
  /// The base step of the first row; 0 without rows.
  std::int64_t first_step() const noexcept { return first_step_; }
  /// The base step of the last row; 0 without rows.
  std::int64_t last_step() const noexcept { return last_step_; }
  const std::vector<std::string>& columns() const noexcept { return columns_; }

  using Fields = std::vector<std::string_view>;
  /// Calls take() for each row, each with as many fields as columns(), in the file's order. Throws
  /// OutputError if the file has other rows now. Cost: reads the file.
  void for_each(const std::function<void(const Fields& row)>& take) const;

 private:
  /// Reads one file, and calls take() as above.
  static EarlierTable read(const std::filesystem::path& path, std::int64_t last,
                           const std::function<void(const Fields& row)>& take);

  std::filesystem::path file_;
  std::int64_t last_ = 0;
  std::vector<std::string> columns_;
  std::uint64_t rows_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t first_step_ = 0;
  std::int64_t last_step_ = 0;
};

}  // namespace kumiko::io
