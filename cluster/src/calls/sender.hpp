// Sends messages to other ranks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include <kumiko/cluster/detail/answer.hpp>
#include <kumiko/cluster/link.hpp>

#include "calls/bodies.hpp"
#include "calls/endpoint.hpp"
#include "calls/message.hpp"
#include "calls/poll_time.hpp"

namespace kumiko::cluster::detail {

/// Sends messages: threads put them into the outboxes of their ranks, and the poller passes the
/// outboxes' frames to the link.
///
/// *Invariant.* If an outbox has a message, unsent_ is true, or the poller is in flush(), or the
/// thread that adds it is about to set unsent_. It holds because a thread sets unsent_ after it has
/// filled the outbox, and flush() clears unsent_ before it takes from the outboxes. sending_ is
/// true from before flush() clears unsent_ until the link has the frames, so that is_sending()
/// misses none. The outboxes' own locks protect their contents; the flags are atomic.
///
/// Threads that call or answer use the first part, the poller also the second one.
class Sender {
 public:
  explicit Sender(Endpoint& endpoint) noexcept : endpoint_(endpoint) {}

  // For any thread. None suspends.

  /// A message with this payload. Tokens go with the message once all of it is written, so that
  /// they stay where they are if that fails.
  static Frame packed(int rank, Packer pack);

  /// Adds a message to an outbox. Returns true if frames are full.
  bool add(int rank, Frame message, const MessageHeader& header);

  /// Adds a message to an outbox, and makes a worker poll soon.
  void send(int rank, Frame message, const MessageHeader& header) {
    add(rank, std::move(message), header);
    wake_poller();
  }

  /// Sends a message that announces a body, and the body. The body fails if the rank is lost.
  void send_with_body(int rank, Frame message, const MessageHeader& header, Body body);

  /// Makes a worker poll soon. Returns true if it is the caller's own worker.
  bool wake_poller() noexcept;

  /// Returns a credit: with other messages, when the worker has nothing else to do, or when half of
  /// all credits is owed.
  void return_credit(int rank, unsigned depth) {
    if (owe_credit(rank, depth) >= enough_credits()) wake_poller();
  }

  /// As return_credit(), but does not wake a worker. Returns the number of credits that are owed.
  std::size_t owe_credit(int rank, unsigned depth);

  /// Ends the bodies to a rank that is lost.
  void fail_bodies(int rank, const std::exception_ptr& exception);

  bool has_unsent() const noexcept { return unsent_.load(std::memory_order_relaxed); }
  bool owes_credits() const noexcept { return owes_.load(std::memory_order_relaxed); }

  /// True if messages are in an outbox, or if the link had frames in transit at the latest poll.
  bool is_sending() const noexcept;

  // The poller's.

  /// Sends the frames that are full or older than ClusterOptions::bundle_time; all frames if the
  /// worker has nothing else to do (`idle`). Returns true if it has sent something.
  bool flush(bool idle, PollTime& now);

  /// Sends all frames to a rank now.
  void flush_to(int rank) {
    send_frames(rank, endpoint_.peer(rank).outbox.take_all(endpoint_.program).frames);
  }

  /// Introduces this process to a rank.
  void send_present(int rank);

  /// The link has sent a body.
  void body_sent(int rank, std::uint64_t number) {
    detail::finish(endpoint_.peer(rank).bodies.take(number));
  }

  /// Notes for is_sending() whether the link has frames in transit.
  void note_transfers() {
    transferring_.store(endpoint_.link->is_transferring(), std::memory_order_relaxed);
  }

 private:
  void note_unsent() noexcept;
  void send_credits(bool idle);
  void send_frames(int rank, std::vector<Frame> frames);
  void send_bodies(int rank);
  void send_frame(int rank, Frame frame);

  /// This many credits are sent without waiting for a worker that has nothing to do.
  std::size_t enough_credits() const noexcept {
    return (static_cast<std::size_t>(endpoint_.options.window) + 1) / 2;
  }

  Endpoint& endpoint_;
  std::atomic<bool> unsent_{false};
  std::atomic<bool> sending_{false};
  std::atomic<bool> owes_{false};  ///< credits, to any rank
  std::atomic<bool> transferring_{false};
};

}  // namespace kumiko::cluster::detail
