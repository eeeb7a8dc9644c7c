// What a link of a tree carries after the handshake: sealed frames. Pure: bytes in, bytes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <kumiko/search/frame.hpp>
#include <kumiko/search/tree.hpp>

#include "tree/mac.hpp"

namespace kumiko::search::detail::tree {

// A sealed frame. Numbers have their lowest byte first.
//
//   offset         bytes
//        0             4  the length of all that follows
//        4             2  kind
//        6             2  p: how many links of the path lie behind the frame
//        8             2  n: how many links the path has, p <= n
//       10           2 n  the path
//   10 + 2 n               the payload
//   the last          32  HMAC of the frame's number, and of all the bytes before
//
// The path is one array: what lies before p, read backwards, is the way back to the source; what
// lies from p on is the way to the destination. Passing on replaces the link at p by the one by
// which the frame came, and increments p: no byte moves.
inline constexpr std::size_t kLengthBytes = 4;
inline constexpr std::size_t kHeaderBytes = kLengthBytes + 6;

enum class Kind : std::uint16_t { kData = 1, kHeartbeat = 2, kBye = 3 };

/// How long a frame on a link may be, as its TreeOptions say.
struct FrameLimits {
  std::size_t largest_frame;
  std::size_t longest_route;

  /// The bytes of a sealed frame at most.
  std::size_t most_bytes() const noexcept {
    return kHeaderBytes + 2 * longest_route + largest_frame + kMacBytes;
  }
};

/// A frame that is not sealed yet: the room for the code is there. `on_behalf_of` and `to`
/// are as a neighbour sees them: without the link between.
Frame make_frame(Kind kind, const Route& on_behalf_of, std::span<const std::uint16_t> to,
                 Bytes payload);

/// The length of the whole sealed frame, by its first kLengthBytes bytes; nothing if it cannot be
/// one. To be asked before memory is allocated for it.
std::optional<std::size_t> sealed_size(Bytes first, const FrameLimits& limits) noexcept;

/// A frame that was sealed, taken apart where it lies.
class FrameView {
 public:
  /// Nothing if the bytes, code included, are not a frame within the limits.
  static std::optional<FrameView> parse(std::span<std::byte> sealed,
                                        const FrameLimits& limits) noexcept;

  Kind kind() const noexcept { return kind_; }
  Bytes payload() const noexcept;

  /// Whether the frame has arrived: no link is to follow.
  bool has_arrived() const noexcept { return passed_ == links_; }

  /// The way back, when it has come by `link`.
  Route source(std::uint16_t link) const;

  /// Turns the frame, which has come by `link`, into the one to pass on. Returns the link to do
  /// that by. It must not have arrived.
  std::uint16_t pass_on(std::uint16_t link) noexcept;

 private:
  FrameView(std::span<std::byte> sealed, Kind kind, std::size_t passed, std::size_t links) noexcept
      : sealed_(sealed), kind_(kind), passed_(passed), links_(links) {}

  std::span<std::byte> link_at(std::size_t index) const noexcept {
    return sealed_.subspan(kHeaderBytes + 2 * index, 2);
  }

  std::span<std::byte> sealed_;
  Kind kind_;
  std::size_t passed_;
  std::size_t links_;
};

/// One direction of a connection: numbers frames, and seals or checks them. A frame that is
/// repeated, left out or moved has another number than its code, and so does not fit.
class Seal {
 public:
  explicit Seal(const Mac& key) noexcept : key_(key) {}
  ~Seal() { sodium_memzero(key_.data(), key_.size()); }
  Seal(const Seal&) = default;
  Seal& operator=(const Seal&) = default;

  /// Writes the code of the next frame to its end.
  void close(std::span<std::byte> frame);
  /// Whether this is the next frame, unchanged.
  bool fits(Bytes sealed);

 private:
  Mac code_of_next(Bytes frame);

  Mac key_;
  std::uint64_t number_ = 0;
};

}  // namespace kumiko::search::detail::tree
