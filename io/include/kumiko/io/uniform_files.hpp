// Writes a field on a uniform grid in formats that other programs read without Kumiko.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <kumiko/amr/uniform_field.hpp>

namespace kumiko::io {

/// A state's field on a window of a uniform grid, and where it is from.
struct UniformState {
  amr::UniformField field;
  std::vector<std::string> names;  ///< one for each component of the field, all different
  double time = 0.0;
  int step = 0;  ///< base steps taken
};

// Each function writes one file, which appears when it is whole and replaces an earlier one; it is
// streamed, so that nothing of the field is in memory twice. Throws OutputError, and
// std::invalid_argument if the number of names differs from that of components.
// docs/reference/files.md describes the files.

/// NumPy's format: a zip archive with an array NAME.npy for each component (float64, y first), and
/// `x`, `y`, `time`, `step`, `level`, `spacing`. A component that has one of these names gets an
/// underscore at its end. Not compressed; sizes in 64 bits (ZIP64).
void write_npz(const std::filesystem::path& file, const UniformState& state);

/// VTK's ImageData as XML with raw data: a field of nodes as point data at the places of the nodes,
/// one of cells as cell data. Each component is an array, and `level` is one; `TimeValue` is the
/// time.
void write_vti(const std::filesystem::path& file, const UniformState& state);

/// A table for gnuplot and others: comments, then a row `x y level u…` for each point, x fastest,
/// and an empty line after each row of points. Numbers read back to the same bits.
void write_table(const std::filesystem::path& file, const UniformState& state);

}  // namespace kumiko::io
