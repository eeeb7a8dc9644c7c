#include "sha1.hpp"

#include <algorithm>
#include <bit>

namespace kumiko::bench {

namespace {

constexpr std::size_t kBlockSize = 64;
constexpr std::size_t kWords = 16;
constexpr std::size_t kRounds = 80;

using Words = std::array<std::uint32_t, 5>;

std::uint32_t load_big_endian(const std::uint8_t* bytes) noexcept {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

void store_big_endian(std::uint32_t word, std::uint8_t* bytes) noexcept {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(word >> (24 - 8 * i));
}

/// The function f_t with its constant K_t, sections 4.1.1 and 4.2.1.
std::uint32_t mix(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
  if (round < 20) return ((b & c) ^ (~b & d)) + 0x5a827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) ^ (b & d) ^ (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

Words compress(const Words& hash, const std::array<std::uint8_t, kBlockSize>& block) noexcept {
  std::array<std::uint32_t, kRounds> schedule;
  for (std::size_t t = 0; t < kWords; ++t) schedule[t] = load_big_endian(&block[4 * t]);
  for (std::size_t t = kWords; t < kRounds; ++t) {
    schedule[t] =
        std::rotl(schedule[t - 3] ^ schedule[t - 8] ^ schedule[t - 14] ^ schedule[t - 16], 1);
  }
  auto [a, b, c, d, e] = hash;
  for (std::size_t t = 0; t < kRounds; ++t) {
    const std::uint32_t next = std::rotl(a, 5) + mix(t, b, c, d) + e + schedule[t];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  return {hash[0] + a, hash[1] + b, hash[2] + c, hash[3] + d, hash[4] + e};
}

}  // namespace

Sha1Digest sha1(std::span<const std::uint8_t> message) noexcept {
  std::array<std::uint8_t, kBlockSize> block{};
  std::ranges::copy(message, block.begin());
  block[message.size()] = 0x80;
  store_big_endian(static_cast<std::uint32_t>(8 * message.size()), &block[kBlockSize - 4]);
  const Words hash = compress({0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, block);
  Sha1Digest digest;
  for (std::size_t i = 0; i < hash.size(); ++i) store_big_endian(hash[i], &digest[4 * i]);
  return digest;
}

}  // namespace kumiko::bench
