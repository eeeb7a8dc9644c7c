// The file of a search's journal: whose it is, and results of parts, one appended to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

#include <kumiko/runtime/io/file.hpp>
#include <kumiko/search/frame.hpp>

#include "core/part_store.hpp"

namespace kumiko::search::detail {

/// The most divisions that a journal may ask for: 2^16 parts.
inline constexpr unsigned kMostDivisions = 16;

/// What the results in a file are good for.
struct JournalHead {
  std::uint64_t program = 0;  ///< as program_id() tells programs apart
  std::string what{};         ///< the caller's words for the search
  unsigned divisions = 0;     ///< the file's count, where it goes on
};

struct JournalRecord {
  PartKey key{};
  std::shared_ptr<const Frame> result{};
};

/// An open journal, which no other process has open meanwhile. Not for several threads at once.
///
/// *Format*, numbers in this machine's order: "kumiko-search-2\n", the program (8 bytes), the
/// divisions (4), the length of `what` (4), `what`, a BLAKE2b of all that (16). Then for each
/// result its key (16), its length (8), 8 bytes of a BLAKE2b of these two, 8 bytes of a BLAKE2b of
/// these two and the result, the result.
///
/// *Damage.* No length is believed before a hash has shown that it is right. Where none does, the
/// reader goes on byte by byte until a record is right; so a damaged record costs its own part
/// only. The bytes after the last right record are cut off. A head that differs by a few bits from
/// one that this search would have written is that one, and is written anew.
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
  /// How many bytes of the head were damaged, and have been written anew then.
  std::uint64_t repaired_bytes() const noexcept { return repaired_bytes_; }

  /// Appends records and waits until the device has them. Nothing is appended where it throws; it
  /// may be tried again. \throws JournalError
  void append(std::span<const JournalRecord> records);

 private:
  /// A record whose length is known to be right.
  struct Record {
    PartKey key;
    std::span<const std::byte> result;
    bool is_whole;  ///< and so is its result
  };

  void lock();
  void read();
  bool recognise(std::span<const std::byte> bytes);
  void repair(const Frame& head, std::size_t damaged);
  [[noreturn]] void refuse(std::span<const std::byte> bytes) const;
  void read_records(std::span<const std::byte> bytes, std::size_t at);
  std::optional<Record> record_at(std::span<const std::byte> bytes, std::size_t at) const;
  void write(std::span<const std::byte> bytes);
  void sync_folder() const;
  [[noreturn]] void fail(const std::string& why) const;

  const std::filesystem::path path_;
  JournalHead head_;
  runtime::io::File file_;
  off_t end_ = 0;  ///< of what is whole
  std::map<PartKey, std::shared_ptr<const Frame>> results_;
  std::uint64_t damaged_bytes_ = 0;
  std::uint64_t repaired_bytes_ = 0;
};

}  // namespace kumiko::search::detail
