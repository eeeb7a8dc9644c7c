// Numbers to bytes and back, sealed by a hash: how a mesh is sent.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <kumiko/amr/require.hpp>

namespace kumiko::amr {

static_assert(std::endian::native == std::endian::little, "the lowest byte comes first");

/// Appends numbers to bytes.
class ByteWriter {
 public:
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void put(Number number) {
    bytes_.resize(bytes_.size() + sizeof number);
    std::memcpy(bytes_.data() + bytes_.size() - sizeof number, &number, sizeof number);
  }
  /// The bytes, and a hash over them at their end.
  std::vector<std::byte> sealed() &&;

 private:
  std::vector<std::byte> bytes_;
};

/// Takes numbers from sealed bytes. Throws std::invalid_argument that begins with `what` where
/// there are none.
class ByteReader {
 public:
  /// Checks the hash. The bytes must outlive the reader.
  /// \param what  what the bytes stand for, for messages
  ByteReader(std::span<const std::byte> bytes, std::string_view what);

  template <class Number>
  requires std::is_arithmetic_v<Number> Number take() {
    require(left() >= sizeof(Number), "{} ends too early; send it again", what_);
    Number number;
    std::memcpy(&number, bytes_.data() + at_, sizeof number);
    at_ += sizeof number;
    return number;
  }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::span<const std::byte> bytes_;
  std::string_view what_;
  std::size_t at_ = 0;
};

}  // namespace kumiko::amr
