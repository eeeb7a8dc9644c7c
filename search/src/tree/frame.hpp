// The sealed frames on a link of a tree, after the handshake. Pure: bytes in, bytes out.
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
//        0             4  the length of the rest
//        4             2  kind
//        6             2  p: the number of links of the path that the frame has passed
//        8             2  n: the number of links of the path, p <= n
//       10           2 n  the path
//   10 + 2 n               the payload
//   the last          32  HMAC of the frame's number and of all bytes before
//
// The path is one array. The links before p, read backwards, are the way back to the source, and
// the links from p on are the way to the destination. To pass a frame on, a process replaces the
// link at p by the one on which the frame came, and increments p, so that no byte moves.
inline constexpr std::size_t kLengthBytes = 4;
inline constexpr std::size_t kHeaderBytes = kLengthBytes + 6;

enum class Kind : std::uint16_t { kData = 1, kHeartbeat = 2, kBye = 3 };

/// The limits of frames on a link, from TreeOptions.
struct FrameLimits {
  std::size_t largest_frame;
  std::size_t longest_route;

  /// The largest number of bytes of a sealed frame.
  std::size_t most_bytes() const noexcept {
    return kHeaderBytes + 2 * longest_route + largest_frame + kMacBytes;
  }
};

/// Returns a frame with room for its code, which is not sealed yet. `on_behalf_of` and `to` are as
/// the neighbour sees them, without the link to it.
Frame make_frame(Kind kind, const Route& on_behalf_of, std::span<const std::uint16_t> to,
                 Bytes payload);

/// The length of the whole sealed frame, from its first kLengthBytes bytes; nullopt if no frame has
/// that length. Call it before memory is allocated for the frame.
std::optional<std::size_t> sealed_size(Bytes first, const FrameLimits& limits) noexcept;

/// A view of the fields of a sealed frame.
class FrameView {
 public:
  /// Returns nullopt if the bytes, with the code, are not a frame within the limits.
  static std::optional<FrameView> parse(std::span<std::byte> sealed,
                                        const FrameLimits& limits) noexcept;

  Kind kind() const noexcept { return kind_; }
  Bytes payload() const noexcept;

  /// Returns whether the frame has arrived, so that no link follows.
  bool has_arrived() const noexcept { return passed_ == links_; }

  /// The way back to the source of a frame that has come on `link`.
  Route source(std::uint16_t link) const;

  /// Changes the frame, which has come on `link`, into the one to pass on. Returns the link to pass
  /// it on to. The frame must not have arrived.
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

/// One direction of a connection: numbers its frames, and seals or checks them. The code of a frame
/// that is repeated, left out or moved has another number, so it does not fit.
class Seal {
 public:
  explicit Seal(const Mac& key) noexcept : key_(key) {}
  ~Seal() { sodium_memzero(key_.data(), key_.size()); }
  Seal(const Seal&) = default;
  Seal& operator=(const Seal&) = default;

  /// Writes the code of the next frame at its end.
  void close(std::span<std::byte> frame);
  /// Returns whether this is the next frame, unchanged.
  bool fits(Bytes sealed);

 private:
  Mac code_of_next(Bytes frame);

  Mac key_;
  std::uint64_t number_ = 0;
};

}  // namespace kumiko::search::detail::tree
