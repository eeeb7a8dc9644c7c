// Writes the time series of a run's diagnostics as comma-separated values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/io/earlier_table.hpp>

namespace kumiko::io {

/// One row: the state after a base step.
struct DiagnosticsRow {
  std::int64_t step = 0;
  double time = 0.0;
  std::vector<std::size_t> patches = {};  ///< per level
  amr::FieldFigures field = {};
  std::vector<std::uint64_t> updates = {};  ///< per worker, since the previous row
  double dt = 0.0;                          ///< length of the base step
  double largest_cfl = 0.0;                 ///< largest CFL number of any step of any patch so far
};

/// Writes the columns step, time, dt, largest_cfl, patches_0.., mass, min, max, updates_0.. ; if
/// there are several components, mass_NAME, min_NAME and max_NAME of each come before the updates.
/// Each row is in the file when row() returns. Numbers read back have the same bits. Until finish()
/// the file is called `PATH.part`; the rows of a run that fails remain there.
class DiagnosticsCsv {
 public:
  /// Starts the file, with the rows of an earlier part of the run. The earlier part may have had
  /// another number of workers; the file has columns for the larger number. Rows of an earlier
  /// version have no dt and largest_cfl, which are left empty. For levels that earlier rows do not
  /// have, the number of patches is 0. Throws OutputError, also if the rows have other columns.
  /// \param components  names of the components
  DiagnosticsCsv(const std::filesystem::path& path, int levels, int workers,
                 const EarlierTable& earlier = {},
                 const std::vector<std::string>& components = {"u"});
  ~DiagnosticsCsv();

  /// Writes a row. Throws OutputError if it cannot be written, and std::invalid_argument if its
  /// numbers of levels, components or workers differ from the file's.
  void row(const DiagnosticsRow& row);

  /// True if the file began without earlier rows.
  bool is_new() const { return is_new_; }
  /// The updates that the earlier rows report, by column.
  const std::vector<std::uint64_t>& earlier_updates() const { return earlier_updates_; }

  /// Writes the rows to the disk and renames the file to its final name. The last call. Throws
  /// OutputError.
  void finish();

 private:
  std::size_t levels_;
  std::size_t level_columns_ = 0;  ///< columns of levels; earlier rows may have more
  std::size_t components_;
  std::size_t workers_;
  std::size_t columns_;  ///< of workers
  bool is_new_;
  std::vector<std::uint64_t> earlier_updates_;
  std::unique_ptr<class CsvFile> file_;
};

}  // namespace kumiko::io
