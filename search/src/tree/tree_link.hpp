// One neighbour of a tree: the queue to it, and what its reader and its writer do.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <system_error>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/io/socket.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/search/tree.hpp>

#include "tree/frame.hpp"
#include "tree/handshake.hpp"

namespace kumiko::search::detail::tree {

/// What has passed, over all links. Relaxed: they are only looked at.
struct Traffic {
  std::atomic<std::uint64_t> bytes_sent{0};
  std::atomic<std::uint64_t> bytes_received{0};
};

/// A connection whose two sides have proved themselves.
///
/// It ends in one of two ways. By close(): at once, all waits of reader and writer end. Or by
/// finish(): the writer sends what is queued and says goodbye, and the reader reads on until the
/// neighbour closes as well; for if a socket is closed while bytes are unread in it, TCP resets the
/// connection, and the neighbour may lose what was sent last.
class TreeLink {
 public:
  TreeLink(std::uint16_t number, runtime::io::Socket socket, const SessionKeys& keys,
           const TreeOptions& options, Traffic& traffic);

  std::uint16_t number() const noexcept { return number_; }

  // For any thread.

  /// Queues a frame of make_frame(). Returns whether it is going to be sent. If too much waits
  /// already, it is not, and the link is closed.
  bool queue(Frame frame);

  void finish() noexcept;

  /// The first reason counts. Allocates nothing.
  void close(std::string reason) noexcept;

  // The reader.

  /// Waits for the next frame and checks its seal, nothing else. Nothing: the link is closed.
  std::optional<Frame> read();

  /// Waits until nobody uses the socket any more, closes it, and returns the reason of the end.
  /// The link is closed.
  std::string end() noexcept;

  // The writer.

  /// Sends what is queued, heartbeats and the goodbye, until the link is closed or finished. Then
  /// writer_ended() is to be called.
  void write() noexcept;

  /// The writer, if one was started, does not use the socket any more.
  void writer_ended() noexcept;

 private:
  enum class State {
    kOpen,
    kFinishing,  ///< no frame is queued any more
    kClosed,
  };

  enum class Next { kSend, kSendLast, kEnd };

  /// Waits until there is something to send, and takes it.
  Next take_queued(std::deque<Frame>& frames);
  std::error_code send(Frame& frame);
  std::error_code read_all(std::span<std::byte> into);

  /// Closes for an error that has ended a transfer; not again if that has come of close().
  void explain_lost(std::error_code error, const char* silence);

  const std::uint16_t number_;
  const FrameLimits limits_;
  const std::size_t most_unsent_bytes_;
  const std::chrono::milliseconds heartbeat_every_;
  const std::chrono::milliseconds lost_after_;
  Traffic& traffic_;

  runtime::io::Socket socket_;
  Seal outgoing_;  ///< the writer's
  Seal incoming_;  ///< the reader's
  std::stop_source stop_;

  runtime::Mutex mutex_;
  runtime::ConditionVariable changed_;
  std::deque<Frame> queue_;  ///< guarded; so is the rest
  std::size_t unsent_bytes_ = 0;
  State state_ = State::kOpen;
  bool has_writer_ = true;
  std::string reason_;
};

}  // namespace kumiko::search::detail::tree
