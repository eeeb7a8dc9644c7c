#include "uniform/zip_writer.hpp"

#include <ostream>

#include <zlib.h>

namespace kumiko::io {

namespace {

// The numbers of the format, by APPNOTE.TXT 6.3.
constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kCentralHeader = 0x02014b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kEnd64Locator = 0x07064b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint16_t kVersion64 = 45;  ///< of readers that know ZIP64
constexpr std::uint16_t kMadeBy = (3 << 8) + kVersion64;
constexpr std::uint32_t kReadable = 0100644U << 16;
constexpr std::uint16_t kFirstDate = (1 << 5) + 1;
constexpr std::uint32_t kIn64Bits = 0xffffffff;

/// Numbers one after the other, the lowest byte first.
class Bytes {
 public:
  template <class Number>
  Bytes& operator<<(Number number) {
    for (std::size_t byte = 0; byte < sizeof(Number); ++byte) {
      text_ += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * byte) & 0xff);
    }
    return *this;
  }
  std::string_view text() const { return text_; }

 private:
  std::string text_;
};

std::uint32_t crc_of(std::uint32_t before, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

/// The part that both headers of a file share: flags, method (stored), time, date, checksum, and
/// sizes that stand elsewhere.
void put_common(Bytes& bytes, std::uint32_t crc, std::size_t name, std::uint16_t extra) {
  bytes << kVersion64 << std::uint16_t{0} << std::uint16_t{0} << std::uint16_t{0} << kFirstDate
        << crc << kIn64Bits << kIn64Bits << static_cast<std::uint16_t>(name) << extra;
}

}  // namespace

void ZipWriter::write(std::string_view bytes) {
  out_ << bytes;
  written_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::string_view head, std::string_view body) {
  const Entry entry{name, crc_of(crc_of(0, head), body), head.size() + body.size(), written_};
  Bytes bytes;
  bytes << kLocalHeader;
  put_common(bytes, entry.crc, name.size(), 20);
  write(bytes.text());
  write(name);
  Bytes extra;
  extra << std::uint16_t{1} << std::uint16_t{16} << entry.size << entry.size;
  write(extra.text());
  write(head);
  write(body);
  entries_.push_back(entry);
}

void ZipWriter::finish() {
  const std::uint64_t directory = written_;
  for (const Entry& entry : entries_) {
    Bytes bytes;
    bytes << kCentralHeader << kMadeBy;
    put_common(bytes, entry.crc, entry.name.size(), 28);
    bytes << std::uint16_t{0} << std::uint16_t{0} << std::uint16_t{0} << kReadable << kIn64Bits;
    write(bytes.text());
    write(entry.name);
    Bytes extra;
    extra << std::uint16_t{1} << std::uint16_t{24} << entry.size << entry.size << entry.offset;
    write(extra.text());
  }
  const std::uint64_t size = written_ - directory;
  const std::uint64_t end = written_;
  const std::uint64_t count = entries_.size();
  Bytes bytes;
  bytes << kEnd64 << std::uint64_t{44} << kMadeBy << kVersion64 << std::uint32_t{0}
        << std::uint32_t{0} << count << count << size << directory;
  bytes << kEnd64Locator << std::uint32_t{0} << end << std::uint32_t{1};
  bytes << kEnd << std::uint64_t{0xffffffff00000000} << kIn64Bits << kIn64Bits << std::uint16_t{0};
  write(bytes.text());
}

}  // namespace kumiko::io
