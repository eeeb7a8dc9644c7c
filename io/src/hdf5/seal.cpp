#include "hdf5/seal.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>

#include <kumiko/io/checkpoint_error.hpp>
#include <kumiko/runtime/io/file.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kumiko::io {

namespace {

namespace fs = std::filesystem;

/// The last bytes of a sealed file.
struct Trailer {
  std::uint64_t extents = 0;       ///< in the table
  std::uint64_t table_offset = 0;  ///< where the table begins; it ends where the trailer begins
  std::uint64_t hash = 0;          ///< of the table and the two numbers above
  std::array<char, 16> magic{};
};
static_assert(sizeof(Extent) == 32 && sizeof(Trailer) == 40, "their layout is the file's");

constexpr std::string_view kMagic = "KUMIKO SEAL 0001";
/// The beginning of the magic of every version.
constexpr std::string_view kAnyMagic = "KUMIKO SEAL ";
constexpr std::string_view kHdf5Magic = "\x89HDF\r\n\x1a\n";

std::uint64_t hash_of_seal(std::span<const Extent> extents, const Trailer& trailer) {
  const XXH64_hash_t table = XXH3_64bits(extents.data(), extents.size_bytes());
  const std::array<std::uint64_t, 3> all = {table, trailer.extents, trailer.table_offset};
  return XXH3_64bits(all.data(), sizeof(all));
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw CheckpointError(fmt::format("'{}' {}", file.string(), why));
}

[[noreturn]] void call_damaged(const fs::path& file, const std::string& why) {
  throw DamagedCheckpoint(fmt::format("'{}' {}", file.string(), why));
}

/// A file that is read in parts.
class Reader {
 public:
  explicit Reader(const fs::path& file) : path_(file) {
    std::error_code missing;
    if (fs::exists(file, missing) && !fs::is_regular_file(file, missing)) {
      refuse(path_, "is not a regular file");
    }
    auto opened = runtime::io::File::open(file, O_RDONLY);
    if (!opened) fail(opened.error());
    file_ = std::move(*opened);
    const auto size = file_.size();
    if (!size) fail(size.error());
    size_ = static_cast<std::uint64_t>(*size);
  }

  std::uint64_t size() const { return size_; }

  void read(std::uint64_t offset, std::span<std::byte> into) const {
    const runtime::io::Transfer done = file_.read_at(static_cast<off_t>(offset), into);
    if (done.error == runtime::io::TransferError::kEndOfInput) {
      refuse(path_, "became shorter while it was read");
    }
    if (done.error) fail(done.error);
  }

  std::uint64_t hash(const Extent& extent) {
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20U;
    buffer_.resize(std::min(kAtOnce, extent.length));
    XXH3_state_t* const state = state_.get();
    XXH3_64bits_reset(state);
    for (std::uint64_t done = 0; done < extent.length;) {
      const std::uint64_t now = std::min(kAtOnce, extent.length - done);
      read(extent.offset + done, std::span(buffer_).first(now));
      XXH3_64bits_update(state, buffer_.data(), now);
      done += now;
    }
    return XXH3_64bits_digest(state);
  }

 private:
  [[noreturn]] void fail(const std::error_code& error) const {
    refuse(path_, "cannot be read: " + error.message());
  }

  fs::path path_;
  runtime::io::File file_;
  std::uint64_t size_ = 0;
  std::vector<std::byte> buffer_;
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_{XXH3_createState(),
                                                                  &XXH3_freeState};
};

bool begins_as_hdf5(const Reader& reader) {
  std::array<char, kHdf5Magic.size()> begin{};
  reader.read(0, std::as_writable_bytes(std::span(begin))
                     .first(std::min<std::uint64_t>(begin.size(), reader.size())));
  return std::string_view(begin.data(), begin.size()) == kHdf5Magic;
}

Trailer read_trailer(const fs::path& file, const Reader& reader, std::string_view what) {
  if (reader.size() == 0) call_damaged(file, "is empty");
  Trailer trailer;
  const bool has_room = reader.size() >= sizeof(trailer);
  if (has_room) {
    reader.read(reader.size() - sizeof(trailer), std::as_writable_bytes(std::span(&trailer, 1)));
  }
  const std::string_view magic(trailer.magic.data(), trailer.magic.size());
  const bool is_sealed = magic.substr(0, kAnyMagic.size()) == kAnyMagic;
  if (!begins_as_hdf5(reader)) {
    if (is_sealed) call_damaged(file, "is damaged: it does not begin as an HDF5 file");
    throw NotACheckpoint(fmt::format(
        "'{}' is not a {}: it does not begin as an HDF5 file; name {}", file.string(), what,
        what == "trace" ? "the run's trace.hdf" : "a checkpoint or a state of a run"));
  }
  if (!has_room) call_damaged(file, "is damaged: it ends too early");
  if (magic == kMagic) return trailer;
  if (is_sealed) {
    refuse(file, "has a seal that this version of Kumiko cannot read; use a newer version");
  }
  call_damaged(file, "has no seal at its end: it was cut short, or another program wrote it");
}

std::vector<Extent> read_table(const fs::path& file, const Reader& reader, std::string_view what) {
  constexpr std::string_view kBadSeal = "is damaged: its seal does not match its contents";
  const Trailer trailer = read_trailer(file, reader, what);
  const std::uint64_t table_end = reader.size() - sizeof(trailer);
  // Bounded by the file's size before there is memory for it.
  if (trailer.extents > table_end / sizeof(Extent) ||
      trailer.table_offset != table_end - trailer.extents * sizeof(Extent)) {
    call_damaged(file, std::string(kBadSeal));
  }
  std::vector<Extent> extents(trailer.extents);
  reader.read(trailer.table_offset, std::as_writable_bytes(std::span(extents)));
  std::uint64_t end = 0;
  bool good = trailer.hash == hash_of_seal(extents, trailer);
  for (const Extent& extent : extents) {
    good = good && extent.offset == end && extent.length <= trailer.table_offset - end;
    if (!good) break;
    end += extent.length;
  }
  if (!good || end != trailer.table_offset) call_damaged(file, std::string(kBadSeal));
  return extents;
}

std::string contents(const Extent& extent) {
  if (extent.level == Extent::kMetadata) return "its description, or compressed records";
  return fmt::format("records of level {} from patch {} on", extent.level, extent.first);
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t hash_of_file(const fs::path& file) {
  Reader reader(file);
  return reader.hash({0, reader.size()});
}

std::string make_seal(std::span<const Extent> extents) {
  Trailer trailer;
  trailer.extents = extents.size();
  trailer.table_offset = extents.empty() ? 0 : extents.back().offset + extents.back().length;
  trailer.hash = hash_of_seal(extents, trailer);
  std::copy(kMagic.begin(), kMagic.end(), trailer.magic.begin());
  std::string seal(extents.size_bytes() + sizeof(trailer), '\0');
  std::memcpy(seal.data(), extents.data(), extents.size_bytes());
  std::memcpy(seal.data() + extents.size_bytes(), &trailer, sizeof(trailer));
  return seal;
}

std::uint64_t hash_in_seal(std::string_view end) {
  Trailer trailer;
  std::memcpy(&trailer, end.data() + end.size() - sizeof(trailer), sizeof(trailer));
  return trailer.hash;
}

std::uint64_t hash_in_seal(const fs::path& file) {
  return read_trailer(file, Reader(file), "checkpoint").hash;
}

void check_seal(const fs::path& file, std::string_view what) {
  Reader reader(file);
  for (const Extent& extent : read_table(file, reader, what)) {
    if (reader.hash(extent) == extent.hash) continue;
    call_damaged(file, fmt::format("is damaged between bytes {} and {} ({})", extent.offset,
                                   extent.offset + extent.length - 1, contents(extent)));
  }
}

}  // namespace kumiko::io
