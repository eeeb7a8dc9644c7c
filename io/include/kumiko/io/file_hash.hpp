// Hashes by which files are told apart.
#pragma once

#include <cstdint>
#include <filesystem>

namespace kumiko::io {

/// The XXH3 hash of all bytes of any file. Throws CheckpointError when it cannot be read.
std::uint64_t hash_of_file(const std::filesystem::path& file);

/// What the seal at the end of a checkpoint, state or trace says of all bytes before it. Reads the
/// end alone. Throws CheckpointError when there is no seal.
std::uint64_t hash_in_seal(const std::filesystem::path& file);

}  // namespace kumiko::io
