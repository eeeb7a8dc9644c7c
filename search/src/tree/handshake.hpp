// How two processes prove to each other that they may be neighbours. Pure: bytes in, bytes out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <kumiko/search/tree.hpp>

#include "tree/mac.hpp"

namespace kumiko::search::detail::tree {

// The words of a handshake, in their order; J joins, A accepts. Lengths are fixed.
//
//   J to A  hello    magic 8, version 4, role 4, nonce 32
//   A to J  hello    the same
//   J to A  proof    program 8, HMAC("joins", both nonces, program) 32
//   A to J  verdict  verdict 8, program 8, HMAC("accepts", both nonces, verdict, program) 32
//
// The key of the HMACs is the secret; that of each direction is an HMAC of both nonces. Each HMAC
// begins with a label of its own: none can be taken for another one, nor be sent back to who made
// it. Magic and version lie where they lie in all versions. J proves itself first: whoever only
// connects to A sees nothing that depends on the secret.
inline constexpr std::uint32_t kProtocolVersion = 1;
inline constexpr std::size_t kVersionAt = 8;
/// What comes before the part of a hello that another version may have changed.
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

/// What both sides say first, and what they know of each other.
class Handshake {
 public:
  Handshake(Role role, const std::string& secret, std::uint64_t program);

  const Hello& hello() const noexcept { return hello_; }

  /// Whether the first kGreetingBytes of a hello are of this protocol and version.
  static std::optional<Refusal> check_greeting(Bytes greeting) noexcept;

  /// Takes the other side's hello, before all the functions below. Returns why it is refused.
  std::optional<Refusal> take_hello(Bytes hello) noexcept;

  // Of who joins.
  Proof proof() const;
  std::optional<Refusal> take_verdict(Bytes verdict) const;

  // Of who accepts.
  std::optional<Refusal> take_proof(Bytes proof) const;
  /// What to say to a proof that was taken, or refused. A wrong secret is told without an HMAC.
  Verdict verdict(std::optional<Refusal> refusal) const;

  /// The keys, when each side has accepted the other.
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
