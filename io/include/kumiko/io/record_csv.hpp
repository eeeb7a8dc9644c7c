// Writes a record of a run, values over time, as comma-separated values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/io/earlier_table.hpp>

namespace kumiko::io {

/// "record_NAME.csv".
std::string record_file(std::string_view name);
/// The names of the records of which a folder has files, complete ones or parts, in order.
std::vector<std::string> records_in(const std::filesystem::path& folder);

/// The columns of a record's earlier rows, without step and time.
std::vector<std::string> record_columns(const EarlierTable& earlier);
/// Throws OutputError if there are earlier rows with other columns than a record has.
void check_columns(const std::filesystem::path& path, const std::vector<std::string>& columns,
                   const EarlierTable& earlier);

/// Writes the columns step, time [T] and those that are given. Each row is in the file when row()
/// returns. Numbers read back have the same bits. Until finish() the file is called `PATH.part`;
/// the rows of a run that fails remain there.
class RecordCsv {
 public:
  /// Starts the file, with the rows of an earlier part of the run. Throws OutputError, as
  /// check_columns() does too.
  RecordCsv(const std::filesystem::path& path, const std::vector<std::string>& columns,
            const EarlierTable& earlier);
  RecordCsv(RecordCsv&& other) noexcept;
  ~RecordCsv();

  /// Writes a row. Throws OutputError if it cannot be written, and std::invalid_argument if the
  /// number of values is not that of the columns.
  void row(std::int64_t step, double time, std::span<const double> values);
  /// Writes the rows to the disk and renames the file to its final name. The last call. Throws
  /// OutputError.
  void finish();

 private:
  std::size_t columns_;
  std::unique_ptr<class CsvFile> file_;
};

}  // namespace kumiko::io
