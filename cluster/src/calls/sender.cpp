#include "calls/sender.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include <kumiko/cluster/errors.hpp>

namespace kumiko::cluster::detail {

// --- For any thread ------------------------------------------------------------------------------

Frame Sender::packed(int rank, Packer pack) {
  Frame message = empty_message();
  Writer writer(message, rank);
  pack(writer);
  send_tokens(writer, false);
  return message;
}

bool Sender::add(int rank, Frame message, const MessageHeader& header) {
  const bool are_full = endpoint_.peer(rank).outbox.add(
      std::move(message), header, endpoint_.options.bundle_bytes, endpoint_.program);
  if (rules_of(header.kind).from == From::kThreads) {
    endpoint_.counters.messages_sent.fetch_add(1, std::memory_order_relaxed);
  }
  note_unsent();
  return are_full;
}

void Sender::note_unsent() noexcept {
  // release: pairs with the acquire in flush(), which then finds the message.
  unsent_.store(true, std::memory_order_release);
}

void Sender::send_with_body(int rank, Frame message, const MessageHeader& header, Body body) {
  set_header(message, header);
  Peer& to = endpoint_.peer(rank);
  to.outbox.add(std::move(message), std::move(body));
  endpoint_.counters.messages_sent.fetch_add(1, std::memory_order_relaxed);
  note_unsent();
  wake_poller();
  // A thread that has closed the rank since has not found the body, and nothing flushes any more.
  if (to.is_lost) {
    fail_bodies(rank, std::make_exception_ptr(RankLost(rank, "it was lost before the write")));
  }
}

bool Sender::wake_poller() noexcept {
  const bool is_own = endpoint_.runtime.poll_soon();
  if (!is_own) endpoint_.bell.ring();
  return is_own;
}

std::size_t Sender::owe_credit(int rank, unsigned depth) {
  const std::size_t owed = endpoint_.peer(rank).outbox.owe_credit(depth);
  owes_.store(true, std::memory_order_release);
  return owed;
}

void Sender::fail_bodies(int rank, const std::exception_ptr& exception) {
  for (auto& [message, body] : endpoint_.peer(rank).outbox.take_bodies()) {
    detail::finish(std::move(body.sent), exception);
  }
  for (std::unique_ptr<Pending>& sent : endpoint_.peer(rank).bodies.take_all()) {
    detail::finish(std::move(sent), exception);
  }
}

bool Sender::is_sending() const noexcept {
  // acquire: pairs with the release in flush(), whose sending_ is seen then.
  return unsent_.load(std::memory_order_acquire) || sending_.load(std::memory_order_acquire) ||
         transferring_.load(std::memory_order_relaxed);
}

// --- The poller's --------------------------------------------------------------------------------

bool Sender::flush(bool idle, PollTime& now) {
  // relaxed: credits that are missed here go with the next poll.
  if (owes_credits()) send_credits(idle);
  if (!has_unsent()) return false;
  // Before unsent_ is cleared: see is_sending().
  sending_.store(true, std::memory_order_relaxed);
  // acquire: pairs with the release in note_unsent(). Cleared before the outboxes are read: a
  // message that is added later sets it again. release: pairs with the acquire in is_sending().
  unsent_.exchange(false, std::memory_order_acq_rel);
  bool is_left = false;
  bool has_sent = false;
  for (int rank = 0; rank < endpoint_.size; ++rank) {
    Outbox& outbox = endpoint_.peer(rank).outbox;
    Outbox::Due due =
        idle ? outbox.take_all(endpoint_.program)
             : outbox.take_old(now(), endpoint_.options.bundle_time, endpoint_.program);
    has_sent = has_sent || !due.frames.empty() || due.has_bodies;
    is_left = is_left || due.has_bundle;
    if (!due.frames.empty()) send_frames(rank, std::move(due.frames));
    if (due.has_bodies) send_bodies(rank);
  }
  if (is_left) unsent_.store(true, std::memory_order_relaxed);
  sending_.store(false, std::memory_order_release);
  return has_sent;
}

void Sender::send_credits(bool idle) {
  // acquire: pairs with the release in owe_credit().
  owes_.exchange(false, std::memory_order_acquire);
  bool is_left = false;
  for (int rank = 0; rank < endpoint_.size; ++rank) {
    Outbox& outbox = endpoint_.peer(rank).outbox;
    const std::size_t owed_in_all = outbox.owed();
    if (owed_in_all == 0) continue;
    if (!idle && owed_in_all < enough_credits()) {
      is_left = true;
      continue;
    }
    const std::vector<std::size_t> owed = outbox.take_owed();
    for (std::size_t depth = 0; depth < owed.size(); ++depth) {
      if (owed[depth] == 0) continue;
      add(rank, empty_message(),
          {.kind = Kind::kCredit,
           .depth = static_cast<std::uint16_t>(depth),
           .amount = owed[depth]});
    }
  }
  if (is_left) owes_.store(true, std::memory_order_relaxed);
}

/// Sends frames to a rank; drops them if the rank is lost.
void Sender::send_frames(int rank, std::vector<Frame> frames) {
  if (endpoint_.peer(rank).is_lost.load(std::memory_order_relaxed)) return;
  for (Frame& frame : frames) {
    endpoint_.counters.bytes_sent.fetch_add(frame.size(), std::memory_order_relaxed);
    send_frame(rank, std::move(frame));
  }
}

/// Announces each body to the receiver before it sends it, so that the receiver knows the place of
/// the bytes when they arrive.
void Sender::send_bodies(int rank) {
  Peer& to = endpoint_.peer(rank);
  std::vector<Outbox::Announced> announced = to.outbox.take_bodies();
  for (auto& [message, body] : announced) {
    const std::uint64_t number = to.bodies.add(std::move(body.sent));
    if (to.is_lost) continue;
    MessageHeader header;
    std::memcpy(&header, message.data() + sizeof(FrameHeader), sizeof header);
    header.amount = number;
    set_header(message, header);
    endpoint_.counters.bytes_sent.fetch_add(message.size() + body.bytes.size(),
                                            std::memory_order_relaxed);
    send_frame(rank, sealed(std::move(message), 1, endpoint_.program));
    endpoint_.link->send_body(rank, number, body.bytes);
  }
  // A thread that has lost the rank meanwhile may not have found these bodies.
  if (to.is_lost) {
    fail_bodies(rank, std::make_exception_ptr(RankLost(rank, "it was lost before it was written")));
  }
}

/// Sends a frame. An introduction of this process follows the first one to a rank, so that the rank
/// notices when the process ends.
void Sender::send_frame(int rank, Frame frame) {
  endpoint_.counters.frames_sent.fetch_add(1, std::memory_order_relaxed);
  endpoint_.link->send(rank, std::move(frame));
  if (std::exchange(endpoint_.peer(rank).is_introduced_to, true) || rank == endpoint_.rank) return;
  send_present(rank);
}

void Sender::send_present(int rank) {
  add(rank, message_of(endpoint_.process), {.kind = Kind::kPresent});
}

}  // namespace kumiko::cluster::detail
