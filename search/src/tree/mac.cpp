#include "tree/mac.hpp"

#include <stdexcept>

namespace kumiko::search::detail::tree {

namespace {

const unsigned char* unsigned_chars(Bytes bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// Lets libsodium choose its code for this processor, once.
void prepare_sodium() {
  static const bool is_ready = sodium_init() >= 0;
  if (!is_ready) throw std::runtime_error("libsodium finds no source of random bytes");
}

}  // namespace

Nonce fresh_nonce() {
  prepare_sodium();
  Nonce nonce;
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

bool are_equal(const Mac& expected, Bytes given) noexcept {
  return given.size() == expected.size() &&
         sodium_memcmp(expected.data(), given.data(), expected.size()) == 0;
}

Hmac::Hmac(Bytes key) {
  prepare_sodium();
  crypto_auth_hmacsha256_init(&state_, unsigned_chars(key), key.size());
}

Hmac& Hmac::add(Bytes piece) noexcept {
  crypto_auth_hmacsha256_update(&state_, unsigned_chars(piece), piece.size());
  return *this;
}

Hmac& Hmac::add(std::uint64_t number) noexcept {
  std::array<std::byte, sizeof number> bytes;
  put_number(bytes, number);
  return add(bytes);
}

Mac Hmac::finish() noexcept {
  Mac mac;
  crypto_auth_hmacsha256_final(&state_, reinterpret_cast<unsigned char*>(mac.data()));
  return mac;
}

void put_number(std::span<std::byte> into, std::uint64_t number) noexcept {
  for (std::byte& byte : into) {
    byte = static_cast<std::byte>(number & 0xffU);
    number >>= 8U;
  }
}

std::uint64_t get_number(Bytes from) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = from.size(); i-- > 0;) {
    number = number << 8U | std::to_integer<std::uint64_t>(from[i]);
  }
  return number;
}

}  // namespace kumiko::search::detail::tree
