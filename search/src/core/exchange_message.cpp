#include "core/exchange_message.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace kumiko::search::detail {

bool leads_through(const Way& way, const Way& first) noexcept {
  return way.size() >= first.size() && std::equal(first.begin(), first.end(), way.begin());
}

namespace {

/// Precedes the way and the bytes. Only processes of the same build read it.
struct Header {
  std::uint64_t type;
  std::uint64_t bytes;  ///< the number of bytes
  std::int64_t sent_at;
  std::uint32_t ask;
  std::uint32_t slot;
  std::uint32_t generation;
  std::uint32_t divisions;
  std::uint16_t way;  ///< the number of its steps
  ExchangeMessage::Says kind;
  Outcome outcome;
  std::uint8_t has_part;
  std::uint8_t has_bytes;
  std::uint8_t rests;
  std::uint8_t unused;
};
static_assert(sizeof(Header) == 48);

}  // namespace

Frame encode(const ExchangeMessage& message) {
  const Frame* const bytes = message.task.bytes.get();
  const PartName part = message.part.value_or(PartName{});
  const Header header{.type = message.task.type,
                      .bytes = bytes == nullptr ? 0 : bytes->size(),
                      .sent_at = message.sent_at,
                      .ask = message.ask,
                      .slot = part.slot,
                      .generation = part.generation,
                      .divisions = message.task.divisions,
                      .way = static_cast<std::uint16_t>(message.way.size()),
                      .kind = message.kind,
                      .outcome = message.outcome,
                      .has_part = message.part.has_value(),
                      .has_bytes = bytes != nullptr,
                      .rests = message.rests,
                      .unused = 0};
  Frame frame(sizeof header + message.way.size() * sizeof(std::uint16_t) + header.bytes);
  std::byte* at = frame.data();
  const auto append = [&](const void* from, std::size_t size) {
    if (size != 0) std::memcpy(at, from, size);
    at += size;
  };
  append(&header, sizeof header);
  append(message.way.data(), message.way.size() * sizeof(std::uint16_t));
  if (bytes != nullptr) append(bytes->data(), bytes->size());
  return frame;
}

ExchangeMessage decode(std::span<const std::byte> bytes) {
  using Says = ExchangeMessage::Says;
  Header header{};
  const auto fail = [] { throw std::invalid_argument("this is not a message of an exchange"); };
  if (bytes.size() < sizeof header) fail();
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes = bytes.subspan(sizeof header);
  const std::size_t way = header.way * sizeof(std::uint16_t);
  if (header.kind > Says::kBegun || header.outcome > Outcome::kNotBegun || header.has_part > 1 ||
      header.has_bytes > 1 || header.rests > 1 || bytes.size() < way ||
      bytes.size() - way != header.bytes || (header.has_bytes == 0 && header.bytes != 0)) {
    fail();
  }
  const bool wants_bytes = header.kind == Says::kPart || header.kind == Says::kLog ||
                           (header.kind == Says::kResult && header.outcome != Outcome::kNotBegun);
  if (wants_bytes != (header.has_bytes == 1)) fail();
  ExchangeMessage message{.kind = header.kind, .ask = header.ask, .outcome = header.outcome};
  if (header.has_part == 1) message.part = PartName{header.slot, header.generation};
  message.task.type = header.type;
  message.task.divisions = header.divisions;
  message.sent_at = header.sent_at;
  message.rests = header.rests == 1;
  message.way.resize(header.way);
  if (way != 0) std::memcpy(message.way.data(), bytes.data(), way);
  if (header.has_bytes == 1) {
    const auto body = bytes.subspan(way);
    message.task.bytes = std::make_shared<const Frame>(body.begin(), body.end());
  }
  return message;
}

}  // namespace kumiko::search::detail
