#include "journal/journal_file.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sodium.h>
#include <sys/file.h>
#include <unistd.h>

#include <kumiko/search/search_journal.hpp>

namespace kumiko::search::detail {

namespace {

/// The first bytes of a file, with the number of its layout.
constexpr std::string_view kMagic = "kumiko-search-2\n";
constexpr std::size_t kLayoutAt = kMagic.size() - 2;
constexpr std::size_t kProgramAt = kMagic.size();
constexpr std::size_t kDivisionsAt = kProgramAt + sizeof(std::uint64_t);
constexpr std::size_t kLengthAt = kDivisionsAt + sizeof(std::uint32_t);
constexpr std::size_t kWhatAt = kLengthAt + sizeof(std::uint32_t);

/// The key and the length of an entry, and these with its hashes.
constexpr std::size_t kEntryHead = sizeof(PartKey) + sizeof(std::uint64_t);
constexpr std::size_t kEntryBytes = kEntryHead + sizeof(PartKey);

/// The hashes of different heads differ in about 64 of 128 bits, so a head with fewer differences
/// is a damaged copy.
constexpr int kMostFlippedBits = 16;

/// The BLAKE2b hash of several pieces of bytes in a row.
class Blake {
 public:
  Blake() { crypto_generichash_init(&state_, nullptr, 0, sizeof(PartKey)); }
  Blake& add(std::span<const std::byte> bytes) {
    crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
    return *this;
  }
  PartKey finish() {
    PartKey hash;
    crypto_generichash_final(&state_, reinterpret_cast<unsigned char*>(hash.data()), hash.size());
    return hash;
  }

 private:
  crypto_generichash_state state_{};
};

template <class Number>
void append_number(Frame& to, Number number) {
  const auto bytes = std::as_bytes(std::span(&number, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_bytes(Frame& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class Number>
Number number_at(std::span<const std::byte> bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

PartKey key_at(std::span<const std::byte> bytes, std::size_t at) {
  return number_at<PartKey>(bytes, at);
}

Frame encode_head(const JournalHead& head) {
  Frame bytes;
  append_bytes(bytes, std::as_bytes(std::span(kMagic)));
  append_number(bytes, head.program);
  append_number(bytes, std::uint32_t{head.divisions});
  append_number(bytes, static_cast<std::uint32_t>(head.what.size()));
  append_bytes(bytes, std::as_bytes(std::span(head.what)));
  append_bytes(bytes, Blake().add(bytes).finish());
  return bytes;
}

/// The hashes that an entry must have.
PartKey seal_of(std::span<const std::byte> head, std::span<const std::byte> result) {
  PartKey seal = Blake().add(head).add(result).finish();
  const PartKey of_head = Blake().add(head).finish();
  std::copy_n(of_head.begin(), seal.size() / 2, seal.begin());
  return seal;
}

int flipped_bits(std::byte one, std::byte other) {
  return std::popcount(std::to_integer<unsigned>(one ^ other));
}

/// The number of bits and of bytes in which two pieces of the same length differ.
struct Difference {
  int bits = 0;
  std::size_t bytes = 0;
};

Difference difference(std::span<const std::byte> one, std::span<const std::byte> other) {
  Difference found;
  for (std::size_t i = 0; i < one.size(); ++i) {
    found.bits += flipped_bits(one[i], other[i]);
    if (one[i] != other[i]) ++found.bytes;
  }
  return found;
}

}  // namespace

PartKey key_of(const Task& task) {
  return Blake().add(std::as_bytes(std::span(&task.type, 1))).add(*task.bytes).finish();
}

JournalFile::JournalFile(std::filesystem::path path, JournalHead head)
    : path_(std::move(path)), head_(std::move(head)) {
  if (sodium_init() < 0) fail("libsodium cannot be used here");
  auto opened = runtime::io::File::open(path_, O_RDWR | O_CREAT);
  if (!opened) {
    fail("it cannot be opened: " + opened.error().message() +
         "; name a file in a folder that you may write to");
  }
  file_ = std::move(*opened);
  lock();
  read();
}

/// Unlocks the file at once, since io_uring may refer to it for a moment after it is closed.
JournalFile::~JournalFile() { ::flock(file_.descriptor(), LOCK_UN); }

void JournalFile::lock() {
  if (::flock(file_.descriptor(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) {
    fail("another process uses it; wait until that has ended, or name another file");
  }
  fail("it cannot be locked: " + std::generic_category().message(errno) +
       "; name a file on a file system that has locks");
}

/// Reads the file, or writes the head of a new file or of one whose head is incomplete.
void JournalFile::read() {
  const auto size = file_.size();
  if (!size) fail("it cannot be read: " + size.error().message());
  Frame bytes(static_cast<std::size_t>(*size));
  const auto got = file_.read_at(0, bytes);
  if (got.error) fail("it cannot be read: " + got.error.message());

  if (!recognise(bytes)) refuse(bytes);
  const std::size_t head = encode_head(head_).size();
  if (bytes.size() >= head) return read_entries(bytes, head);
  write(encode_head(head_));
  sync_folder();
}

/// Compares the head of the file with all heads that this search may have written, one for each
/// number of divisions. If one of them differs in at most a few damaged bits, takes its number of
/// divisions. A shorter file belongs to this search if one of the heads begins with it. Returns
/// false if no head fits.
bool JournalFile::recognise(std::span<const std::byte> bytes) {
  for (unsigned divisions = 1; divisions <= kMostDivisions; ++divisions) {
    const Frame head = encode_head({head_.program, head_.what, divisions});
    if (bytes.size() < head.size()) {
      if (std::equal(bytes.begin(), bytes.end(), head.begin())) return true;
      continue;
    }
    const Difference damage = difference(bytes.first(head.size()), head);
    if (damage.bits > kMostFlippedBits) continue;
    head_.divisions = divisions;
    if (damage.bytes > 0) repair(head, damage.bytes);
    return true;
  }
  return false;
}

void JournalFile::repair(const Frame& head, std::size_t damaged) {
  std::error_code error = file_.write_at(0, head).error;
  if (!error) {
    if (const auto synced = file_.sync_data(); !synced) error = synced.error();
  }
  if (error) fail("its damaged beginning cannot be rewritten: " + error.message());
  repaired_bytes_ = damaged;
}

/// Throws an error that says why the file does not belong to this search.
void JournalFile::refuse(std::span<const std::byte> bytes) const {
  const bool is_journal = bytes.size() >= kWhatAt + sizeof(PartKey) &&
                          std::memcmp(bytes.data(), kMagic.data(), kLayoutAt) == 0;
  const std::size_t end = kWhatAt + (is_journal ? number_at<std::uint32_t>(bytes, kLengthAt) : 0);
  if (!is_journal || bytes.size() - sizeof(PartKey) < end ||
      Blake().add(bytes.first(end)).finish() != key_at(bytes, end)) {
    fail("it is not the journal of a search, or its beginning is damaged; name another file");
  }
  const std::string what(reinterpret_cast<const char*>(bytes.data()) + kWhatAt, end - kWhatAt);
  if (what != head_.what) {
    fail("it belongs to '" + what + "', not to '" + head_.what + "'; name another file");
  }
  if (bytes[kLayoutAt] != static_cast<std::byte>(kMagic[kLayoutAt]) ||
      number_at<std::uint64_t>(bytes, kProgramAt) != head_.program) {
    fail(
        "it was written by another build of this program, whose parts may differ; continue with "
        "that build, or name another file to start again");
  }
  fail("it asks for " + std::to_string(number_at<std::uint32_t>(bytes, kDivisionsAt)) +
       " divisions, and at most " + std::to_string(kMostDivisions) +
       " are possible; name another file");
}

/// Writes the name of the file to the device, too.
void JournalFile::sync_folder() const {
  const std::filesystem::path folder = path_.parent_path();
  auto opened = runtime::io::File::open(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  if (!opened) fail("its folder cannot be opened: " + opened.error().message());
  const auto synced = opened->sync();
  // Some file systems cannot sync folders.
  if (!synced && synced.error() != std::errc::invalid_argument) {
    fail("its folder cannot be written: " + synced.error().message());
  }
}

/// Returns the entry that begins there; nullopt if the hash of its key and length is wrong.
std::optional<JournalFile::Entry> JournalFile::entry_at(std::span<const std::byte> bytes,
                                                        std::size_t at) const {
  const auto head = bytes.subspan(at, kEntryHead);
  const auto size = number_at<std::uint64_t>(head, sizeof(PartKey));
  if (size > bytes.size() - at - kEntryBytes) return std::nullopt;
  const PartKey seal = key_at(bytes, at + kEntryHead);
  const PartKey of_head = Blake().add(head).finish();
  if (!std::equal(seal.begin(), seal.begin() + seal.size() / 2, of_head.begin())) {
    return std::nullopt;
  }
  const auto result = bytes.subspan(at + kEntryBytes, size);
  return Entry{key_at(head, 0), result, seal_of(head, result) == seal};
}

void JournalFile::read_entries(std::span<const std::byte> bytes, std::size_t at) {
  end_ = static_cast<off_t>(at);
  while (bytes.size() - at >= kEntryBytes) {
    const std::optional<Entry> entry = entry_at(bytes, at);
    if (!entry) {
      ++at;
      continue;
    }
    const std::size_t end = at + kEntryBytes + entry->result.size();
    if (entry->is_whole) {
      results_[entry->key] =
          std::make_shared<const Frame>(entry->result.begin(), entry->result.end());
      damaged_bytes_ += at - static_cast<std::size_t>(end_);
      end_ = static_cast<off_t>(end);
    }
    at = end;
  }
  const std::size_t cut = bytes.size() - static_cast<std::size_t>(end_);
  damaged_bytes_ += cut;
  if (cut > 0 && ::ftruncate(file_.descriptor(), end_) != 0) {
    fail("its damaged end cannot be cut off: " + std::generic_category().message(errno));
  }
}

void JournalFile::append(std::span<const JournalEntry> entries) {
  Frame bytes;
  for (const JournalEntry& entry : entries) {
    Frame head;
    append_bytes(head, entry.key);
    append_number(head, std::uint64_t{entry.result->size()});
    append_bytes(bytes, head);
    append_bytes(bytes, seal_of(head, *entry.result));
    append_bytes(bytes, *entry.result);
  }
  write(bytes);
}

/// Writes after the last whole entry. If this fails, the next attempt overwrites the bytes that it
/// has left there, or the next process that opens the file cuts them off.
void JournalFile::write(std::span<const std::byte> bytes) {
  std::error_code error = file_.write_at(end_, bytes).error;
  if (!error) {
    if (const auto synced = file_.sync_data(); !synced) error = synced.error();
  }
  if (error) fail("it cannot be written: " + error.message());
  end_ += static_cast<off_t>(bytes.size());
}

void JournalFile::fail(const std::string& why) const {
  throw JournalError("the journal '" + path_.string() + "': " + why);
}

}  // namespace kumiko::search::detail
