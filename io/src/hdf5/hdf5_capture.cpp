#include "hdf5/hdf5_capture.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace kumiko::io::hdf5 {

namespace {

/// Calls f for each page that a range lies in: with the page's number, where in it the part begins,
/// how many bytes of the range come before, and the part's length.
template <class Function>
void for_pages(std::uint64_t offset, std::uint64_t length, Function f) {
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t place = (offset + done) % Capture::kPage;
    const std::uint64_t part = std::min(Capture::kPage - place, length - done);
    f((offset + done) / Capture::kPage, place, done, part);
    done += part;
  }
}

}  // namespace

/// The library's side of a Capture: a virtual file driver. No exception may pass through it.
struct CaptureDriver {
  /// The library's handle of an open file, whose own part comes first.
  struct OpenFile {
    H5FD_t common;
    Capture* capture;
    haddr_t end;  ///< of what has been allocated
  };

  static OpenFile& own(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file); }
  static const OpenFile& own(const H5FD_t* file) {
    return *reinterpret_cast<const OpenFile*>(file);
  }

  static H5FD_t* open(const char*, unsigned, hid_t properties, haddr_t) {
    // The pointer in the properties of file access.
    const auto* const target = static_cast<Capture* const*>(H5Pget_driver_info(properties));
    if (target == nullptr) return nullptr;
    auto* const file = new (std::nothrow) OpenFile{};
    if (file == nullptr) return nullptr;
    // A Capture that is filled again begins anew.
    file->capture = *target;
    file->capture->clear();
    return &file->common;
  }

  static herr_t close(H5FD_t* file) {
    own(file).capture->size_ = own(file).end;
    own(file).capture->closed_ = true;
    delete &own(file);
    return 0;
  }

  static herr_t query(const H5FD_t*, unsigned long* features) {
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA;
    return 0;
  }

  static haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return own(file).end; }
  static herr_t set_end(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    own(file).end = end;
    return 0;
  }

  static herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t offset, std::size_t size,
                     void* into) {
    try {
      const std::string bytes = own(file).capture->read(offset, size);
      std::memcpy(into, bytes.data(), size);
      return 0;
    } catch (...) {
      own(file).capture->whole_ = false;
      return -1;
    }
  }

  static herr_t write(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t offset, std::size_t size,
                      const void* from) {
    try {
      if (kind == H5FD_MEM_DRAW) own(file).capture->latest_values_ = offset;
      own(file).capture->write(offset, {static_cast<const char*>(from), size});
      return 0;
    } catch (...) {
      own(file).capture->whole_ = false;
      return -1;
    }
  }

  static hid_t add_to_library() {
    constexpr haddr_t kLargestFile = haddr_t{1} << 62U;
    static H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(H5_VFD_MAX + 1);
#endif
    driver.name = "kumiko_capture";
    driver.maxaddr = kLargestFile;
    driver.fc_degree = H5F_CLOSE_STRONG;
    driver.fapl_size = sizeof(Capture*);
    driver.open = open;
    driver.close = close;
    driver.query = query;
    driver.get_eoa = get_end;
    driver.set_eoa = set_end;
    driver.get_eof = get_end;
    driver.read = read;
    driver.write = write;
    // One list of free room for everything.
    std::fill(std::begin(driver.fl_map), std::end(driver.fl_map), H5FD_MEM_SUPER);
    return H5FDregister(&driver);
  }

  /// Registered once; the library forgets its drivers when the process ends.
  static hid_t id() {
    static const hid_t driver = add_to_library();
    return driver;
  }
};

void Capture::fill(const std::string& name, const std::function<Object()>& access,
                   const std::function<void(const Object& file)>& write) {
  constexpr const char* kNoMemory = "there is not enough memory";
  const QuietErrors quiet;
  errno = 0;
  try {
    const Object properties = access();
    require(CaptureDriver::id());
    Capture* const target = this;
    require(H5Pset_driver(properties.id(), CaptureDriver::id(), &target));
    write({H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, properties.id()), H5Fclose});
  } catch (const Error& error) {
    // For a failed malloc() the library only says what the memory was for.
    throw OutputError(
        fmt::format("cannot write '{}': {}", name, errno == ENOMEM ? kNoMemory : error.what()));
  }
  if (!whole_ || !closed_) throw OutputError(fmt::format("cannot write '{}': {}", name, kNoMemory));
}

void Capture::clear() {
  pages_.clear();
  size_ = 0;
  whole_ = true;
  closed_ = false;
}

void Capture::write(std::uint64_t offset, std::span<const char> bytes) {
  for_pages(offset, bytes.size(), [&](std::uint64_t page, auto place, auto done, auto length) {
    std::memcpy(pages_[page].data() + place, bytes.data() + done, length);
  });
}

std::string Capture::read(std::uint64_t offset, std::uint64_t length) const {
  std::string result(length, '\0');
  for_pages(offset, length, [&](std::uint64_t page, auto place, auto done, auto part) {
    const auto found = pages_.find(page);
    if (found == pages_.end()) return;
    std::memcpy(result.data() + done, found->second.data() + place, part);
  });
  return result;
}

}  // namespace kumiko::io::hdf5
