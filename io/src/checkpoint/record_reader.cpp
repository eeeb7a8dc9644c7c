#include "checkpoint/record_reader.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>

#include <kumiko/runtime/io/file.hpp>

#include "checkpoint/checkpoint_views.hpp"
#include "checkpoint/record_codec.hpp"
#include "hdf5/seal.hpp"

namespace kumiko::io {

using hdf5::Source;

/// A file in which the records of a level lie one after the other.
class RecordReader::OpenFile {
 public:
  OpenFile(const Source& source, std::size_t record_bytes)
      : name_(source.name()), record_bytes_(record_bytes) {
    auto opened = runtime::io::File::open(name_, O_RDONLY);
    if (!opened) refuse(opened.error().message());
    file_ = std::move(*opened);
  }
  void add_level(std::uint64_t place) { places_.push_back(place); }

  void read(int level, std::size_t slot, std::span<double> into) const {
    const std::uint64_t place = places_[static_cast<std::size_t>(level)] + slot * record_bytes_;
    const auto done = file_.read_at(static_cast<off_t>(place), std::as_writable_bytes(into));
    if (done.error == runtime::io::TransferError::kEndOfInput) refuse("it became shorter");
    if (done.error) refuse(done.error.message());
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw CheckpointError(fmt::format("'{}' cannot be read: {}", name_, why));
  }

  std::string name_;
  std::size_t record_bytes_;
  runtime::io::File file_;
  std::vector<std::uint64_t> places_;
};

RecordReader::RecordReader(const Source& source, std::size_t record_size, Look look)
    : source_(source), record_size_(record_size), look_(std::move(look)), unread_(source.bytes()) {}

amr::RecordSource RecordReader::leave_in_file() {
  if (source_.has("/kumiko/level_0/chunks")) return {};
  file_ = std::make_shared<OpenFile>(source_, record_size_ * sizeof(double));
  return {record_size_, [file = file_](int level, std::size_t slot, std::span<double> into) {
            file->read(level, slot, into);
          }};
}

std::vector<double> RecordReader::read_level(std::span<const amr::PatchId> ids) {
  const int level = ids.front().level;
  const std::size_t patches = ids.size();
  const std::string path = fmt::format("/kumiko/level_{}/", level);
  const auto hashes = source_.list<std::uint64_t>(path + "hashes", patches);
  if (file_ == nullptr) {
    std::vector<double> values =
        source_.has(path + "chunks")
            ? read_packed(path + "chunks", patches)
            : source_.list<double>(records_path(level), patches * record_size_);
    look_at(ids, hashes, values);
    return values;
  }
  const auto place = source_.place_of_doubles(records_path(level), patches * record_size_);
  if (!place) source_.refuse(Source::odd(records_path(level)));
  file_->add_level(*place);
  std::vector<double> some;
  for (std::size_t slot = 0; slot < patches; slot += amr::kRecordsTogether) {
    const std::size_t count = std::min(amr::kRecordsTogether, patches - slot);
    some.resize(count * record_size_);
    file_->read(level, slot, some);
    look_at(ids.subspan(slot, count), std::span(hashes).subspan(slot, count), some);
  }
  return {};
}

/// Reads compressed records by their places in the file, because the library does not check the
/// places of chunks. Reads no more bytes than the file has, whatever the places say.
std::vector<double> RecordReader::read_packed(const std::string& chunks, std::size_t patches) {
  const auto places = source_.list<std::int64_t>(chunks, 2 * patches);
  std::ifstream file(source_.name(), std::ios::binary);
  std::vector<double> values;
  std::vector<double> one(record_size_);
  std::vector<std::byte> packed;
  for (std::size_t at = 0; at < places.size(); at += 2) {
    const auto length = static_cast<std::uint64_t>(places[at + 1]);
    if (places[at] < 0 || length > unread_) source_.refuse(Source::odd(chunks));
    unread_ -= length;
    packed.resize(length);
    file.seekg(places[at]);
    file.read(reinterpret_cast<char*>(packed.data()), static_cast<std::streamsize>(length));
    if (!file || !unpack(packed, one)) source_.refuse(Source::odd(chunks));
    values.insert(values.end(), one.begin(), one.end());
  }
  return values;
}

void RecordReader::look_at(std::span<const amr::PatchId> ids, std::span<const std::uint64_t> hashes,
                           std::span<const double> records) const {
  for (std::size_t at = 0; at < ids.size(); ++at) {
    const std::span<const double> record = records.subspan(at * record_size_, record_size_);
    if (hash_of(std::as_bytes(record)) != hashes[at]) {
      source_.refuse(
          fmt::format("is damaged: the record of {} does not match its hash", to_string(ids[at])));
    }
    look_(ids[at], record);
  }
}

}  // namespace kumiko::io
