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
#include <fmt/core.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/io/checkpoint.hpp>
#include <kumiko/io/output_folder.hpp>
#include <kumiko/runtime/io/file.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>

#include "checkpoint/checkpoint_views.hpp"
#include "files/part_file.hpp"
#include "hdf5/hdf5_capture.hpp"
#include "hdf5/seal.hpp"

namespace kumiko::io {

namespace {

/// Records that one thread writes at once: 128 KiB of a field of one component. A system call for
/// each 2 KiB would take most of the time.
constexpr std::size_t kRecordsPerPart = 64;

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
    const hdf5::QuietErrors quiet;
    try {
      // The library looks whether the name is that of an open file.
      const hdf5::Object file = capture.create(name, file_properties());
      records = write_chombo_view(file, capture, contents);
      write_vtk_view(file, contents);
      hashes = write_restart_view(file, contents, records);
    } catch (const hdf5::Error& error) {
      throw OutputError(fmt::format("cannot write '{}': {}", name, error.what()));
    }
    if (!capture.is_whole()) {
      throw OutputError(fmt::format("cannot write '{}': there is not enough memory", name));
    }
    cut(capture, records, hashes);
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  std::vector<Part>& parts() { return parts_; }

  /// Hashes a part, and its records one by one.
  void hash(Part& part) {
    if (part.extent.level != Extent::kMetadata) {
      const std::size_t count = part.extent.length / record_bytes();
      hash_records(part.extent.level, static_cast<std::size_t>(part.extent.first), count);
    }
    part.extent.hash = hash_of({part.bytes, part.extent.length});
  }

 private:
  struct Reserved {
    Room begin;
    std::uint64_t length;
    std::int32_t level;
    bool of_hashes;
  };

  std::size_t record_bytes() const { return contents_.run().record_size() * sizeof(double); }

  void hash_records(int level, std::size_t first, std::size_t count) {
    for (std::size_t at = first; at < first + count; ++at) {
      hashes_[static_cast<std::size_t>(level)][at] =
          hash_of(std::as_bytes(contents_.run().record(level, at)));
    }
  }

  void cut(const hdf5::Capture& capture, const std::vector<Records>& records,
           const std::vector<Room>& hashes) {
    std::vector<Reserved> reserved;
    for (std::size_t at = 0; at < records.size(); ++at) {
      const auto index = static_cast<std::int32_t>(at);
      const std::size_t patches = contents_.mesh().size(index);
      hashes_.emplace_back(patches);
      if (contents_.compression == Compression::kNone) {
        reserved.push_back({records[at].room, patches * record_bytes(), index, false});
      } else {
        hash_records(index, 0, patches);
      }
      reserved.push_back({hashes[at], hashes_.back().size() * sizeof(std::uint64_t), index, true});
    }
    std::sort(reserved.begin(), reserved.end(),
              [](const Reserved& a, const Reserved& b) { return a.begin < b.begin; });
    std::uint64_t end = 0;
    for (const Reserved& room : reserved) {
      add_metadata(capture, end, room.begin);
      if (room.of_hashes) {
        const auto& of_level = hashes_[static_cast<std::size_t>(room.level)];
        parts_.push_back({{room.begin, room.length, 0, Extent::kMetadata, 0},
                          std::as_bytes(std::span(of_level)).data(),
                          true});
      } else {
        add_records(room);
      }
      end = room.begin + room.length;
    }
    add_metadata(capture, end, capture.size());
  }

  void add(std::uint64_t offset, std::uint64_t length, std::int32_t level, std::int32_t first,
           const std::byte* bytes) {
    parts_.push_back({{offset, length, 0, level, first}, bytes, false});
  }

  /// What the library wrote, compressed records among it.
  void add_metadata(const hdf5::Capture& capture, std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t kLongest = 131072;
    for (std::uint64_t at = begin; at < end; at += kLongest) {
      const std::uint64_t length = std::min(kLongest, end - at);
      const std::string& bytes = metadata_.emplace_back(capture.read(at, length));
      add(at, length, Extent::kMetadata, 0, std::as_bytes(std::span(bytes)).data());
    }
  }

  void add_records(const Reserved& room) {
    const auto bytes = std::as_bytes(std::span(contents_.run().level(room.level).values));
    const std::size_t part = kRecordsPerPart * record_bytes();
    for (std::size_t at = 0; at < bytes.size(); at += part) {
      add(room.begin + at, std::min(part, bytes.size() - at), room.level,
          static_cast<std::int32_t>(at / part * kRecordsPerPart), bytes.data() + at);
    }
  }

  const Contents& contents_;
  std::deque<std::string> metadata_;
  std::vector<std::vector<std::uint64_t>> hashes_;  ///< of each level's records
  std::vector<Part> parts_;
};

/// A file that many threads write parts of; remembers the first error.
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
    if (failed()) return;
    const runtime::io::Transfer done = file_.write_at(static_cast<off_t>(offset), bytes);
    note(done.error);
    if (!done.error && done.bytes < bytes.size()) note(std::make_error_code(std::errc::io_error));
  }

  /// Waits until everything is on the disk. \return the first error of all
  std::error_code finish() {
    if (!failed()) note(file_.sync_data().error());
    if (file_) note(file_.close().error());
    return error_;
  }

 private:
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  void note(const std::error_code& error) {
    if (!error || claimed_.exchange(true)) return;
    error_ = error;
    failed_.store(true, std::memory_order_release);
  }

  runtime::io::File file_;
  std::error_code error_;  ///< written by who claims it, read when all writers are done
  std::atomic<bool> claimed_{false};
  std::atomic<bool> failed_{false};
};

/// Writes the whole file with its seal; on a lightweight thread.
std::error_code write_image(const std::filesystem::path& path, Image& image, std::string& seal) {
  PartsFile file(path);
  const auto write = [&](Image::Part& part) {
    image.hash(part);
    file.write(part.extent.offset, {part.bytes, part.extent.length});
  };
  // Enough to keep the system at work; a thread for each part of a large state would take many
  // stacks.
  constexpr int kWriters = 16;
  std::atomic<std::size_t> next{0};
  const auto write_some = [&] {
    for (std::size_t at = next++; at < image.parts().size(); at = next++) {
      if (!image.parts()[at].holds_hashes) write(image.parts()[at]);
    }
  };
  runtime::TaskGroup group;
  for (int writer = 0; writer < kWriters; ++writer) group.run([&] { write_some(); });
  group.wait();
  std::vector<Extent> extents;
  for (Image::Part& part : image.parts()) {
    if (part.holds_hashes) write(part);
    extents.push_back(part.extent);
  }
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
  std::error_code error;
  std::string seal;
  runtime.run([&] { error = write_image(part.part(), image, seal); });
  if (error) throw OutputError(system_message("cannot write", part.part(), error.value()));
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
