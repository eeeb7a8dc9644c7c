// The format of frames and of the messages in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <kumiko/cluster/detail/answer.hpp>
#include <kumiko/cluster/link.hpp>
#include <kumiko/cluster/packing.hpp>

#include "calls/kinds.hpp"

namespace kumiko::cluster::detail {

/// Messages begin at multiples of this in a frame.
inline constexpr std::size_t kMessageAlignment = 16;

struct FrameHeader {
  static constexpr std::uint32_t kMagic = 0x314b4d4b;  // "KMK1"

  std::uint32_t magic = kMagic;
  std::uint32_t messages = 0;
  std::uint64_t program = 0;  ///< see program_id()
};

/// At this depth and beyond, a credit returns when a function begins: see Here.
inline constexpr unsigned kDeepest = 255;

/// The rank that gathers the parts of collective operations.
inline constexpr int kCollector = 0;

/// The posts that a message of kind kCount asks for.
inline constexpr std::uint64_t kPostsDone = 0;
inline constexpr std::uint64_t kPostsSent = 1;

/// The begin of a message; `size` bytes follow.
struct MessageHeader {
  std::uint64_t size = 0;
  Kind kind{};
  bool credit_returned = false;  ///< in a reply: the reply itself returns no credit
  std::uint16_t depth = 0;       ///< of the call whose credit it is about
  std::uint32_t function = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint64_t amount = 0;

  Ticket ticket() const noexcept { return {slot, generation}; }
};

/// The bytes before the payload of a message that is a frame by itself.
inline constexpr std::size_t kBeforePayload = sizeof(FrameHeader) + sizeof(MessageHeader);

/// A frame with room for a header, and for some arguments.
inline Frame empty_message() {
  Frame frame;
  frame.reserve(256);
  frame.resize(kBeforePayload);
  return frame;
}

/// A message without its header that has a value as payload, in which there are no tokens.
template <class T>
Frame message_of(T value) {
  Frame frame = empty_message();
  Writer writer(frame, 0);
  Packing<T>::pack(writer, value);
  return frame;
}

/// A message of kind kFailure without its header.
inline Frame failure_message(std::string_view type, std::string_view what) {
  return message_of(std::pair(type, what));
}

/// A message in a frame that has arrived.
struct Message {
  MessageHeader header;
  std::span<const std::byte> payload;
};

/// A message that keeps its frame, and the rank that sent it.
struct IncomingMessage {
  int source;
  std::shared_ptr<const Frame> frame;
  MessageHeader header;
  std::span<const std::byte> payload;
};

/// The message of a frame that begins at `at`, which is then set to its end; nothing if the frame
/// ends within the message.
inline std::optional<Message> next_message(const Frame& frame, std::size_t& at) {
  const std::size_t begin = Writer::aligned(at, kMessageAlignment);
  Message message;
  if (begin > frame.size() || frame.size() - begin < sizeof message.header) return {};
  std::memcpy(&message.header, frame.data() + begin, sizeof message.header);
  const std::size_t payload = begin + sizeof message.header;
  if (message.header.size > frame.size() - payload) return {};
  message.payload = {frame.data() + payload, message.header.size};
  at = payload + message.header.size;
  return message;
}

/// A frame of this number of messages, ready to be sent.
inline Frame sealed(Frame frame, std::uint32_t messages, std::uint64_t program) {
  const FrameHeader header{.messages = messages, .program = program};
  std::memcpy(frame.data(), &header, sizeof header);
  return frame;
}

/// Writes the header of a message that is a frame by itself.
inline void set_header(Frame& message, const MessageHeader& header) {
  MessageHeader complete = header;
  complete.size = message.size() - kBeforePayload;
  std::memcpy(message.data() + sizeof(FrameHeader), &complete, sizeof complete);
}

static_assert(sizeof(FrameHeader) == kMessageAlignment);
static_assert(sizeof(MessageHeader) % kMessageAlignment == 0);

}  // namespace kumiko::cluster::detail
