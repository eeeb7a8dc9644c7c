// A file that the HDF5 library writes into memory, without the room that it leaves for others.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "hdf5/hdf5_object.hpp"

namespace kumiko::io::hdf5 {

/// What the library wrote, and how long it made the file. Memory in proportion to the former: the
/// core driver's image would have all of the file.
class Capture {
 public:
  Capture() = default;
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// Creates a file whose bytes come here; it must be closed before they are read. `properties` are
  /// of file access, and get their driver here.
  Object create(const std::string& name, const Object& properties);

  /// Whether all that the library wrote is here: else memory ran out.
  bool is_whole() const { return whole_ && closed_; }
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

  std::map<std::uint64_t, std::string> ranges_;  ///< by offset, none overlaps another
  std::uint64_t size_ = 0;
  std::uint64_t latest_values_ = 0;
  bool whole_ = true;
  bool closed_ = false;
};

}  // namespace kumiko::io::hdf5
