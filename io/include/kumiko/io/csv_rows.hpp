// Reads the rows that an earlier part of a run has left in a table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kumiko::io {

/// The lines of a table whose first column is a base step.
struct CsvRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as columns
};

/// Reads `PATH`, or `PATH.part` where that has more rows up to base step `last`; later rows, and a
/// last line that is not complete, are left out. Empty without either file.
CsvRows read_csv_rows(const std::filesystem::path& path, std::int64_t last);

}  // namespace kumiko::io
