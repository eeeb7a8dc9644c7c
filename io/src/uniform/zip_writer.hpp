// Writes a zip archive of files that are not compressed.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::io {

/// Appends entries to a stream, then the directory. Every size and offset is written in 64 bits
/// (ZIP64), whatever it is, so that there is one form; numpy, Python, Info-ZIP and libarchive read
/// it. Entries are dated 1 January 1980: equal contents give equal bytes.
class ZipWriter {
 public:
  explicit ZipWriter(std::ostream& out) : out_(out) {}

  /// Adds a file, whose content is the two parts.
  void add(const std::string& name, std::string_view head, std::string_view body);
  /// Writes the directory of all files. Call it once, at the end.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc;
    std::uint64_t size;
    std::uint64_t offset;
  };

  void write(std::string_view bytes);

  std::ostream& out_;
  std::uint64_t written_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace kumiko::io
