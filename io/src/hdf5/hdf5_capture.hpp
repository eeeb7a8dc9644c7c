// A file that the HDF5 library writes into memory, without the room that it leaves for others.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "hdf5/hdf5_object.hpp"

namespace kumiko::io::hdf5 {

/// The bytes that the library wrote, and the length that it gave the file. Takes memory for these
/// bytes only; the core driver's image would take as much as the file.
class Capture {
 public:
  static constexpr std::uint64_t kPage = 4096;

  Capture() = default;
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// Takes the bytes of a file that `write` has the library write. Nothing comes to the disk, and
  /// the library looks for no file of that name: it stands in messages alone. `access` makes the
  /// properties of file access, which get their driver here. Throws OutputError, which names the
  /// file.
  void fill(const std::string& name, const std::function<Object()>& access,
            const std::function<void(const Object& file)>& write);
  std::uint64_t size() const { return size_; }
  /// Where the library has put the latest values: H5Dwrite_chunk() hands a chunk over at once and
  /// in one piece, and asking the library for its place takes a walk through all chunks.
  std::uint64_t latest_values() const { return latest_values_; }
  /// `length` bytes from `offset`; 0 where the library wrote nothing.
  std::string read(std::uint64_t offset, std::uint64_t length) const;

 private:
  friend struct CaptureDriver;
  void write(std::uint64_t offset, std::span<const char> bytes);
  void clear();

  std::map<std::uint64_t, std::array<char, kPage>> pages_;  ///< that were written to, by number
  std::uint64_t size_ = 0;
  std::uint64_t latest_values_ = 0;
  bool whole_ = true;
  bool closed_ = false;
};

}  // namespace kumiko::io::hdf5
