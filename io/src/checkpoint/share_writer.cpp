#include <cerrno>
#include <mutex>
#include <utility>

#include <fcntl.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/share_writer.hpp>

#include "checkpoint/part_writer.hpp"
#include "checkpoint/write_request.hpp"

namespace kumiko::io {

namespace {

/// Writes records where they belong; on a lightweight thread.
WriteAnswer write_share(const WriteRequest& request, const amr::SavedRecords& records) {
  PartsFile file(request.file, O_RDWR);
  const int error = file.first_error();
  if (error != 0) return {error != ENOENT && error != ENOTDIR, error, {}};
  if (!file.has(request.mark_place, request.mark))
    return {file.first_error() != 0, file.finish(), {}};
  std::size_t count = 0;
  for (const amr::RangeRecords& range : records.ranges) count += range.patches.count;
  const std::size_t record_bytes = records.record_size * sizeof(double);
  std::vector<std::uint64_t> record_hashes(count);
  std::uint64_t* hashes = record_hashes.data();
  std::vector<Part> parts;
  for (const auto& [patches, values] : records.ranges) {
    amr::ensure(static_cast<std::size_t>(patches.level) < request.rooms.size(),
                "rank 0 writes {} levels, without level {}", request.rooms.size(), patches.level);
    const std::vector<Part> cut =
        cut_records(patches, request.rooms[static_cast<std::size_t>(patches.level)], record_bytes,
                    std::as_bytes(std::span(values)).data(), hashes);
    parts.insert(parts.end(), cut.begin(), cut.end());
    hashes += patches.count;
  }
  std::vector<Part*> all;
  for (Part& part : parts) all.push_back(&part);
  write_parts(file, all, record_bytes);
  WriteAnswer answer{true, file.finish(), {}};
  for (const Part& part : parts) answer.hashes.push_back(part.extent.hash);
  answer.hashes.insert(answer.hashes.end(), record_hashes.begin(), record_hashes.end());
  return answer;
}

}  // namespace

ShareWriter::ShareWriter(amr::Communicator& communicator) : communicator_(communicator) {
  communicator_.set_answerer(
      [this](std::span<const std::byte> question) { return answer(question); });
}

ShareWriter::~ShareWriter() { communicator_.set_answerer(nullptr); }

void ShareWriter::take(amr::SavedRecords&& records) {
  const std::lock_guard lock(mutex_);
  records_ = std::move(records);
}

std::vector<std::byte> ShareWriter::answer(std::span<const std::byte> question) {
  amr::SavedRecords records;
  {
    const std::lock_guard lock(mutex_);
    records = std::exchange(records_, {});
  }
  return packed(write_share(to_request(question), records));
}

}  // namespace kumiko::io
