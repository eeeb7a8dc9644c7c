// The file of a search's journal: whose it is, and results of parts, one appended to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include <sys/types.h>

#include <kumiko/cluster/link.hpp>
#include <kumiko/runtime/io/file.hpp>

#include "part_store.hpp"

namespace kumiko::cluster::detail {

/// What the results in a file are good for.
struct JournalHead {
  std::uint64_t program = 0;  ///< as number_functions() tells programs apart
  std::string what{};         ///< the caller's words for the search
  unsigned divisions = 0;     ///< the file's count, where it goes on
};

struct JournalRecord {
  PartKey key{};
  std::shared_ptr<const Frame> result{};
};

/// An open journal, which no other process has open meanwhile. Not for several threads at once.
///
/// *Format*, numbers in this machine's order: "kumiko-search-1\n", the program (8 bytes), the
/// divisions (4), the length of `what` (4), `what`, a BLAKE2b of all that (16). Then for each
/// result its key (16), its length (8), a BLAKE2b of these and of the result (16), the result. A
/// record whose hash is not right is passed over; what follows the last right one is cut off. So
/// whatever a crash has left at the end costs that part only.
class JournalFile {
 public:
  /// Opens the file and reads it, or makes it. \throws JournalError
  JournalFile(std::filesystem::path path, JournalHead head);
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  const JournalHead& head() const noexcept { return head_; }
  /// What it had when it was opened.
  const std::map<PartKey, std::shared_ptr<const Frame>>& results() const noexcept {
    return results_;
  }
  /// How many bytes were passed over or cut off then.
  std::uint64_t damaged_bytes() const noexcept { return damaged_bytes_; }

  /// Appends records and waits until the device has them. Nothing is appended where it throws; it
  /// may be tried again. \throws JournalError
  void append(std::span<const JournalRecord> records);

 private:
  void lock();
  void read();
  void read_records(std::span<const std::byte> bytes, std::size_t at);
  void write(std::span<const std::byte> bytes);
  void sync_folder() const;
  [[noreturn]] void fail(const std::string& why) const;

  const std::filesystem::path path_;
  JournalHead head_;
  runtime::io::File file_;
  off_t end_ = 0;  ///< of what is whole
  std::map<PartKey, std::shared_ptr<const Frame>> results_;
  std::uint64_t damaged_bytes_ = 0;
};

}  // namespace kumiko::cluster::detail
