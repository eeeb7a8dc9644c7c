#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/runtime/io/blocking.hpp>
#include <kumiko/runtime/io/file.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "checkpoint/checkpoint_views.hpp"
#include "files/part_file.hpp"
#include "hdf5/hdf5_capture.hpp"
#include "hdf5/seal.hpp"

namespace kumiko::io {

namespace {

/// Records that have a hash in the seal: 128 KiB of a field of one component.
constexpr std::size_t kRecordsPerPart = 64;

/// Bytes of one write at most, unless one part is longer. The system lets one thread at a time
/// write into a file, so that many short writes wait for each other: with parts alone a state
/// takes 1.2 times as long.
constexpr std::size_t kLongestWrite = std::size_t{1} << 20U;

/// Bytes after which the disk begins to write what the system has. Once all is written there is so
/// much less to wait for: a large state takes 0.7 of the time.
constexpr std::uint64_t kWriteBackEvery = std::uint64_t{32} << 20U;

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

/// What the library is told about the file as a whole.
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

/// A checkpoint's bytes in parts that follow each other.
class Image {
 public:
  struct Part {
    Extent extent;  ///< hash still to come
    const std::byte* bytes;
    bool holds_hashes;  ///< of records, which hash() makes
  };

  /// Lets the library lay the file out. Throws OutputError.
  Image(const std::string& name, const Contents& contents) : contents_(contents) {
    std::vector<Records> records;
    std::vector<Room> hashes;
    hdf5::Capture capture;
    capture.fill(name, file_properties, [&](const hdf5::Object& file) {
      records = write_chombo_view(file, capture, contents);
      write_vtk_view(file, contents);
      hashes = write_restart_view(file, contents, records);
    });
    cut(capture, records, hashes);
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  std::vector<Part>& parts() { return parts_; }

  /// The parts from `first` on that one write takes: those that follow each other in memory as they
  /// do in the file.
  std::span<Part> run_from(std::size_t first) {
    std::size_t end = first + 1;
    std::size_t length = parts_[first].extent.length;
    while (end < parts_.size() && parts_[end].holds_hashes == parts_[first].holds_hashes &&
           parts_[end].bytes == parts_[first].bytes + length &&
           parts_[end].extent.offset == parts_[first].extent.offset + length &&
           length + parts_[end].extent.length <= kLongestWrite) {
      length += parts_[end++].extent.length;
    }
    return std::span(parts_).subspan(first, end - first);
  }

  /// Hashes a part, and its records one by one.
  void hash(Part& part) {
    if (part.extent.level != Extent::kMetadata) {
      const std::size_t count = part.extent.length / record_bytes();
      hash_records(part.extent.level, static_cast<std::size_t>(part.extent.first), count);
    }
    part.extent.hash = hash_of({part.bytes, part.extent.length});
  }

 private:
  std::size_t record_bytes() const { return contents_.run().record_size() * sizeof(double); }

  void hash_records(int level, std::size_t first, std::size_t count) {
    for (std::size_t at = first; at < first + count; ++at) {
      hashes_[static_cast<std::size_t>(level)][at] =
          hash_of(std::as_bytes(contents_.run().record(level, at)));
    }
  }

  void cut(const hdf5::Capture& capture, const std::vector<Records>& records,
           const std::vector<Room>& hashes) {
    for (std::size_t at = 0; at < records.size(); ++at) {
      const auto index = static_cast<std::int32_t>(at);
      const std::size_t patches = contents_.mesh().size(index);
      const auto bytes = std::as_bytes(std::span(hashes_.emplace_back(patches)));
      if (contents_.compression == Compression::kNone) {
        add_records(index, records[at].room);
      } else {
        hash_records(index, 0, patches);
      }
      parts_.push_back({{hashes[at], bytes.size()}, bytes.data(), true});
    }
    const auto begin_of = [](const Part& part) { return part.extent.offset; };
    std::ranges::sort(parts_, {}, begin_of);
    std::uint64_t end = 0;
    for (std::size_t at = 0, reserved = parts_.size(); at < reserved; ++at) {
      const Extent extent = parts_[at].extent;
      add_metadata(capture, end, extent.offset);
      end = extent.offset + extent.length;
    }
    add_metadata(capture, end, capture.size());
    std::ranges::sort(parts_, {}, begin_of);
  }

  /// What the library wrote, compressed records among it.
  void add_metadata(const hdf5::Capture& capture, std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t kLongest = 131072;
    for (std::uint64_t at = begin; at < end; at += kLongest) {
      const std::uint64_t length = std::min(kLongest, end - at);
      const std::string& bytes = metadata_.emplace_back(capture.read(at, length));
      parts_.push_back({{at, length}, std::as_bytes(std::span(bytes)).data(), false});
    }
  }

  void add_records(std::int32_t level, Room room) {
    const auto bytes = std::as_bytes(std::span(contents_.run().level(level).values));
    const std::size_t part = kRecordsPerPart * record_bytes();
    for (std::size_t at = 0; at < bytes.size(); at += part) {
      const auto first = static_cast<std::int32_t>(at / part * kRecordsPerPart);
      parts_.push_back({{room + at, std::min(part, bytes.size() - at), 0, level, first},
                        bytes.data() + at,
                        false});
    }
  }

  const Contents& contents_;
  std::deque<std::string> metadata_;
  std::vector<std::vector<std::uint64_t>> hashes_;  ///< of each level's records
  std::vector<Part> parts_;
};

/// A file that many threads write parts of; remembers the first error. Whoever calls finish() has
/// waited for these threads, which orders what they noted before it: the atomic itself only keeps
/// the first of several errors, and no other data goes with it, so that all orders are relaxed.
class PartsFile {
 public:
  explicit PartsFile(const std::filesystem::path& path) {
    auto opened = runtime::io::File::open(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (opened) {
      file_ = std::move(*opened);
    } else {
      note(opened.error());
    }
  }

  void write(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (first_error() != 0) return;
    const runtime::io::Transfer done = file_.write_at(static_cast<off_t>(offset), bytes);
    note(done.error);
    if (!done.error && done.bytes < bytes.size()) note(std::make_error_code(std::errc::io_error));
    const std::uint64_t before = written_.fetch_add(done.bytes, std::memory_order_relaxed);
    if (before / kWriteBackEvery != (before + done.bytes) / kWriteBackEvery) write_back();
  }

  /// Waits until everything is on the disk. \return the first error of all, as errno has it
  int finish() {
    if (first_error() == 0) note(file_.sync_data().error());
    if (file_) note(file_.close().error());
    return first_error();
  }

 private:
  /// Lets the disk begin. Where that cannot be done finish() waits longer.
  void write_back() {
    try {
      runtime::io::blocking(
          [this] { ::sync_file_range(file_.descriptor(), 0, 0, SYNC_FILE_RANGE_WRITE); });
    } catch (const std::exception&) {  // no OS thread for it, or no memory
    }
  }

  int first_error() const { return error_.load(std::memory_order_relaxed); }
  void note(const std::error_code& error) {
    int none = 0;
    error_.compare_exchange_strong(none, error.value(), std::memory_order_relaxed);
  }

  runtime::io::File file_;
  std::atomic<int> error_{0};
  std::atomic<std::uint64_t> written_{0};  ///< bytes
};

/// Writes the whole file with its seal; on a lightweight thread.
int write_image(const std::filesystem::path& path, Image& image, std::string& seal) {
  PartsFile file(path);
  const auto write = [&](std::span<Image::Part> run) {
    for (Image::Part& part : run) image.hash(part);
    const Extent& last = run.back().extent;
    const std::uint64_t begin = run.front().extent.offset;
    file.write(begin, {run.front().bytes, last.offset + last.length - begin});
  };
  std::vector<std::span<Image::Part>> runs;
  std::vector<std::span<Image::Part>> hashes;  // of records: written when these have been hashed
  for (std::size_t at = 0; at < image.parts().size();) {
    const std::span<Image::Part> run = image.run_from(at);
    (run.front().holds_hashes ? hashes : runs).push_back(run);
    at += run.size();
  }
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
  for (const std::span<Image::Part> run : hashes) write(run);
  std::vector<Extent> extents;
  for (const Image::Part& part : image.parts()) extents.push_back(part.extent);
  seal = make_seal(extents);
  file.write(extents.back().offset + extents.back().length, std::as_bytes(std::span(seal)));
  return file.finish();
}

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint,
                      const amr::Geometry& geometry, runtime::Runtime& runtime,
                      Compression compression) {
  const Contents contents{checkpoint, geometry, compression};
  check_names(checkpoint.run.components(), contents.names());
  PartFile part(file);
  Image image(part.part().string(), contents);
  int error = 0;
  std::string seal;
  runtime.run([&] { error = write_image(part.part(), image, seal); });
  if (error != 0) throw cannot_write(part.part(), error);
  // Whoever sees the checkpoint finds what belongs to it, unless that could not be written: then
  // the checkpoint stands by itself.
  std::exception_ptr beside;
  try {
    if (checkpoint.sidecar) write_sidecar(file, checkpoint, hash_in_seal(std::string_view(seal)));
  } catch (const OutputError&) {
    beside = std::current_exception();
  }
  part.take_name();
  if (beside) std::rethrow_exception(beside);
}

}  // namespace kumiko::io
