// Brings answers to the calls and entries of this rank that wait for them.
#pragma once

#include <cstdint>
#include <string_view>

#include <kumiko/cluster/detail/answer.hpp>

#include "calls/endpoint.hpp"
#include "calls/message.hpp"
#include "calls/pending_calls.hpp"
#include "calls/sender.hpp"

namespace kumiko::cluster::detail {

/// Brings answers to what waits for them: the results of calls, and the values that tokens assign
/// to entries of this rank. It also sends the values that tokens on this rank assign elsewhere, and
/// follows the tokens, so that an entry fails if the rank that has its token is lost.
///
/// *Invariant.* Each call or entry is answered once, because the thread that takes it out of the
/// PendingCalls answers it, and these give it to one thread only, under their lock. The class has
/// no other state.
///
/// Any thread assigns, adds and takes; the poller calls the last three functions.
class Answers {
 public:
  Answers(Endpoint& endpoint, Sender& sender, PendingCalls& pending) noexcept
      : endpoint_(endpoint), sender_(sender), pending_(pending) {}

  /// \throws RankLost if this rank has left
  Ticket add_entry(Pending& entry) { return pending_.add(entry, endpoint_.rank); }
  /// Returns false if a thread assigns the entry now.
  bool take_entry(Ticket ticket) { return pending_.take(ticket) != nullptr; }

  /// Assigns to an entry of rank `home` the value that `pack` writes.
  void assign(int home, Ticket ticket, Packer pack);
  /// Assigns an exception to an entry of rank `home`.
  void assign_failure(int home, Ticket ticket, std::string_view type, std::string_view what);

  /// The right to assign an entry of rank `home` goes to rank `to`, as its move number `moves`.
  void note_move(int home, Ticket ticket, int to, std::uint32_t moves);
  /// That right has come to this rank.
  void note_arrival(int home, Ticket ticket, std::uint32_t moves);

  // Messages, by their kind.

  void take_reply(const IncomingMessage& message);
  void take_move(const IncomingMessage& message);
  void take_arrival(const IncomingMessage& message);

 private:
  void send(Kind kind, int home, Ticket ticket, Frame message);
  void finish(Ticket ticket, Answer answer);
  void fail(const PendingCalls::Failed& failed);
  void drop_tokens(const IncomingMessage& message);

  Endpoint& endpoint_;
  Sender& sender_;
  PendingCalls& pending_;
};

}  // namespace kumiko::cluster::detail
