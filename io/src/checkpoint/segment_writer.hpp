// Segments of a checkpoint, which have hashes of their own, and the file that many threads write
// them into.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>
#include <vector>

#include <kumiko/amr/saved_run.hpp>
#include <kumiko/runtime/io/file.hpp>

#include "hdf5/seal.hpp"

namespace kumiko::io {

/// Bytes that follow each other in the file, and in memory.
struct Segment {
  Extent extent;                           ///< hash still to come
  const std::byte* bytes = nullptr;        ///< of a segment that is written here
  std::uint64_t* record_hashes = nullptr;  ///< where those of its records go, if it has any
  bool holds_hashes = false;               ///< of records, which are hashed before
  std::int32_t writer = 0;                 ///< the rank that has its bytes
};

/// The segments that records of patches are cut into: of a field of one component 128 KiB each.
/// \param room    in the file, of the level's first record
/// \param bytes   of the first record of the range; nullptr if they are elsewhere
/// \param hashes  of its records
std::vector<Segment> cut_records(const amr::PatchRange& patches, std::uint64_t room,
                                 std::size_t record_bytes, const std::byte* bytes,
                                 std::uint64_t* hashes);

/// A file that many threads write segments of; remembers the first error. Whoever calls finish()
/// has waited for these threads, which orders what they noted before it: the atomic itself only
/// keeps the first of several errors, and no other data goes with it, so that all orders are
/// relaxed.
class SegmentsFile {
 public:
  /// \param flags  as open(2) has them
  SegmentsFile(const std::filesystem::path& path, int flags);

  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// True if a number stands in the file there.
  bool has(std::uint64_t offset, std::uint64_t number);
  /// Waits until what was written so far is on the disk.
  void sync();
  /// Waits until everything is on the disk. \return the first error of all, as errno has it
  int finish();
  int first_error() const { return error_.load(std::memory_order_relaxed); }

 private:
  void write_back();
  void note(const std::error_code& error);

  runtime::io::File file_;
  std::atomic<int> error_{0};
  std::atomic<std::uint64_t> written_{0};  ///< bytes
};

/// Hashes segments and their records and writes them, by several lightweight threads; returns when
/// it is done. On a lightweight thread.
///
/// \param segments  in the order in which they lie in the file; all have bytes
void write_segments(SegmentsFile& file, std::span<Segment* const> segments,
                    std::size_t record_bytes);

}  // namespace kumiko::io
