#include "tree/handshake.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace kumiko::search::detail::tree {

namespace {

constexpr std::array<char, 8> kMagic{'K', 'u', 'm', 'i', 'k', 'o', 'T', '\n'};
constexpr std::size_t kRoleAt = kGreetingBytes;
constexpr std::size_t kNonceAt = kRoleAt + 4;

/// Labels have the same length, so that no message is the beginning of another one.
constexpr std::size_t kLabelBytes = 8;
constexpr const char* kJoins = "joins...";
constexpr const char* kAccepts = "accepts.";
constexpr const char* kUpward = "upward..";
constexpr const char* kDownward = "downward";

/// The number of a verdict: 0 to admit, or the number of a Refusal plus 1.
std::uint64_t number_of(std::optional<Refusal> refusal) noexcept {
  return refusal ? static_cast<std::uint64_t>(*refusal) + 1 : 0;
}

Bytes nonce_of(const Hello& hello) noexcept { return Bytes(hello).subspan(kNonceAt); }

}  // namespace

Handshake::Handshake(Role role, const std::string& secret, std::uint64_t program)
    : role_(role), secret_(std::as_bytes(std::span(secret))), program_(program) {
  const std::span<std::byte> bytes(hello_);
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  put_number(bytes.subspan(kVersionAt, 4), kProtocolVersion);
  put_number(bytes.subspan(kRoleAt, 4), static_cast<std::uint32_t>(role));
  const Nonce nonce = fresh_nonce();
  std::memcpy(bytes.data() + kNonceAt, nonce.data(), nonce.size());
}

std::optional<Refusal> Handshake::check_greeting(Bytes greeting) noexcept {
  if (std::memcmp(greeting.data(), kMagic.data(), kMagic.size()) != 0) return Refusal::kNotKumiko;
  if (get_number(greeting.subspan(kVersionAt, 4)) != kProtocolVersion) {
    return Refusal::kOtherVersion;
  }
  return std::nullopt;
}

std::optional<Refusal> Handshake::take_hello(Bytes hello) noexcept {
  if (const auto refusal = check_greeting(hello)) return refusal;
  // A program that echoes sends our own bytes.
  const Role expected = role_ == Role::kJoins ? Role::kAccepts : Role::kJoins;
  if (get_number(hello.subspan(kRoleAt, 4)) != static_cast<std::uint32_t>(expected)) {
    return Refusal::kNotKumiko;
  }
  std::copy(hello.begin(), hello.end(), others_.begin());
  return std::nullopt;
}

Mac Handshake::code(const char* label, std::uint64_t first, std::uint64_t second) const {
  const bool joins = role_ == Role::kJoins;
  return Hmac(secret_)
      .add(std::as_bytes(std::span(label, kLabelBytes)))
      .add(nonce_of(joins ? hello_ : others_))
      .add(nonce_of(joins ? others_ : hello_))
      .add(first)
      .add(second)
      .finish();
}

Proof Handshake::proof() const {
  Proof proof;
  put_number(std::span(proof).first(8), program_);
  const Mac mac = code(kJoins, program_);
  std::copy(mac.begin(), mac.end(), proof.begin() + 8);
  return proof;
}

std::optional<Refusal> Handshake::take_proof(Bytes proof) const {
  const std::uint64_t program = get_number(proof.first(8));
  if (!are_equal(code(kJoins, program), proof.subspan(8))) return Refusal::kWrongSecret;
  if (program != program_) return Refusal::kOtherBuild;
  return std::nullopt;
}

Verdict Handshake::verdict(std::optional<Refusal> refusal) const {
  Verdict verdict{};
  const std::uint64_t number = number_of(refusal);
  put_number(std::span(verdict).first(8), number);
  if (refusal == Refusal::kWrongSecret) return verdict;
  put_number(std::span(verdict).subspan(8, 8), program_);
  const Mac mac = code(kAccepts, number, program_);
  std::copy(mac.begin(), mac.end(), verdict.begin() + 16);
  return verdict;
}

std::optional<Refusal> Handshake::take_verdict(Bytes verdict) const {
  const std::uint64_t number = get_number(verdict.first(8));
  const std::uint64_t program = get_number(verdict.subspan(8, 8));
  // This also refuses a parent that does not know the secret itself.
  if (!are_equal(code(kAccepts, number, program), verdict.subspan(16))) {
    return Refusal::kWrongSecret;
  }
  if (program != program_) return Refusal::kOtherBuild;
  if (number == 0) return std::nullopt;
  return number == number_of(Refusal::kFull) ? Refusal::kFull : Refusal::kNoResources;
}

SessionKeys Handshake::keys() const {
  const bool joins = role_ == Role::kJoins;
  return {code(joins ? kUpward : kDownward), code(joins ? kDownward : kUpward)};
}

}  // namespace kumiko::search::detail::tree
