// How frames and the messages in them begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

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

/// From this depth on a credit returns when a function begins: see Here.
inline constexpr unsigned kDeepest = 255;

/// The rank on which the parts of collective operations come together.
inline constexpr int kMeetingPlace = 0;

/// What a message of kind kCount asks for.
inline constexpr std::uint64_t kPostsDone = 0;
inline constexpr std::uint64_t kPostsSent = 1;

/// What a message begins with; `size` bytes follow.
struct MessageHeader {
  std::uint64_t size = 0;
  Kind kind{};
  bool credit_returned = false;  ///< in a reply: not by it
  std::uint16_t depth = 0;       ///< of the call whose credit it is about
  std::uint32_t function = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint64_t amount = 0;
};

/// What lies before a message's payload where the message is a frame by itself.
inline constexpr std::size_t kBeforePayload = sizeof(FrameHeader) + sizeof(MessageHeader);

/// A frame with room for a header, and for some arguments.
inline Frame empty_message() {
  Frame frame;
  frame.reserve(256);
  frame.resize(kBeforePayload);
  return frame;
}

/// The payload of a message of kind kFailure.
inline Frame failure_message(std::string_view type, std::string_view what) {
  Frame frame = empty_message();
  Writer writer(frame, 0);
  for (std::string_view text : {type, what}) Packing<std::string_view>::pack(writer, text);
  return frame;
}

/// A message in a frame that has come.
struct Message {
  MessageHeader header;
  std::span<const std::byte> payload;
};

/// The message of a frame that begins at `at`, which is behind it then; nothing if the frame ends
/// within it.
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

/// A frame of so many messages, which may be sent.
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
