#include "calls/node.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kumiko::cluster::detail {

namespace {

const ClusterOptions& checked(const ClusterOptions& options) {
  if (options.window < 1) {
    throw std::invalid_argument("Cluster: a window of " + std::to_string(options.window) +
                                " calls; give at least 1");
  }
  return options;
}

}  // namespace

Node::Node(runtime::Runtime& runtime, const ClusterOptions& options)
    : Node(runtime, nullptr, options) {}

Node::Node(runtime::Runtime& runtime, std::unique_ptr<Link> link, const ClusterOptions& options)
    : runtime_(runtime),
      link_(std::move(link)),
      options_(checked(options)),
      program_(program_id()),
      rank_(link_ == nullptr ? 0 : link_->rank()),
      size_(link_ == nullptr ? 1 : link_->size()),
      silence_(size_, {options.warn_after, options.lost_after}),
      deadlock_(rank_, size_,
                options.report_deadlocks ? runtime.deadlock_report_after()
                                         : std::chrono::milliseconds(0)),
      bell_(link_ == nullptr ? -1 : link_->pollable()) {
  if (size_ > 1) process_ = own_process();
  for (int i = 0; i < size_; ++i) peers_.push_back(std::make_unique<Peer>(options_.window));
}

Node::~Node() {
  if (link_ == nullptr || closing_) return;
  if (size_ == 1) {
    link_->close();
    return;
  }
  link_->abandon(reason_to_abandon());
}

std::string Node::reason_to_abandon() const {
  if (!why_abandoned_.empty()) return why_abandoned_;
  const Loss loss = first_loss();
  // The exception that calls end by has told of the loss, unless nothing was called any more.
  if (loss.is_of_other_than(rank_)) {
    return loss.while_leaving ? std::string(loss.error().what()) : std::string();
  }
  if (loss.rank == rank_) return "the others have given it up: " + loss.reason;
  return "it has not left the cluster in order";
}

void Node::check(int rank) const {
  if (rank >= 0 && rank < size_) return;
  throw std::out_of_range("there is no rank " + std::to_string(rank) + "; ranks are 0 to " +
                          std::to_string(size_ - 1));
}

// --- Sending -------------------------------------------------------------------------------------

/// Returns whether frames are full.
bool Node::add_to_outbox(int rank, Frame message, const MessageHeader& header) {
  const bool are_full =
      peer(rank).outbox.add(std::move(message), header, options_.bundle_bytes, program_);
  if (rules_of(header.kind).from == From::kThreads)
    messages_sent_.fetch_add(1, std::memory_order_relaxed);
  // release: pairs with the acquire in flush(), which then finds the message.
  unsent_.store(true, std::memory_order_release);
  return are_full;
}

void Node::send(int rank, Frame message, const MessageHeader& header) {
  add_to_outbox(rank, std::move(message), header);
  wake_poller();
}

/// Returns whether it is this worker that will poll.
bool Node::wake_poller() noexcept {
  const bool is_own = runtime_.poll_soon();
  if (!is_own) bell_.ring();
  return is_own;
}

/// Frames go to a rank, unless that is lost.
void Node::send_frames(int rank, std::vector<Frame> frames) {
  Peer& to = peer(rank);
  if (to.is_lost.load(std::memory_order_relaxed)) return;
  for (Frame& frame : frames) {
    frames_sent_.fetch_add(1, std::memory_order_relaxed);
    bytes_sent_.fetch_add(frame.size(), std::memory_order_relaxed);
    link_->send(rank, std::move(frame));
    if (!to.is_introduced_to) introduce_to(rank);
  }
}

/// The receiver is told first, so that it knows where to when the bytes come.
void Node::send_bodies(int rank) {
  Peer& to = peer(rank);
  std::vector<Outbox::Announced> announced = to.outbox.take_bodies();
  for (auto& [message, body] : announced) {
    const std::uint64_t number = to.bodies.add(std::move(body.sent));
    if (to.is_lost) continue;
    MessageHeader header;
    std::memcpy(&header, message.data() + sizeof(FrameHeader), sizeof header);
    header.amount = number;
    set_header(message, header);
    frames_sent_.fetch_add(1, std::memory_order_relaxed);
    bytes_sent_.fetch_add(message.size() + body.bytes.size(), std::memory_order_relaxed);
    link_->send(rank, sealed(std::move(message), 1, program_));
    link_->send_body(rank, number, body.bytes);
    if (!to.is_introduced_to) introduce_to(rank);
  }
  // Who has lost the rank meanwhile may not have found these.
  if (to.is_lost) {
    fail_bodies(rank, std::make_exception_ptr(RankLost(rank, "it was lost before it was written")));
  }
}

void Node::fail_bodies(int rank, const std::exception_ptr& exception) {
  for (auto& [message, body] : peer(rank).outbox.take_bodies()) {
    detail::finish(std::move(body.sent), exception);
  }
  for (std::unique_ptr<Pending>& sent : peer(rank).bodies.take_all()) {
    detail::finish(std::move(sent), exception);
  }
}

void Node::body_sent(int rank, std::uint64_t number) {
  detail::finish(peer(rank).bodies.take(number));
}

/// What is older than the time of a bundle goes, all of it if the worker has nothing else to do.
/// Returns whether something has gone.
bool Node::flush(bool idle, PollTime& now) {
  // relaxed: credits that are missed here go with the next poll.
  if (owes_.load(std::memory_order_relaxed)) send_credits(idle);
  if (!unsent_.load(std::memory_order_relaxed)) return false;
  // Before unsent_ is off: see send_last_words().
  sending_.store(true, std::memory_order_relaxed);
  // acquire: pairs with the release in add_to_outbox(). Off before the look: what is added after
  // it sets it again. release: pairs with the acquire in send_last_words().
  unsent_.exchange(false, std::memory_order_acq_rel);
  bool is_left = false;
  bool has_sent = false;
  for (int rank = 0; rank < size_; ++rank) {
    Outbox& outbox = peer(rank).outbox;
    Outbox::Due due =
        idle ? outbox.take_all(program_) : outbox.take_old(now(), options_.bundle_time, program_);
    has_sent = has_sent || !due.frames.empty() || due.has_bodies;
    is_left = is_left || due.has_bundle;
    if (!due.frames.empty()) send_frames(rank, std::move(due.frames));
    if (due.has_bodies) send_bodies(rank);
  }
  if (is_left) unsent_.store(true, std::memory_order_relaxed);
  sending_.store(false, std::memory_order_release);
  return has_sent;
}

void Node::send_credits(bool idle) {
  // acquire: pairs with the release in owe_credit().
  owes_.exchange(false, std::memory_order_acquire);
  bool is_left = false;
  for (int rank = 0; rank < size_; ++rank) {
    Outbox& outbox = peer(rank).outbox;
    const std::size_t owed_in_all = outbox.owed();
    if (owed_in_all == 0) continue;
    if (!idle && owed_in_all < enough_credits()) {
      is_left = true;
      continue;
    }
    const std::vector<std::size_t> owed = outbox.take_owed();
    for (std::size_t depth = 0; depth < owed.size(); ++depth) {
      if (owed[depth] == 0) continue;
      add_to_outbox(rank, empty_message(),
                    {.kind = Kind::kCredit,
                     .depth = static_cast<std::uint16_t>(depth),
                     .amount = owed[depth]});
    }
  }
  if (is_left) owes_.store(true, std::memory_order_relaxed);
}

std::size_t Node::owe_credit(int rank, unsigned depth) {
  const std::size_t owed = peer(rank).outbox.owe_credit(depth);
  owes_.store(true, std::memory_order_release);
  return owed;
}

// --- Credits that go back ------------------------------------------------------------------------

/// It goes with other messages, when the worker has nothing else to do, or when half of all credits
/// is owed.
void Node::return_credit(int rank, unsigned depth) {
  if (owe_credit(rank, depth) >= enough_credits()) wake_poller();
}

/// See IncomingCalls.
void Node::relieve(bool idle, PollTime& now) {
  const int early = incoming_calls_.relieve(
      idle, now, [this](const IncomingCall& call) { owe_credit(call.caller, call.depth); });
  if (early > 0) {
    credits_early_.fetch_add(static_cast<std::uint64_t>(early), std::memory_order_relaxed);
  }
  if (incoming_calls_.looks_at() != Clock::time_point::max())
    bell_.ring_at(incoming_calls_.looks_at());
}

ClusterStatistics Node::statistics() const {
  const auto read = [](const auto& counter) { return counter.load(std::memory_order_relaxed); };
  return {read(messages_sent_), read(messages_received_), read(frames_sent_),
          read(bytes_sent_),    read(credit_waits_),      read(polls_),
          read(credits_early_)};
}

}  // namespace kumiko::cluster::detail
