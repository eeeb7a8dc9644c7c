// The time series of a run's diagnostics, as comma-separated values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace kumiko::io {

/// What one row says of the state after a base step.
struct DiagnosticsRow {
  std::int64_t step = 0;
  double time = 0.0;
  std::vector<std::size_t> patches;  ///< per level
  double mass = 0.0;
  double minimum = 0.0;
  double maximum = 0.0;
  std::vector<std::uint64_t> updates;  ///< per worker, since the row before
};

/// Writes the columns step, time, patches_0.., mass, min, max, updates_0.. . Each row is in the
/// file when row() returns; numbers read back to the same bits. Until finish() the file is called
/// `PATH.part`: a run that fails leaves its rows there.
class DiagnosticsCsv {
 public:
  /// Starts the file. Throws OutputError.
  DiagnosticsCsv(const std::filesystem::path& path, int levels, int workers);
  ~DiagnosticsCsv();

  /// Throws OutputError when the system refuses the row, std::invalid_argument when it has other
  /// numbers of levels or workers than the file.
  void row(const DiagnosticsRow& row);

  /// Puts the rows on the disk and gives the file its name. The last call. Throws OutputError.
  void finish();

 private:
  class Part;
  std::size_t levels_;
  std::size_t workers_;
  std::unique_ptr<Part> part_;
};

}  // namespace kumiko::io
