// Hashes that identify files.
#pragma once

#include <cstdint>
#include <filesystem>

namespace kumiko::io {

/// The XXH3 hash of all bytes of any file. Throws CheckpointError if it cannot be read.
std::uint64_t hash_of_file(const std::filesystem::path& file);

/// The hash of all bytes before it in the seal at the end of a checkpoint, state or trace. Reads
/// only the end of the file. Throws CheckpointError if there is no seal.
std::uint64_t hash_in_seal(const std::filesystem::path& file);

}  // namespace kumiko::io
