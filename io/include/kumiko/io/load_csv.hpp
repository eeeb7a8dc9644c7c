// Writes each worker's load in each base step as comma-separated values.
#pragma once

#include <filesystem>
#include <memory>

#include <kumiko/amr/statistics.hpp>
#include <kumiko/io/earlier_table.hpp>

namespace kumiko::io {

/// Writes the columns step, worker, updates, busy_s, wait_s, steals (amr::WorkerLoad): a row for
/// each base step and worker. The rows are in the file when add() returns; until finish() the file
/// is called `PATH.part`.
class LoadCsv {
 public:
  /// Starts the file, with the rows of an earlier part of the run. Throws OutputError, also if
  /// those have other columns.
  explicit LoadCsv(const std::filesystem::path& path, const EarlierTable& earlier = {});
  ~LoadCsv();

  /// Writes the rows of one base step. Throws OutputError if they cannot be written.
  void add(const amr::BaseStepLoad& load);

  /// Writes the rows to the disk and renames the file to its final name. The last call. Throws
  /// OutputError.
  void finish();

 private:
  std::unique_ptr<class CsvFile> file_;
};

}  // namespace kumiko::io
