// What is in a run's folder.
#pragma once

#include <string>

#include <kumiko/io/output_folder.hpp>

namespace kumiko::io {

/// A JSON text that names the run's files that are there, with bytes, XXH3 of their content (64
/// bits, as 16 hexadecimal digits) and what each is for. Unfinished files, the manifest itself and
/// the summary, which comes after it, are left out. Reads all files. Throws OutputError.
std::string make_manifest(const OutputFolder& folder);

/// A JSON text by which ParaView takes the states of a run as one series in time:
/// "states.hdf.series".
/// @param dt  of a base step
std::string make_series(const OutputFolder& folder, double dt);

}  // namespace kumiko::io
