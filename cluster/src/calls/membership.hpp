// Losses of ranks, and the end of this rank's membership in the cluster.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>

#include <kumiko/cluster/errors.hpp>
#include <kumiko/runtime/entry.hpp>

#include "calls/collections.hpp"
#include "calls/endpoint.hpp"
#include "calls/incoming_writes.hpp"
#include "calls/message.hpp"
#include "calls/outgoing_calls.hpp"
#include "calls/pending_calls.hpp"
#include "calls/sender.hpp"
#include "calls/twins.hpp"

namespace kumiko::cluster::detail {

/// Decides which ranks are lost or have left, ends by an exception what waits for a lost one, and
/// leaves the cluster: in order with all ranks, or immediately with a reason.
///
/// *Invariant.* Nothing waits for a lost rank for ever, because the thread that sets Peer::is_lost
/// (one only, by exchange) then fails the credits, calls, bodies and collective operations at that
/// rank, and each of these refuses later ones. The first loss is kept, since later ones may follow
/// from it; its lock protects it. The link ends once: the poller closes it after all ranks have
/// left, or the destructor of the Node ends it after the last poll.
///
/// The thread that ends the Cluster calls leave() or abandon(); only the first call has an effect.
/// The poller calls the functions of the second part.
class Membership {
 public:
  Membership(Endpoint& endpoint, Sender& sender, PendingCalls& pending, OutgoingCalls& calls,
             Collections& collections, IncomingWrites& writes, Twins& twins);

  /// See Cluster. Suspends, or blocks an OS thread.
  void leave();
  void abandon(std::string_view reason);

  /// True once leave() has been called.
  bool is_ending() const noexcept { return ending_.load(std::memory_order_relaxed); }
  /// True once this rank waits for the others to leave.
  bool is_leaving() const noexcept { return leaving_.load(std::memory_order_relaxed); }

  /// Closes or abandons the link after the last poll, unless end_if_all_left() has closed it.
  void end_link();

  // The poller's.

  /// A rank is lost.
  void lost(int rank, const std::string& reason);

  /// True if leave() waits for this rank.
  bool awaits(int rank) const noexcept {
    return is_leaving() && !has_ended_ &&
           !endpoint_.peer(rank).has_left.load(std::memory_order_relaxed);
  }

  /// Ends leave() if all other ranks have left or are lost.
  void end_if_all_left();

  // Messages, by their kind.

  void take_leaving(const IncomingMessage& message);
  void take_given_up(const IncomingMessage& message);

 private:
  /// The loss of a rank; of this one, if the others treat it as lost.
  struct Loss {
    std::int32_t rank = -1;  ///< below 0: none
    std::string reason;
    bool while_leaving = false;  ///< no call of this rank can have ended by it

    bool is_of_other_than(int own) const { return rank >= 0 && rank != own; }
    RankLost error() const { return {rank, reason}; }
  };

  void note_loss(int rank, const std::string& reason);
  Loss first_loss() const;
  std::string reason_to_abandon() const;
  void lose_those_that_stay();
  void fail(int rank, const std::exception_ptr& exception);
  void send_leaving(std::string_view reason);
  void announce_end(std::string_view reason);
  bool are_all_there() const;
  void close();

  Endpoint& endpoint_;
  Sender& sender_;
  PendingCalls& pending_;
  OutgoingCalls& calls_;
  Collections& collections_;
  IncomingWrites& writes_;
  Twins& twins_;

  std::atomic<bool> ending_{false};
  std::atomic<bool> leaving_{false};
  std::atomic<bool> out_of_patience_{false};
  runtime::Entry<bool> all_left_;
  runtime::Token<bool> all_left_token_ = all_left_.token();
  std::string why_abandoned_;  ///< written before the last poll, read after it

  // The poller's.
  bool is_closing_ = false;  ///< the link
  bool has_ended_ = false;   ///< all_left_ has been sent

  mutable std::mutex first_loss_mutex_;  ///< a thread that holds it does not suspend
  Loss first_loss_;                      ///< guarded by the mutex
};

}  // namespace kumiko::cluster::detail
