// Reads the records of a checkpoint: at once, or later from their places in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <kumiko/amr/patch_id.hpp>
#include <kumiko/amr/saved_run.hpp>

#include "hdf5/hdf5_source.hpp"

namespace kumiko::io {

/// Reads the records of one level after the other, from the coarsest. Compares each with its hash,
/// as other readers can do, and shows it. Throws CheckpointError.
class RecordReader {
 public:
  using Look = std::function<void(const amr::PatchId& id, std::span<const double> record)>;

  /// \param source  outlives this
  /// \param record_size  number of values of a record
  RecordReader(const hdf5::Source& source, std::size_t record_size, Look look);

  /// Lets read_level() keep no values, unless they are compressed. \return what reads them from
  /// then on, and keeps the file open; empty if they are compressed
  amr::RecordSource leave_in_file();

  /// The values of a level's patches; empty if they are left in the file.
  std::vector<double> read_level(std::span<const amr::PatchId> ids);

 private:
  class OpenFile;

  std::vector<double> read_packed(const std::string& chunks, std::size_t patches);
  void look_at(std::span<const amr::PatchId> ids, std::span<const std::uint64_t> hashes,
               std::span<const double> records) const;

  const hdf5::Source& source_;
  std::size_t record_size_;
  Look look_;
  std::uint64_t unread_;            ///< bytes that compressed records may still take
  std::shared_ptr<OpenFile> file_;  ///< of records that are left there; null: they are kept
};

}  // namespace kumiko::io
