// The handshake by which two processes prove that they may be neighbours. Pure: bytes in, bytes
// out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <kumiko/search/tree.hpp>

#include "tree/mac.hpp"

namespace kumiko::search::detail::tree {

// The messages of a handshake, in order. J joins, A accepts. All lengths are fixed.
//
//   J to A  hello    magic 8, version 4, role 4, nonce 32
//   A to J  hello    as from J
//   J to A  proof    program 8, HMAC("joins", both nonces, program) 32
//   A to J  verdict  verdict 8, program 8, HMAC("accepts", both nonces, verdict, program) 32
//
// The key of the HMACs is the secret; the key of each direction is an HMAC of both nonces. The
// message of each HMAC begins with its own label, so that no HMAC passes for another one or can be
// sent back to its maker. All versions have magic and version at the same place. J proves itself
// first, so that a stranger that connects to A sees nothing that depends on the secret.
inline constexpr std::uint32_t kProtocolVersion = 1;
inline constexpr std::size_t kVersionAt = 8;
/// The number of bytes before those of a hello that another version may have changed.
inline constexpr std::size_t kGreetingBytes = 12;
inline constexpr std::size_t kHelloBytes = kGreetingBytes + 4 + kNonceBytes;
inline constexpr std::size_t kProofBytes = 8 + kMacBytes;
inline constexpr std::size_t kVerdictBytes = 16 + kMacBytes;

using Hello = std::array<std::byte, kHelloBytes>;
using Proof = std::array<std::byte, kProofBytes>;
using Verdict = std::array<std::byte, kVerdictBytes>;

enum class Role : std::uint32_t { kJoins = 1, kAccepts = 2 };

/// The keys of a connection whose two sides have proved themselves.
struct SessionKeys {
  Mac send;
  Mac receive;
};

/// One side of a handshake.
class Handshake {
 public:
  Handshake(Role role, const std::string& secret, std::uint64_t program);

  const Hello& hello() const noexcept { return hello_; }

  /// Returns why the first kGreetingBytes of a hello are not of this protocol and version, if so.
  static std::optional<Refusal> check_greeting(Bytes greeting) noexcept;

  /// Takes the other side's hello. Call it before the functions below. Returns why it is refused.
  std::optional<Refusal> take_hello(Bytes hello) noexcept;

  // For the side that joins.
  Proof proof() const;
  std::optional<Refusal> take_verdict(Bytes verdict) const;

  // For the side that accepts.
  std::optional<Refusal> take_proof(Bytes proof) const;
  /// The answer to a proof. A refusal for a wrong secret has no HMAC.
  Verdict verdict(std::optional<Refusal> refusal) const;

  /// The keys, after each side has accepted the other.
  SessionKeys keys() const;

 private:
  /// An HMAC that begins with the label and both nonces, the joining side's first.
  Mac code(const char* label, std::uint64_t first = 0, std::uint64_t second = 0) const;

  Role role_;
  Bytes secret_;  ///< not a copy
  std::uint64_t program_;
  Hello hello_{};
  Hello others_{};
};

}  // namespace kumiko::search::detail::tree
