// The file of a search's journal: a head that names the search, and an entry for each result.
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

/// The largest number of divisions of a journal, which gives 2^16 parts.
inline constexpr unsigned kMostDivisions = 16;

/// Names the search to which the results in a file belong.
struct JournalHead {
  std::uint64_t program = 0;  ///< see cluster::program_id()
  std::string what{};         ///< the caller's description of the search
  unsigned divisions = 0;     ///< an existing file keeps its number
};

/// The result of a part.
struct JournalEntry {
  PartKey key{};
  std::shared_ptr<const Frame> result{};
};

/// An open journal, which no other process can open meanwhile. Not for several threads at once.
///
/// *Format*, numbers in this machine's order: "kumiko-search-2\n", the program (8 bytes), the
/// divisions (4), the length of `what` (4), `what`, a BLAKE2b of all that (16). Then for each
/// result its key (16), its length (8), 8 bytes of a BLAKE2b of these two, 8 bytes of a BLAKE2b of
/// these two and the result, the result.
///
/// *Damage.* The reader does not use a length before it has checked its hash. If the hash is wrong,
/// it continues byte by byte until it finds a valid entry, so a damaged entry costs only its own
/// part. The bytes after the last valid entry are cut off. A head that differs in a few bits from
/// one that this search would have written is taken for that one, and is rewritten.
class JournalFile {
 public:
  /// Opens the file and reads it, or creates it. \throws JournalError
  JournalFile(std::filesystem::path path, JournalHead head);
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  const JournalHead& head() const noexcept { return head_; }
  /// The results that it had when it was opened.
  const std::map<PartKey, std::shared_ptr<const Frame>>& results() const noexcept {
    return results_;
  }
  /// The number of bytes that were skipped or cut off then.
  std::uint64_t damaged_bytes() const noexcept { return damaged_bytes_; }
  /// The number of damaged bytes of the head that were rewritten then.
  std::uint64_t repaired_bytes() const noexcept { return repaired_bytes_; }

  /// Appends entries and waits until the device has them. If it throws, nothing is appended, and
  /// the caller may try again. \throws JournalError
  void append(std::span<const JournalEntry> entries);

 private:
  /// An entry whose length has a valid hash.
  struct Entry {
    PartKey key;
    std::span<const std::byte> result;
    bool is_whole;  ///< the hash of the result is valid, too
  };

  void lock();
  void read();
  bool recognise(std::span<const std::byte> bytes);
  void repair(const Frame& head, std::size_t damaged);
  [[noreturn]] void refuse(std::span<const std::byte> bytes) const;
  void read_entries(std::span<const std::byte> bytes, std::size_t at);
  std::optional<Entry> entry_at(std::span<const std::byte> bytes, std::size_t at) const;
  void write(std::span<const std::byte> bytes);
  void sync_folder() const;
  [[noreturn]] void fail(const std::string& why) const;

  const std::filesystem::path path_;
  JournalHead head_;
  runtime::io::File file_;
  off_t end_ = 0;  ///< of the last whole entry
  std::map<PartKey, std::shared_ptr<const Frame>> results_;
  std::uint64_t damaged_bytes_ = 0;
  std::uint64_t repaired_bytes_ = 0;
};

}  // namespace kumiko::search::detail
