#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/share_writer.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "checkpoint/checkpoint_views.hpp"
#include "checkpoint/segment_writer.hpp"
#include "checkpoint/write_request.hpp"
#include "files/part_file.hpp"
#include "hdf5/hdf5_capture.hpp"
#include "hdf5/seal.hpp"

namespace kumiko::io {

namespace {

void check_names(std::size_t components, const std::vector<std::string>& names) {
  const std::set<std::string> different(names.begin(), names.end());
  amr::require(names.size() == components && different.size() == components,
               "{} different names are given for the {} components of a state", different.size(),
               components);
  for (const std::string& name : names) {
    amr::require(!name.empty() && name != "." && name.find('/') == std::string::npos,
                 "'{}' cannot be the name of a component", name);
  }
}

/// The properties of the file as a whole.
hdf5::Object file_properties() {
  constexpr hsize_t kAlignFrom = 16384;
  constexpr hsize_t kAlignment = 4096;  // records begin on a page
  constexpr hsize_t kMetadataBlock = 65536;
  hdf5::Object access = hdf5::make_properties(H5P_FILE_ACCESS);
  // The oldest formats that serve: virtual datasets need 1.10, older readers the rest.
  hdf5::require(H5Pset_libver_bounds(access.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V110));
  hdf5::require(H5Pset_alignment(access.id(), kAlignFrom, kAlignment));
  hdf5::require(H5Pset_meta_block_size(access.id(), kMetadataBlock));
  return access;
}

/// A checkpoint's bytes in segments that follow each other.
class Image {
 public:
  /// Lets the library lay the file out. Throws OutputError.
  Image(const std::string& name, const Contents& contents, std::int32_t ranks)
      : contents_(contents), ranks_(ranks) {
    std::vector<Records> records;
    std::vector<Room> hashes;
    hdf5::Capture capture;
    capture.fill(name, file_properties, [&](const hdf5::Object& file) {
      records = write_chombo_view(file, capture, contents);
      write_vtk_view(file, contents);
      hashes = write_restart_view(file, contents, records);
    });
    for (const Records& of_level : records) rooms_.push_back(of_level.room);
    cut(capture, hashes);
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  /// In the order in which they lie in the file.
  const std::vector<Segment>& segments() const { return segments_; }
  /// Of the file, without its seal.
  std::uint64_t bytes() const {
    return segments_.back().extent.offset + segments_.back().extent.length;
  }
  std::size_t record_bytes() const { return contents_.record_size() * sizeof(double); }
  /// Where each level's records begin.
  const std::vector<Room>& rooms() const { return rooms_; }

  /// The segments for which `which` holds.
  template <class Which>
  std::vector<Segment*> select(Which which) {
    std::vector<Segment*> selected;
    for (Segment& segment : segments_) {
      if (std::invoke(which, segment)) selected.push_back(&segment);
    }
    return selected;
  }

  /// Takes the hashes of segments that another rank has written, and of their records.
  void take_hashes(std::int32_t writer, std::span<const std::uint64_t> hashes) {
    const std::vector<Segment*> segments =
        select([&](const Segment& segment) { return segment.writer == writer; });
    std::span<const std::uint64_t> of_records = hashes.subspan(segments.size());
    for (Segment* const segment : segments) {
      segment->extent.hash = hashes.front();
      hashes = hashes.subspan(1);
      const std::size_t count = segment->extent.length / record_bytes();
      std::ranges::copy(of_records.first(count), segment->record_hashes);
      of_records = of_records.subspan(count);
    }
  }

 private:
  void cut(const hdf5::Capture& capture, const std::vector<Room>& hashes) {
    for (std::size_t at = 0; at < hashes.size(); ++at) {
      const std::size_t patches = contents_.mesh().size(static_cast<std::int32_t>(at));
      const auto bytes = std::as_bytes(std::span(hashes_.emplace_back(patches)));
      Segment& segment = segments_.emplace_back();
      segment.extent = {hashes[at], bytes.size()};
      segment.bytes = bytes.data();
      segment.holds_hashes = true;
    }
    if (contents_.compression == Compression::kNone) {
      add_records();
    } else {
      hash_records();
    }
    const auto begin_of = [](const Segment& segment) { return segment.extent.offset; };
    std::ranges::sort(segments_, {}, begin_of);
    std::uint64_t end = 0;
    for (std::size_t at = 0, reserved = segments_.size(); at < reserved; ++at) {
      const Extent extent = segments_[at].extent;
      add_metadata(capture, end, extent.offset);
      end = extent.offset + extent.length;
    }
    add_metadata(capture, end, capture.size());
    std::ranges::sort(segments_, {}, begin_of);
  }

  /// Adds the bytes that the library wrote, which include compressed records.
  void add_metadata(const hdf5::Capture& capture, std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t kLongest = 131072;
    for (std::uint64_t at = begin; at < end; at += kLongest) {
      const std::uint64_t length = std::min(kLongest, end - at);
      const std::string& bytes = metadata_.emplace_back(capture.read(at, length));
      Segment& segment = segments_.emplace_back();
      segment.extent = {at, length};
      segment.bytes = std::as_bytes(std::span(bytes)).data();
    }
  }

  void add_records() {
    const auto ranges = amr::record_ranges(contents_.mesh(), ranks_);
    for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
      for (std::size_t at = 0; at < ranges[rank].size(); ++at) {
        const amr::PatchRange& patches = ranges[rank][at];
        const auto level = static_cast<std::size_t>(patches.level);
        const bool is_here = rank == 0 && !contents_.own.empty();
        const std::byte* const bytes = is_here ? std::as_bytes(contents_.own[at]).data() : nullptr;
        for (Segment& segment : cut_records(patches, rooms_[level], record_bytes(), bytes,
                                            hashes_[level].data() + patches.first)) {
          segment.writer = static_cast<std::int32_t>(rank);
          segments_.push_back(segment);
        }
      }
    }
  }

  void hash_records() {
    for (int level = 0; level < contents_.mesh().levels(); ++level) {
      std::vector<std::uint64_t>& hashes = hashes_[static_cast<std::size_t>(level)];
      for (std::size_t slot = 0; slot < hashes.size(); ++slot) {
        hashes[slot] = hash_of(std::as_bytes(contents_.run().record(level, slot)));
      }
    }
  }

  const Contents& contents_;
  std::int32_t ranks_;
  std::vector<Room> rooms_;
  std::deque<std::string> metadata_;
  std::vector<std::vector<std::uint64_t>> hashes_;  ///< of each level's records
  std::vector<Segment> segments_;
};

/// The segments of a file that other ranks write.
class OthersSegments {
 public:
  /// \param path  of the file
  /// \param writer  of this rank; nullptr if there are no others
  OthersSegments(const ShareWriter* writer, const std::filesystem::path& path, const Image& image)
      : writer_(writer) {
    if (writer == nullptr) return;
    answers_.resize(static_cast<std::size_t>(writer->ranks()));
    std::random_device random;
    const auto hashes = std::ranges::find_if(image.segments(), &Segment::holds_hashes);
    request_ = {std::filesystem::absolute(path).string(), std::uint64_t{random()} << 32U | random(),
                hashes->extent.offset, image.rooms()};
  }

  /// Asks them; threads of a group wait for the answers. Before, the file gets a mark, where hashes
  /// of records come last of all: who finds another file of that name does not write into it.
  void ask(SegmentsFile& file, runtime::TaskGroup& group) {
    if (writer_ == nullptr) return;
    file.write(request_.mark_place, std::as_bytes(std::span(&request_.mark, 1)));
    file.sync();
    for (std::size_t to = 1; to < answers_.size(); ++to) {
      group.run([this, to] {
        answers_[to] = writer_->write_there(static_cast<std::int32_t>(to), request_);
      });
    }
  }

  /// When all have answered: what is wrong, in words about the file `path`; empty if nothing is.
  std::string failure(const std::filesystem::path& path) const {
    for (std::size_t from = 1; from < answers_.size(); ++from) {
      const WriteAnswer& answer = answers_[from];
      if (!answer.found) {
        return fmt::format(
            "rank {} cannot find '{}', which rank 0 has made; name a folder with --output on a "
            "file system that all ranks share",
            from, path.string());
      }
      if (answer.error != 0) {
        return fmt::format("rank {}: {}", from, cannot_write(path, answer.error).what());
      }
    }
    return {};
  }

  void bring_hashes(Image& image) const {
    for (std::size_t from = 1; from < answers_.size(); ++from) {
      image.take_hashes(static_cast<std::int32_t>(from), answers_[from].hashes);
    }
  }

 private:
  const ShareWriter* writer_;
  WriteRequest request_;
  std::vector<WriteAnswer> answers_;
};

/// The seal of a file whose segments have their hashes.
std::string seal_of(const Image& image) {
  std::vector<Extent> extents;
  for (const Segment& segment : image.segments()) extents.push_back(segment.extent);
  return make_seal(extents);
}

/// Writes the whole file with its seal; other ranks write their segments. On a lightweight thread.
/// \return the error; empty without one
std::string write_image(const std::filesystem::path& path, Image& image, OthersSegments& others,
                        std::string& seal) {
  SegmentsFile file(path, O_WRONLY | O_CREAT | O_TRUNC);
  {
    runtime::TaskGroup group;
    others.ask(file, group);
    const auto own = image.select(
        [](const Segment& segment) { return segment.writer == 0 && !segment.holds_hashes; });
    write_segments(file, own, image.record_bytes());
    group.wait();
  }
  const auto failure = [&] {
    const int error = file.first_error();
    return error != 0 ? std::string(cannot_write(path, error).what()) : others.failure(path);
  };
  if (std::string why = failure(); !why.empty()) return why;
  others.bring_hashes(image);
  write_segments(file, image.select(&Segment::holds_hashes), image.record_bytes());
  seal = seal_of(image);
  file.write(image.bytes(), std::as_bytes(std::span(seal)));
  file.finish();
  return failure();
}

void write(const std::filesystem::path& file, const Contents& contents, runtime::Runtime& runtime,
           const ShareWriter* writer) {
  PartFile part(file);
  Image image(part.part().string(), contents, writer != nullptr ? writer->ranks() : 1);
  OthersSegments others(writer, part.part(), image);
  std::string failure;
  std::string seal;
  runtime.run([&] { failure = write_image(part.part(), image, others, seal); });
  if (!failure.empty()) throw OutputError(failure);
  // Whoever sees the checkpoint finds what belongs to it, unless that could not be written: then
  // the checkpoint stands by itself.
  std::exception_ptr beside;
  const Checkpoint& checkpoint = contents.checkpoint;
  try {
    if (checkpoint.sidecar) write_sidecar(file, checkpoint, hash_in_seal(std::string_view(seal)));
  } catch (const OutputError&) {
    beside = std::current_exception();
  }
  part.take_name();
  if (beside) std::rethrow_exception(beside);
}

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint,
                      const amr::Geometry& geometry, runtime::Runtime& runtime,
                      Compression compression) {
  Contents contents{checkpoint, geometry, compression, {}};
  check_names(checkpoint.run.components(), contents.names());
  for (const amr::SavedLevel& level : checkpoint.run.levels) contents.own.push_back(level.values);
  write(file, contents, runtime, nullptr);
}

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint,
                      const amr::SavedRecords& own, const amr::Geometry& geometry,
                      runtime::Runtime& runtime, const ShareWriter& writer) {
  Contents contents{checkpoint, geometry, Compression::kNone, {}};
  check_names(own.record_size / amr::kPatchPoints, contents.names());
  for (const amr::RangeRecords& range : own.ranges) contents.own.push_back(range.values);
  write(file, contents, runtime, &writer);
}

std::uint64_t checkpoint_bytes(const Checkpoint& checkpoint, const amr::Geometry& geometry) {
  const Contents contents{checkpoint, geometry, Compression::kNone, {}};
  const Image image("the checkpoint", contents, 1);
  return image.bytes() + seal_of(image).size();
}

}  // namespace kumiko::io
