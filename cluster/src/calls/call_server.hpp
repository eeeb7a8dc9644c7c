// Runs the functions that other ranks call on this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <kumiko/cluster/link.hpp>

#include "calls/endpoint.hpp"
#include "calls/incoming_calls.hpp"
#include "calls/incoming_writes.hpp"
#include "calls/message.hpp"
#include "calls/outgoing_calls.hpp"
#include "calls/poll_time.hpp"
#include "calls/sender.hpp"

namespace kumiko::cluster::detail {

/// The messages of a frame that ask for threads.
struct CallsOfFrame {
  int source;
  std::shared_ptr<const Frame> frame;
  std::size_t first = 0;  ///< the place of the first one in the frame
  std::uint32_t count = 0;
};

/// Serves the calls of other ranks: runs their functions, each in a thread or in the poller as its
/// kind says, and sends the answers and the credits.
///
/// *Invariant.* Each call that takes a credit returns it once: with its answer, early by relieve(),
/// or at its begin if it is of the greatest depth. IncomingCalls decides which, under its lock. A
/// thread that runs a call keeps the Node alive. Only the poller uses the writes.
///
/// Only the poller calls the functions; the threads that it starts run private ones.
class CallServer {
 public:
  CallServer(Endpoint& endpoint, Sender& sender, OutgoingCalls& posts,
             IncomingWrites& writes) noexcept
      : endpoint_(endpoint), sender_(sender), posts_(posts), writes_(writes) {}

  /// Starts threads for these calls.
  void start(CallsOfFrame calls);
  void answer_inline(const IncomingMessage& message);
  void run_inline_posts(const IncomingMessage& message);

  /// A write has been announced; its body is received into the region.
  void begin_write(const IncomingMessage& message);
  bool has_writes() const noexcept { return !writes_.empty(); }
  /// The body of a write has come, or nothing more will come.
  void end_write(int source, std::uint64_t number);

  /// Returns credits early if the calls make no progress: see IncomingCalls.
  void relieve(bool idle, PollTime& now);
  /// The time by which relieve() must be called again; time_point::max() if there is none.
  PollTime::Clock::time_point looks_at() const noexcept { return calls_.looks_at(); }
  /// Makes a sleeping worker poll at that time.
  void ring_at_look() noexcept {
    if (looks_at() != PollTime::Clock::time_point::max()) endpoint_.bell.ring_at(looks_at());
  }

 private:
  struct Reply {
    Frame message;
    MessageHeader header;
  };

  std::shared_ptr<CallServer> kept();
  void run_all(const CallsOfFrame& calls);
  void run(const IncomingMessage& message);
  Reply reply_to(const IncomingMessage& message);
  template <class Run>
  static Reply answer(MessageHeader header, Run run);

  Endpoint& endpoint_;
  Sender& sender_;
  OutgoingCalls& posts_;
  IncomingWrites& writes_;
  IncomingCalls calls_;
};

}  // namespace kumiko::cluster::detail
