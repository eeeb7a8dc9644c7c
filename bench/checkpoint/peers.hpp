// Other ways to put a state on the disk, each of which ends when it is there.
#pragma once

#include <filesystem>
#include <string>

#include <kumiko/io/checkpoint.hpp>

namespace kumiko::bench {

/// Bytes that are at hand, by one OS thread: write() and fdatasync(). Throws std::system_error.
void write_plain(const std::filesystem::path& file, const std::string& bytes);

/// The records as one dataset of the HDF5 library: H5Dwrite(), H5Fclose() and fdatasync().
/// Throws std::runtime_error.
void write_by_library(const std::filesystem::path& file, const io::Checkpoint& checkpoint);

}  // namespace kumiko::bench
