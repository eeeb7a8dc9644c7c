// Polls the link of this rank.
#pragma once

#include <cstdint>
#include <string>

#include <kumiko/cluster/link.hpp>
#include <kumiko/runtime/message_source.hpp>

#include "calls/answers.hpp"
#include "calls/call_server.hpp"
#include "calls/collections.hpp"
#include "calls/endpoint.hpp"
#include "calls/membership.hpp"
#include "calls/message.hpp"
#include "calls/outgoing_calls.hpp"
#include "calls/poll_time.hpp"
#include "calls/sender.hpp"
#include "calls/watcher.hpp"

namespace kumiko::cluster::detail {

/// Polls: receives frames from the link, passes each message to the part of the Node that handles
/// its kind, and sends what these parts leave in the outboxes.
///
/// *Invariant.* Its own members, and whatever other classes call "the poller's", need no lock,
/// because the Runtime lets one OS thread poll at a time and orders one poll before the next
/// (runtime::MessageSource). pollable(), is_open() and has_unsent() may be called by any OS thread
/// at any time; they read atomics and constants only.
///
/// The Runtime calls the MessageSource's functions; the link calls the Receiver's, during a poll.
class Poller final : public runtime::MessageSource, public Receiver {
 public:
  Poller(Endpoint& endpoint, Sender& sender, Answers& answers, OutgoingCalls& calls,
         Collections& collections, Membership& membership, CallServer& server,
         Watcher& watcher) noexcept;

  int poll(bool idle) noexcept override;
  bool has_news() noexcept override;
  bool has_unsent() const noexcept override { return sender_.has_unsent() && is_open(); }
  int pollable() const noexcept override { return endpoint_.bell.descriptor(); }
  bool is_open() const noexcept override {
    return endpoint_.is_open.load(std::memory_order_relaxed);
  }

  void receive(int source, Frame frame) override;
  void lost(int rank, const std::string& reason) override { membership_.lost(rank, reason); }
  void body_sent(int rank, std::uint64_t number) override { sender_.body_sent(rank, number); }
  void body_taken(int source, std::uint64_t number) override { server_.end_write(source, number); }

 private:
  using Clock = PollTime::Clock;

  int poll_once(bool idle);
  int poll_rounds(bool idle, PollTime& now, bool& has_sent);
  void drain();
  void poll_again(Clock::time_point now) noexcept;
  std::string take_messages(std::uint32_t count, CallsOfFrame& calls);
  void dispatch(const IncomingMessage& message);

  Endpoint& endpoint_;
  Sender& sender_;
  Answers& answers_;
  OutgoingCalls& calls_;
  Collections& collections_;
  Membership& membership_;
  CallServer& server_;
  Watcher& watcher_;

  bool gave_up_bodies_ = false;  ///< once this rank has left
  bool has_moved_ = false;       ///< a frame has come or gone since latest_frame_
  Clock::time_point latest_frame_ = Clock::now();
  Clock::time_point polls_at_;  ///< a worker that sleeps
};

}  // namespace kumiko::cluster::detail
