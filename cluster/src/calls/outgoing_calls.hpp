// Calls and posts of this rank at other ranks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <kumiko/cluster/detail/answer.hpp>
#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/cluster/here.hpp>

#include "calls/bodies.hpp"
#include "calls/endpoint.hpp"
#include "calls/kinds.hpp"
#include "calls/message.hpp"
#include "calls/pending_calls.hpp"
#include "calls/sender.hpp"

namespace kumiko::cluster::detail {

/// A call at another rank.
struct Request {
  int rank;
  Kind kind;
  unsigned depth;
  const Function& function;
  const Limits& limits;
  Body* body = nullptr;  ///< of a write, which takes it
};

/// Calls functions at other ranks: takes a credit, registers the call, packs and sends it, and
/// waits for the answer if the caller does. It also counts posts, so that quiesce() can wait for
/// them.
///
/// *Invariant.* Each call or post holds one credit of its depth from take_credit() until its answer
/// comes or sending it fails. Arguments are packed once there is a credit, because a token would be
/// lost with a message that is not sent. A post is counted as sent before it can be counted as
/// done, so that posts_done_ of all ranks never exceeds the posts sent. The two counters are the
/// only state of the class; they are atomic.
///
/// Threads call; they may suspend for a credit. The poller calls send_count() and count_ends().
class OutgoingCalls {
 public:
  OutgoingCalls(Endpoint& endpoint, Sender& sender, PendingCalls& pending) noexcept
      : endpoint_(endpoint), sender_(sender), pending_(pending) {}

  Answer call(const Request& request, Packer pack);
  void call_later(const Request& request, Packer pack, std::unique_ptr<Pending> pending);
  void post(const Request& request, Packer pack);
  void post_item(const Request& request, std::span<const std::byte> item);
  void quiesce(const Limits& limits);

  void count_own_post() noexcept { posts_sent_.fetch_add(1, std::memory_order_relaxed); }
  /// Counts posts that have ended on this rank.
  void count_ends(std::uint64_t posts) noexcept {
    // release: pairs with the acquire in posts_done().
    posts_done_.fetch_add(posts, std::memory_order_release);
  }

  /// Answers a message of kind kCount.
  void send_count(const IncomingMessage& message);

 private:
  void take_credit(const Request& request);
  void give_back_credit(const Request& request);
  bool send_request(const Request& request, Ticket ticket, Packer pack);
  std::uint64_t posts(std::uint64_t which);
  std::uint64_t sum_of_posts(std::uint64_t which, const Limits& limits);

  Endpoint& endpoint_;
  Sender& sender_;
  PendingCalls& pending_;
  std::atomic<std::uint64_t> posts_sent_{0};
  std::atomic<std::uint64_t> posts_done_{0};
};

}  // namespace kumiko::cluster::detail
