#include <cerrno>
#include <mutex>
#include <utility>
#include <vector>

#include <fcntl.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/share_writer.hpp>

#include "checkpoint/segment_writer.hpp"
#include "checkpoint/write_request.hpp"

namespace kumiko::io {

namespace {

/// Writes records where they belong; on a lightweight thread.
WriteAnswer write_share(const WriteRequest& request, const amr::SavedRecords& records) {
  SegmentsFile file(request.file, O_RDWR);
  const int error = file.first_error();
  if (error != 0) return {error != ENOENT && error != ENOTDIR, error, {}};
  if (!file.has(request.mark_place, request.mark))
    return {file.first_error() != 0, file.finish(), {}};
  std::size_t count = 0;
  for (const amr::RangeRecords& range : records.ranges) count += range.patches.count;
  const std::size_t record_bytes = records.record_size * sizeof(double);
  std::vector<std::uint64_t> record_hashes(count);
  std::uint64_t* hashes = record_hashes.data();
  std::vector<Segment> segments;
  for (const auto& [patches, values] : records.ranges) {
    amr::ensure(static_cast<std::size_t>(patches.level) < request.rooms.size(),
                "rank 0 writes {} levels, without level {}", request.rooms.size(), patches.level);
    const std::vector<Segment> cut =
        cut_records(patches, request.rooms[static_cast<std::size_t>(patches.level)], record_bytes,
                    std::as_bytes(std::span(values)).data(), hashes);
    segments.insert(segments.end(), cut.begin(), cut.end());
    hashes += patches.count;
  }
  std::vector<Segment*> all;
  for (Segment& segment : segments) all.push_back(&segment);
  write_segments(file, all, record_bytes);
  WriteAnswer answer{true, file.finish(), {}};
  for (const Segment& segment : segments) answer.hashes.push_back(segment.extent.hash);
  answer.hashes.insert(answer.hashes.end(), record_hashes.begin(), record_hashes.end());
  return answer;
}

}  // namespace

ShareWriter::ShareWriter(const amr::Communicator& communicator)
    : ShareWriter(communicator, write_share) {}

ShareWriter::ShareWriter(const amr::Communicator& communicator, Write write)
    : write_(std::move(write)) {
  if (communicator.here() != nullptr) twin_.emplace(*communicator.here(), *this);
}

void ShareWriter::take(amr::SavedRecords&& records) {
  const std::lock_guard lock(mutex_);
  records_ = std::move(records);
}

WriteAnswer ShareWriter::write(const WriteRequest& request) {
  amr::SavedRecords records;
  {
    const std::lock_guard lock(mutex_);
    records = std::exchange(records_, {});
  }
  return write_(request, records);
}

int ShareWriter::ranks() const { return twin_ ? twin_->here().size() : 1; }

WriteAnswer ShareWriter::write_there(std::int32_t rank, const WriteRequest& request) const {
  const auto order = [](ShareWriter& there, const WriteRequest& asked) {
    return there.write(asked);
  };
  try {
    return twin_.value().on(rank, order, request);
  } catch (const cluster::TwinGone&) {
    throw cluster::RankLost(rank, "it has left the run");
  }
}

}  // namespace kumiko::io
