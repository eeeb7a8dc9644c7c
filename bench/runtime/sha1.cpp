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

// The functions f_t, section 4.1.1.
std::uint32_t choose(std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
  return (b & c) ^ (~b & d);
}
std::uint32_t parity(std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
  return b ^ c ^ d;
}
std::uint32_t majority(std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
  return (b & c) ^ (b & d) ^ (c & d);
}

/// 20 rounds with one function and its constant K_t. Apart, for not every compiler splits one loop
/// of 80.
template <auto Function>
void twenty_rounds(Words& words, const std::uint32_t* schedule, std::uint32_t constant) noexcept {
  auto [a, b, c, d, e] = words;
#pragma GCC unroll 20
  for (std::size_t t = 0; t < kRounds / 4; ++t) {
    const std::uint32_t next = std::rotl(a, 5) + Function(b, c, d) + e + constant + schedule[t];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  words = {a, b, c, d, e};
}

Words compress(const Words& hash, const std::array<std::uint8_t, kBlockSize>& block) noexcept {
  std::array<std::uint32_t, kRounds> schedule;
  for (std::size_t t = 0; t < kWords; ++t) schedule[t] = load_big_endian(&block[4 * t]);
  for (std::size_t t = kWords; t < kRounds; ++t) {
    schedule[t] =
        std::rotl(schedule[t - 3] ^ schedule[t - 8] ^ schedule[t - 14] ^ schedule[t - 16], 1);
  }
  Words words = hash;
  twenty_rounds<choose>(words, &schedule[0], 0x5a827999);
  twenty_rounds<parity>(words, &schedule[20], 0x6ed9eba1);
  twenty_rounds<majority>(words, &schedule[40], 0x8f1bbcdc);
  twenty_rounds<parity>(words, &schedule[60], 0xca62c1d6);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] += hash[i];
  return words;
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
