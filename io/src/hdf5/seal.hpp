// The seal at the end of a checkpoint or a trace: a table of hashes of all bytes before it, and its
// own hash.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <kumiko/io/file_hash.hpp>

namespace kumiko::io {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

/// A range of a file's bytes that has a hash of its own.
struct Extent {
  static constexpr std::int32_t kMetadata = -1;

  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t hash = 0;          ///< XXH3 of 64 bits
  std::int32_t level = kMetadata;  ///< whose records they are, or kMetadata
  std::int32_t first = 0;          ///< the level's patch that the first record is of
};

std::uint64_t hash_of(std::span<const std::byte> bytes);

/// Makes the seal of extents that follow each other from the file's first byte. It says where it
/// lies itself, too.
std::string make_seal(std::span<const Extent> extents);

/// The hash of a seal, which covers the hashes of all bytes of its file. `end` is the file's end,
/// with the seal.
std::uint64_t hash_in_seal(std::string_view end);

/// Checks every byte of a file against its seal. Throws CheckpointError, in which `what` says what
/// the file should be.
void check_seal(const std::filesystem::path& file, std::string_view what = "checkpoint");

}  // namespace kumiko::io
