#include "journal_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sodium.h>
#include <sys/file.h>
#include <unistd.h>

#include <kumiko/cluster/search_journal.hpp>

namespace kumiko::cluster::detail {

namespace {

constexpr std::string_view kMagic = "kumiko-search-1\n";
constexpr std::size_t kRecordHead = sizeof(PartKey) + sizeof(std::uint64_t);

/// A BLAKE2b of some pieces of bytes, one after the other.
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

template <class Number>
Number number_at(std::span<const std::byte> bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

PartKey key_at(std::span<const std::byte> bytes, std::size_t at) {
  return number_at<PartKey>(bytes, at);
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

/// Gives the lock back at once: io_uring may refer to the file for a moment after it is closed.
JournalFile::~JournalFile() { ::flock(file_.descriptor(), LOCK_UN); }

void JournalFile::lock() {
  if (::flock(file_.descriptor(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) {
    fail("another process uses it; wait until that has ended, or name another file");
  }
  fail("it cannot be locked: " + std::generic_category().message(errno) +
       "; name a file on a file system that has locks");
}

/// Reads what is there, or writes the head of a new file: also of one whose head was not written to
/// its end.
void JournalFile::read() {
  const auto size = file_.size();
  if (!size) fail("it cannot be read: " + size.error().message());
  Frame bytes(static_cast<std::size_t>(*size));
  const auto got = file_.read_at(0, bytes);
  if (got.error) fail("it cannot be read: " + got.error.message());
  bytes.resize(got.bytes);

  const Frame expected = encode_head(head_);
  if (bytes.size() < expected.size() && std::equal(bytes.begin(), bytes.end(), expected.begin())) {
    write(expected);
    return sync_folder();
  }
  constexpr std::size_t kFixed = kMagic.size() + 16;
  const bool is_journal = bytes.size() >= kFixed + sizeof(PartKey) &&
                          std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
  const std::size_t text = is_journal ? number_at<std::uint32_t>(bytes, kMagic.size() + 12) : 0;
  const std::size_t end = kFixed + text;
  if (!is_journal || bytes.size() - sizeof(PartKey) < end ||
      Blake().add(std::span(bytes).first(end)).finish() != key_at(bytes, end)) {
    fail("it is not the journal of a search, or its beginning is damaged; name another file");
  }
  const std::string what(reinterpret_cast<const char*>(bytes.data()) + kFixed, text);
  if (what != head_.what) {
    fail("it belongs to '" + what + "', not to '" + head_.what + "'; name another file");
  }
  if (number_at<std::uint64_t>(bytes, kMagic.size()) != head_.program) {
    fail(
        "it was written by another build of this program, whose parts may be others; go on with "
        "that build, or name another file to begin anew");
  }
  head_.divisions = number_at<std::uint32_t>(bytes, kMagic.size() + 8);
  read_records(bytes, end + sizeof(PartKey));
}

/// So that the file's name is on the device as well.
void JournalFile::sync_folder() const {
  const std::filesystem::path folder = path_.parent_path();
  auto opened = runtime::io::File::open(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  if (!opened) fail("its folder cannot be opened: " + opened.error().message());
  const auto synced = opened->sync();
  // Some file systems have no such operation for folders.
  if (!synced && synced.error() != std::errc::invalid_argument) {
    fail("its folder cannot be written: " + synced.error().message());
  }
}

void JournalFile::read_records(std::span<const std::byte> bytes, std::size_t at) {
  end_ = static_cast<off_t>(at);
  while (bytes.size() - at >= kRecordHead + sizeof(PartKey)) {
    const std::size_t begin = at + kRecordHead + sizeof(PartKey);
    const auto size = number_at<std::uint64_t>(bytes, at + sizeof(PartKey));
    if (size > bytes.size() - begin) break;
    const auto result = bytes.subspan(begin, size);
    const bool is_whole = Blake().add(bytes.subspan(at, kRecordHead)).add(result).finish() ==
                          key_at(bytes, at + kRecordHead);
    if (is_whole) {
      results_[key_at(bytes, at)] = std::make_shared<const Frame>(result.begin(), result.end());
      damaged_bytes_ += at - static_cast<std::size_t>(end_);
      end_ = static_cast<off_t>(begin + size);
    }
    at = begin + size;
  }
  const std::size_t cut = bytes.size() - static_cast<std::size_t>(end_);
  damaged_bytes_ += cut;
  if (cut > 0 && ::ftruncate(file_.descriptor(), end_) != 0) {
    fail("its damaged end cannot be cut off: " + std::generic_category().message(errno));
  }
}

void JournalFile::append(std::span<const JournalRecord> records) {
  Frame bytes;
  for (const JournalRecord& record : records) {
    Frame head;
    append_bytes(head, record.key);
    append_number(head, std::uint64_t{record.result->size()});
    append_bytes(bytes, head);
    append_bytes(bytes, Blake().add(head).add(*record.result).finish());
    append_bytes(bytes, *record.result);
  }
  write(bytes);
}

/// At the end of what is whole. What an attempt that fails has left there is written over by the
/// next one, or cut off by whoever opens the file.
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

}  // namespace kumiko::cluster::detail
