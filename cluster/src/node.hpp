// One rank of a cluster: what it has sent and not had answered, and what it does for others.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/message_source.hpp>

#include "bell.hpp"
#include "credits.hpp"
#include "message.hpp"
#include "outbox.hpp"
#include "pending_calls.hpp"

namespace kumiko::cluster::detail {

/// A rank. The Cluster, the Runtime that polls it and the functions that run for others share it.
class Node final : public runtime::MessageSource,
                   public Receiver,
                   public std::enable_shared_from_this<Node> {
 public:
  /// A cluster of one rank, which nobody polls.
  Node(runtime::Runtime& runtime, const ClusterOptions& options);

  Node(runtime::Runtime& runtime, std::unique_ptr<Link> link, const ClusterOptions& options);

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  runtime::Runtime& runtime() const noexcept { return runtime_; }

  /// \throws std::out_of_range if there is no such rank
  void check(int rank) const;
  bool is_lost(int rank) const { return peers_[static_cast<std::size_t>(rank)]->is_lost; }

  // Calls. Each takes a message that empty_message() has begun.

  Answer call(int rank, Kind kind, const Function& function, Frame message, unsigned depth,
              const Limits& limits);
  void call_later(int rank, const Function& function, Frame message, unsigned depth,
                  const Limits& limits, std::unique_ptr<Pending> pending);
  void post(int rank, const Function& function, Frame message, unsigned depth,
            const Limits& limits);
  void count_own_post() noexcept { posts_sent_.fetch_add(1, std::memory_order_relaxed); }
  void count_end_of_post() noexcept { posts_done_.fetch_add(1, std::memory_order_release); }
  void quiesce(const Limits& limits);

  void leave();
  void abandon(std::string_view reason) noexcept;
  ClusterStatistics statistics() const;

  // What the Runtime asks.

  int poll(bool idle) noexcept override;
  bool has_unsent() const noexcept override {
    return unsent_.load(std::memory_order_relaxed) && is_open();
  }
  int pollable() const noexcept override { return bell_.descriptor(); }
  bool is_open() const noexcept override { return open_.load(std::memory_order_relaxed); }

  // What the link tells.

  void receive(int source, Frame frame) noexcept override;
  void lost(int rank, const std::string& reason) noexcept override;

 private:
  using Clock = std::chrono::steady_clock;

  struct Peer {
    explicit Peer(int window) noexcept : credits(window) {}

    Credits credits;
    Outbox outbox;
    std::atomic<bool> is_lost{false};
    std::atomic<bool> has_left{false};
  };

  /// A function that runs here for another rank, in a list of those that do.
  struct Guest {
    int caller;
    unsigned depth;
    bool credit_returned;
    Guest* previous = nullptr;
    Guest* next = nullptr;
  };

  struct Arrived {
    int source;
    std::shared_ptr<const Frame> frame;
    MessageHeader header;
    std::span<const std::byte> payload;
  };

  struct Reply {
    Frame message;
    MessageHeader header;
  };

  Peer& peer(int rank) noexcept { return *peers_[static_cast<std::size_t>(rank)]; }
  void add_to_outbox(int rank, Frame message, const MessageHeader& header);
  void send(int rank, Frame message, const MessageHeader& header);
  void wake_poller() noexcept;
  Ticket begin_call(int rank, unsigned depth, const Limits& limits, Pending& pending);

  void dispatch(Arrived message);
  void start_guest(Arrived message);
  void run_guest(const Arrived& message);
  Reply reply_to(const Arrived& message);
  void answer_inline(const Arrived& message);
  void admit(Guest& guest) noexcept;
  bool dismiss(Guest& guest) noexcept;
  void return_credit(int rank, unsigned depth);
  void finish(const Arrived& message);
  void send_count(const Arrived& message);
  void note_leaving(const Arrived& message);
  std::uint64_t sum_of_posts(std::uint64_t which, const Limits& limits);

  void flush(bool idle);
  void send_credits(int rank, bool idle);
  void relieve(bool idle, bool moved);
  void fail(int rank, const std::exception_ptr& exception);
  void send_leaving(std::string_view reason);
  void look_whether_all_left();
  void close() noexcept;

  runtime::Runtime& runtime_;
  const std::unique_ptr<Link> link_;
  const ClusterOptions options_;
  const std::uint64_t program_;
  const int rank_;
  const int size_;
  std::vector<std::unique_ptr<Peer>> peers_;
  PendingCalls pending_;
  Bell bell_;
  std::atomic<bool> open_{true};
  std::atomic<bool> unsent_{false};

  std::atomic<std::uint64_t> posts_sent_{0};
  std::atomic<std::uint64_t> posts_done_{0};

  runtime::detail::SpinLock guests_guard_;
  Guest* guests_ = nullptr;  ///< guarded by guests_guard_
  std::atomic<int> guest_count_{0};

  // The poller's.
  Clock::time_point latest_move_ = Clock::now();
  std::atomic<bool> leaving_{false};
  bool told_all_left_ = false;
  runtime::Entry<bool> all_left_;
  runtime::Token<bool> all_left_token_ = all_left_.token();

  std::atomic<std::uint64_t> messages_sent_{0};
  std::atomic<std::uint64_t> messages_received_{0};
  std::atomic<std::uint64_t> frames_sent_{0};
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::uint64_t> credit_waits_{0};
  std::atomic<std::uint64_t> credits_early_{0};
  std::atomic<std::int64_t> polling_{0};
};

}  // namespace kumiko::cluster::detail
