#include "mesh/mesh_bytes.hpp"

#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kumiko::amr {

std::vector<std::byte> ByteWriter::sealed() && {
  put(std::uint64_t{XXH3_64bits(bytes_.data(), bytes_.size())});
  return std::move(bytes_);
}

ByteReader::ByteReader(std::span<const std::byte> bytes, std::string_view what) : what_(what) {
  std::uint64_t hash = 0;
  require(bytes.size() >= sizeof hash, "{} has {} bytes, fewer than its hash; send it again", what,
          bytes.size());
  bytes_ = bytes.first(bytes.size() - sizeof hash);
  std::memcpy(&hash, bytes.data() + bytes_.size(), sizeof hash);
  require(hash == XXH3_64bits(bytes_.data(), bytes_.size()),
          "{} is damaged: its {} bytes do not match the hash at their end; send it again", what,
          bytes.size());
}

}  // namespace kumiko::amr
