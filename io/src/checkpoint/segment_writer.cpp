#include "checkpoint/segment_writer.hpp"

#include <algorithm>
#include <exception>

#include <fcntl.h>

#include <kumiko/runtime/io/blocking.hpp>
#include <kumiko/runtime/task_group.hpp>

namespace kumiko::io {

namespace {

/// Bytes of one write at most, unless one segment is longer. The system lets one thread at a time
/// write into a file, so that many short writes wait for each other: with segments alone a state
/// takes 1.2 times as long.
constexpr std::size_t kLongestWrite = std::size_t{1} << 20U;

/// Bytes after which the disk begins to write what the system has. Once all is written there is so
/// much less to wait for: a large state takes 0.7 of the time.
constexpr std::uint64_t kWriteBackEvery = std::uint64_t{32} << 20U;

void hash(Segment& segment, std::size_t record_bytes) {
  const std::span<const std::byte> bytes(segment.bytes, segment.extent.length);
  if (segment.record_hashes != nullptr) {
    for (std::size_t at = 0; at < bytes.size() / record_bytes; ++at) {
      segment.record_hashes[at] = hash_of(bytes.subspan(at * record_bytes, record_bytes));
    }
  }
  segment.extent.hash = hash_of(bytes);
}

/// The segments at the beginning that one write takes: those that follow each other in memory as
/// they do in the file.
std::span<Segment* const> first_run(std::span<Segment* const> segments) {
  const Segment& first = *segments.front();
  std::size_t end = 1;
  std::size_t length = first.extent.length;
  while (end < segments.size() && segments[end]->bytes == first.bytes + length &&
         segments[end]->extent.offset == first.extent.offset + length &&
         length + segments[end]->extent.length <= kLongestWrite) {
    length += segments[end++]->extent.length;
  }
  return segments.first(end);
}

}  // namespace

std::vector<Segment> cut_records(const amr::PatchRange& patches, std::uint64_t room,
                                 std::size_t record_bytes, const std::byte* bytes,
                                 std::uint64_t* hashes) {
  std::vector<Segment> segments;
  for (std::size_t at = 0; at < patches.count; at += amr::kRecordsTogether) {
    const std::size_t first = patches.first + at;
    const std::size_t count = std::min(amr::kRecordsTogether, patches.count - at);
    Segment& segment = segments.emplace_back();
    segment.extent = {room + first * record_bytes, count * record_bytes, 0, patches.level,
                      static_cast<std::int32_t>(first)};
    segment.bytes = bytes == nullptr ? nullptr : bytes + at * record_bytes;
    segment.record_hashes = hashes + at;
  }
  return segments;
}

SegmentsFile::SegmentsFile(const std::filesystem::path& path, int flags) {
  auto opened = runtime::io::File::open(path, flags);
  if (opened) {
    file_ = std::move(*opened);
  } else {
    note(opened.error());
  }
}

void SegmentsFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (first_error() != 0) return;
  const runtime::io::Transfer done = file_.write_at(static_cast<off_t>(offset), bytes);
  note(done.error);
  const std::uint64_t before = written_.fetch_add(done.bytes, std::memory_order_relaxed);
  if (before / kWriteBackEvery != (before + done.bytes) / kWriteBackEvery) write_back();
}

bool SegmentsFile::has(std::uint64_t offset, std::uint64_t number) {
  std::uint64_t found = 0;
  if (first_error() != 0) return false;
  const auto done =
      file_.read_at(static_cast<off_t>(offset), std::as_writable_bytes(std::span(&found, 1)));
  // A file that ends before the number is another one.
  if (done.error != runtime::io::TransferError::kEndOfInput) note(done.error);
  return done && found == number;
}

void SegmentsFile::sync() {
  if (first_error() == 0) note(file_.sync_data().error());
}

int SegmentsFile::finish() {
  sync();
  if (file_) note(file_.close().error());
  return first_error();
}

/// Lets the disk begin. Where that cannot be done finish() waits longer.
void SegmentsFile::write_back() {
  try {
    runtime::io::blocking(
        [this] { ::sync_file_range(file_.descriptor(), 0, 0, SYNC_FILE_RANGE_WRITE); });
  } catch (const std::exception&) {  // no OS thread for it, or no memory
  }
}

void SegmentsFile::note(const std::error_code& error) {
  int none = 0;
  error_.compare_exchange_strong(none, error.value(), std::memory_order_relaxed);
}

void write_segments(SegmentsFile& file, std::span<Segment* const> segments,
                    std::size_t record_bytes) {
  std::vector<std::span<Segment* const>> runs;
  for (std::span<Segment* const> left = segments; !left.empty();) {
    runs.push_back(first_run(left));
    left = left.subspan(runs.back().size());
  }
  const auto write = [&](std::span<Segment* const> run) {
    for (Segment* const segment : run) hash(*segment, record_bytes);
    const Extent& last = run.back()->extent;
    const std::uint64_t begin = run.front()->extent.offset;
    file.write(begin, {run.front()->bytes, last.offset + last.length - begin});
  };
  // While one writes the others hash.
  constexpr int kWriters = 4;
  // Deals out numbers only. The runs were there before the threads, and group.wait() orders what
  // these did, hashes and errors, before what follows.
  std::atomic<std::size_t> next{0};
  const auto take = [&] { return next.fetch_add(1, std::memory_order_relaxed); };
  const auto write_some = [&] {
    for (std::size_t at = take(); at < runs.size(); at = take()) write(runs[at]);
  };
  runtime::TaskGroup group;
  for (int writer = 0; writer < kWriters; ++writer) group.run([&] { write_some(); });
  group.wait();
}

}  // namespace kumiko::io
