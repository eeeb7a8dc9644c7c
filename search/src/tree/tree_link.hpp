// The link to one neighbour of a tree: its queue, its reader and its writer.
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

/// The bytes sent and received over all links. Relaxed: the values are only for statistics.
struct Traffic {
  std::atomic<std::uint64_t> bytes_sent{0};
  std::atomic<std::uint64_t> bytes_received{0};
};

/// A connection whose two sides have proved themselves.
///
/// It ends in one of two ways. After close(), all waits of the reader and the writer end at once.
/// After finish(), the writer sends the queued frames and a goodbye, and the reader continues until
/// the neighbour closes, too. If a socket were closed with unread bytes, TCP would reset the
/// connection, and the neighbour could lose the last bytes sent.
class TreeLink {
 public:
  TreeLink(std::uint16_t number, runtime::io::Socket socket, const SessionKeys& keys,
           const TreeOptions& options, Traffic& traffic);

  std::uint16_t number() const noexcept { return number_; }

  // Any thread may call these.

  /// Queues a frame of make_frame(). Returns whether it will be sent. If too many bytes are queued,
  /// it will not, and the link is closed.
  bool queue(Frame frame);

  void finish() noexcept;

  /// Only the first reason counts. Allocates nothing.
  void close(std::string reason) noexcept;

  // For the reader.

  /// Waits for the next frame and checks only its seal. Returns nullopt if the link is closed.
  std::optional<Frame> read();

  /// Waits until no thread uses the socket any more, closes it, and returns the reason for the end.
  /// The link must be closed.
  std::string end() noexcept;

  // For the writer.

  /// Sends queued frames, heartbeats and the goodbye, until the link is closed or finished. The
  /// caller must then call writer_ended().
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

  /// Waits until there is a frame to send, and takes it.
  Next take_queued(std::deque<Frame>& frames);
  std::error_code send(Frame& frame);
  std::error_code read_all(std::span<std::byte> into);

  /// Closes after an error that has ended a transfer, unless close() was the cause of the error.
  void explain_lost(std::error_code error, const char* silence);

  const std::uint16_t number_;
  const FrameLimits limits_;
  const std::size_t most_unsent_bytes_;
  const std::chrono::milliseconds heartbeat_every_;
  const std::chrono::milliseconds lost_after_;
  Traffic& traffic_;

  runtime::io::Socket socket_;
  Seal outgoing_;  ///< used by the writer
  Seal incoming_;  ///< used by the reader
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
