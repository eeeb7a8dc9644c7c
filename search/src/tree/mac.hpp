// Message authentication codes (HMAC-SHA256 of libsodium) and fresh nonces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sodium.h>

namespace kumiko::search::detail::tree {

using Bytes = std::span<const std::byte>;

inline constexpr std::size_t kMacBytes = crypto_auth_hmacsha256_BYTES;
using Mac = std::array<std::byte, kMacBytes>;

inline constexpr std::size_t kNonceBytes = 32;
using Nonce = std::array<std::byte, kNonceBytes>;

/// An unpredictable nonce.
Nonce fresh_nonce();

/// Returns whether the codes are equal, in a time that does not depend on where they differ.
bool are_equal(const Mac& expected, Bytes given) noexcept;

/// The code of a message that is added in pieces. The caller must ensure that no two messages have
/// the same bytes: all pieces but the last one have fixed lengths.
class Hmac {
 public:
  /// \throws std::runtime_error if libsodium cannot work on this machine.
  explicit Hmac(Bytes key);
  ~Hmac() { sodium_memzero(&state_, sizeof state_); }
  Hmac(const Hmac&) = delete;
  Hmac& operator=(const Hmac&) = delete;

  Hmac& add(Bytes piece) noexcept;
  Hmac& add(std::uint64_t number) noexcept;
  Mac finish() noexcept;

 private:
  crypto_auth_hmacsha256_state state_;
};

/// Writes the low bytes of a number, the lowest first.
void put_number(std::span<std::byte> into, std::uint64_t number) noexcept;
/// Reads a number that put_number() has written.
std::uint64_t get_number(Bytes from) noexcept;

}  // namespace kumiko::search::detail::tree
