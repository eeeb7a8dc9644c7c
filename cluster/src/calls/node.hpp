// One rank of a cluster: what it has sent and not had answered, and what it does for others.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/cluster/cluster.hpp>
#include <kumiko/cluster/errors.hpp>
#include <kumiko/runtime/bell.hpp>
#include <kumiko/runtime/message_source.hpp>

#include "calls/bodies.hpp"
#include "calls/collections.hpp"
#include "calls/credits.hpp"
#include "calls/incoming_calls.hpp"
#include "calls/message.hpp"
#include "calls/outbox.hpp"
#include "calls/pending_calls.hpp"
#include "calls/regions.hpp"
#include "watch/deadlock.hpp"
#include "watch/process.hpp"
#include "watch/silence.hpp"

namespace kumiko::cluster::detail {

/// A rank. The Cluster, the Runtime that polls it and the functions that run for others share it.
class Node final : public runtime::MessageSource,
                   public Receiver,
                   public std::enable_shared_from_this<Node> {
 public:
  /// A cluster of one rank, which nobody polls.
  Node(runtime::Runtime& runtime, const ClusterOptions& options);

  Node(runtime::Runtime& runtime, std::unique_ptr<Link> link, const ClusterOptions& options);

  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  /// Nobody polls any more.
  ~Node() override;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  runtime::Runtime& runtime() const noexcept { return runtime_; }

  /// \throws std::out_of_range if there is no such rank
  void check(int rank) const;
  bool is_lost(int rank) const { return peers_[static_cast<std::size_t>(rank)]->is_lost; }
  bool is_leaving(int rank) const { return peers_[static_cast<std::size_t>(rank)]->has_left; }

  /// What another rank is asked for.
  struct Request {
    int rank;
    Kind kind;
    unsigned depth;
    const Function& function;
    const Limits& limits;
    Body* body = nullptr;  ///< of a write, which takes it
  };

  // Calls. The arguments are packed once there is a credit, since a token is lost with a message.

  Answer call(const Request& request, Packer pack);
  void call_later(const Request& request, Packer pack, std::unique_ptr<Pending> pending);
  void post(const Request& request, Packer pack);
  void post_item(const Request& request, std::span<const std::byte> item);
  void count_own_post() noexcept { posts_sent_.fetch_add(1, std::memory_order_relaxed); }
  void count_end_of_post() noexcept { posts_done_.fetch_add(1, std::memory_order_release); }
  void quiesce(const Limits& limits);

  void leave();
  void abandon(std::string_view reason);
  ClusterStatistics statistics() const;

  // Entries that other ranks assign: calls without a question.

  /// \throws RankLost if this rank has left
  Ticket add_entry(Pending& entry) { return pending_.add(entry, rank_); }
  bool take_entry(Ticket ticket) { return pending_.take(ticket) != nullptr; }

  /// Assigns an entry of rank `home` what `pack` writes, or a failure. For any thread.
  void assign(int home, Ticket ticket, Packer pack);
  void assign_failure(int home, Ticket ticket, std::string_view type, std::string_view what);

  /// The right to assign an entry of rank `home` goes to rank `to`, as its move number `moves`.
  void note_move(int home, Ticket ticket, int to, std::uint32_t moves);
  /// It has come to this rank.
  void note_arrival(int home, Ticket ticket, std::uint32_t moves);

  Regions& regions() noexcept { return regions_; }

  /// Nobody uses the region when this returns. Suspends, or blocks an OS thread. Ends the program
  /// if that cannot be, since what a lost rank was writing there has not ended.
  void withdraw(Ticket region);

  /// One part of every rank, brought together on the root for a gather, on all ranks for other
  /// operations. All ranks are to ask for the same ones in the same order. `pending` gets the parts
  /// by rank, or nothing where they do not go.
  void collect(Collection what, Packer pack, std::unique_ptr<Pending> pending);

  // What the Runtime asks.

  int poll(bool idle) noexcept override;
  bool has_news() noexcept override;
  bool has_unsent() const noexcept override {
    return unsent_.load(std::memory_order_relaxed) && is_open();
  }
  int pollable() const noexcept override { return bell_.descriptor(); }
  bool is_open() const noexcept override { return open_.load(std::memory_order_relaxed); }

  // What the link tells.

  void receive(int source, Frame frame) override;
  void lost(int rank, const std::string& reason) override;
  void body_sent(int rank, std::uint64_t number) override;
  void body_taken(int source, std::uint64_t number) override;

 private:
  using Clock = std::chrono::steady_clock;

  /// From one look at the time for silent ranks to the next, unless a worker is about to sleep.
  static constexpr int kPollsPerLook = 256;

  /// When a poll is, read from the clock once at most.
  class PollTime {
   public:
    Clock::time_point operator()() {
      if (!time_) time_ = Clock::now();
      return *time_;
    }

   private:
    std::optional<Clock::time_point> time_;
  };

  struct Peer {
    explicit Peer(int window) noexcept : credits(window) {}

    Credits credits;
    Outbox outbox;
    BodiesUnderWay bodies;
    std::atomic<bool> is_lost{false};
    std::atomic<bool> has_left{false};
    bool is_introduced_to = false;  ///< the poller's
  };

  struct Arrived {
    int source;
    std::shared_ptr<const Frame> frame;
    MessageHeader header;
    std::span<const std::byte> payload;
  };

  /// The messages of a frame that ask for threads.
  struct CallsOfFrame {
    int source;
    std::shared_ptr<const Frame> frame;
    std::size_t first = 0;  ///< where it begins
    std::uint32_t count = 0;
  };

  struct Reply {
    Frame message;
    MessageHeader header;
  };

  Peer& peer(int rank) noexcept { return *peers_[static_cast<std::size_t>(rank)]; }
  bool add_to_outbox(int rank, Frame message, const MessageHeader& header);
  void send(int rank, Frame message, const MessageHeader& header);
  bool wake_poller() noexcept;
  void take_credit(const Request& request);
  Frame packed(int rank, Packer pack);
  static MessageHeader header_of(const Request& request, Ticket ticket);
  bool send_request(const Request& request, Ticket ticket, Packer pack);
  void take_part(int source, const MessageHeader& header, std::span<const std::byte> part);
  void finish_collection(const Arrived& message);
  void fail_collections(std::uint64_t first, const std::exception_ptr& exception);

  std::string take_messages(std::uint32_t count, CallsOfFrame& calls);
  void dispatch(const Arrived& message);
  void start_calls(CallsOfFrame calls);
  void run_calls(const CallsOfFrame& calls);
  void run_call(const Arrived& message);
  Reply reply_to(const Arrived& message);
  template <class Run>
  Reply answer(MessageHeader header, Run run);
  void answer_inline(const Arrived& message);
  void run_inline_posts(const Arrived& message);
  void return_credit(int rank, unsigned depth);
  void finish(const Arrived& message);
  void begin_landing(const Arrived& message);
  void send_bodies(int rank);
  void fail_bodies(int rank, const std::exception_ptr& exception);
  void fail_entry(const PendingCalls::Failed& failed);
  void drop_tokens(const Arrived& message);
  void send_count(const Arrived& message);
  void note_leaving(const Arrived& message);
  std::uint64_t posts_sent();
  std::uint64_t sum_of_posts(std::uint64_t which, const Limits& limits);

  // Silence.

  void introduce_to(int rank);
  void send_present(int rank);
  void look_for_silence_at_times(PollTime& now);
  void look_for_silence(Clock::time_point now);
  std::vector<bool> awaited_ranks();
  void give_up(int rank, const std::string& reason, bool has_ended);
  void note_given_up(const Arrived& message);
  void note_present(const Arrived& message);
  std::uint64_t stirs();

  // Deadlock.

  void look_for_deadlock(Clock::time_point now);
  std::optional<MessageCounts> counts_if_passive() const;
  void take_passive(const Arrived& message);
  void report_deadlock();
  std::string what_is_awaited();

  bool flush(bool idle, PollTime& now);
  void send_frames(int rank, std::vector<Frame> frames);
  void poll_again(Clock::time_point now) noexcept;
  void send_credits(bool idle);
  std::size_t owe_credit(int rank, unsigned depth);
  /// So many are sent without waiting for a worker that has nothing to do.
  std::size_t enough_credits() const noexcept {
    return (static_cast<std::size_t>(options_.window) + 1) / 2;
  }
  void relieve(bool idle, PollTime& now);
  void fail(int rank, const std::exception_ptr& exception);
  void send_leaving(std::string_view reason);
  void send_last_words(std::string_view reason);
  void look_whether_all_left();
  bool are_all_there() const;
  void close();
  int poll_once(bool idle);

  runtime::Runtime& runtime_;
  std::vector<Landing> landings_;  ///< the poller's; the link may receive into them
  const std::unique_ptr<Link> link_;
  const ClusterOptions options_;
  const std::uint64_t program_;
  const int rank_;
  const int size_;
  std::vector<std::unique_ptr<Peer>> peers_;
  PendingCalls pending_;
  Regions regions_;
  Collections collections_;
  Process process_;         ///< this one
  Silence silence_;         ///< the poller's
  DeadlockWatch deadlock_;  ///< the poller's
  runtime::Bell bell_;
  std::atomic<bool> open_{true};
  std::atomic<bool> unsent_{false};
  std::atomic<bool> sending_{false};       ///< what was unsent
  std::atomic<bool> owes_{false};          ///< credits, to whomever
  std::atomic<bool> transferring_{false};  ///< what the link has said last

  std::atomic<std::uint64_t> posts_sent_{0};
  std::atomic<std::uint64_t> posts_done_{0};

  IncomingCalls incoming_calls_;

  // The poller's.
  bool gave_up_landings_ = false;  ///< once this rank has left
  bool has_moved_ = false;         ///< a frame has come or gone since latest_frame_
  Clock::time_point latest_frame_ = Clock::now();
  Clock::time_point polls_at_;  ///< a worker that sleeps
  int polls_since_look_ = 0;    ///< for silent ranks
  bool closing_ = false;        ///< the link
  bool told_all_left_ = false;

  std::atomic<bool> ending_{false};  ///< leave() has been called
  std::atomic<bool> leaving_{false};
  std::atomic<bool> out_of_patience_{false};
  runtime::Entry<bool> all_left_;
  runtime::Token<bool> all_left_token_ = all_left_.token();

  std::string why_abandoned_;  ///< written before the last poll

  /// The first loss, from which later ones may follow: of another rank, or of this one, if the
  /// others have given it up.
  struct Loss {
    std::int32_t rank = -1;  ///< below 0: none
    std::string reason;
    bool while_leaving = false;  ///< no call of this rank's can have ended by it

    bool is_of_other_than(int own) const { return rank >= 0 && rank != own; }
    RankLost error() const { return {rank, reason}; }
  };
  void note_loss(int rank, const std::string& reason);
  Loss first_loss() const;
  /// What the link is to say when this rank ends; empty if an exception has said it.
  std::string reason_to_abandon() const;
  mutable std::mutex first_loss_mutex_;  ///< nobody suspends who holds it
  Loss first_loss_;

  std::atomic<std::uint64_t> messages_sent_{0};
  std::atomic<std::uint64_t> messages_received_{0};
  std::atomic<std::uint64_t> frames_sent_{0};
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::uint64_t> credit_waits_{0};
  std::atomic<std::uint64_t> polls_{0};
  std::atomic<std::uint64_t> credits_early_{0};
};

}  // namespace kumiko::cluster::detail
