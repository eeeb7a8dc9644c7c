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

/// What one row says of the state after a base step.
struct DiagnosticsRow {
  std::int64_t step = 0;
  double time = 0.0;
  std::vector<std::size_t> patches = {};  ///< per level
  amr::FieldFigures field = {};
  std::vector<std::uint64_t> updates = {};  ///< per worker, since the row before
  double dt = 0.0;                          ///< length of the base step
  double largest_cfl = 0.0;                 ///< of any step of any patch so far
};

/// Writes the columns step, time, dt, largest_cfl, patches_0.., mass, min, max, updates_0.. ; of
/// several components, mass_NAME, min_NAME and max_NAME of each stand before the updates. Each row
/// is in the file when row() returns; numbers read back to the same bits. Until finish() the file
/// is called `PATH.part`: a run that fails leaves its rows there.
class DiagnosticsCsv {
 public:
  /// Starts the file, with rows that an earlier part of the run left. These may be of another
  /// number of workers: the file has columns for the larger one. Of an earlier version, they have
  /// no dt and largest_cfl, which stay empty; of
  /// levels that they do not have there were no patches. Throws OutputError, also when the rows
  /// have other columns. \param components  names of the components
  DiagnosticsCsv(const std::filesystem::path& path, int levels, int workers,
                 const EarlierTable& earlier = {},
                 const std::vector<std::string>& components = {"u"});
  ~DiagnosticsCsv();

  /// Writes a row. Throws OutputError when the system refuses it, std::invalid_argument when it has
  /// other numbers of levels, components or workers than the file.
  void row(const DiagnosticsRow& row);

  /// Whether the file began without earlier rows.
  bool is_new() const { return is_new_; }
  /// The updates that the earlier rows report, by column.
  const std::vector<std::uint64_t>& earlier_updates() const { return earlier_updates_; }

  /// Puts the rows on the disk and gives the file its name. The last call. Throws OutputError.
  void finish();

 private:
  std::size_t levels_;
  std::size_t level_columns_ = 0;  ///< of levels: those of earlier rows may be more
  std::size_t components_;
  std::size_t workers_;
  std::size_t columns_;  ///< of workers
  bool is_new_;
  std::vector<std::uint64_t> earlier_updates_;
  std::unique_ptr<class CsvFile> file_;
};

}  // namespace kumiko::io
