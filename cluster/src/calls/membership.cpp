#include "calls/membership.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <kumiko/runtime/io/limits.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "calls/waiting.hpp"

namespace kumiko::cluster::detail {

namespace {

using Clock = std::chrono::steady_clock;

/// The longest time for which a rank that ends immediately tries to notify the others.
constexpr std::chrono::milliseconds kLongestAnnouncement{1000};

}  // namespace

Membership::Membership(Endpoint& endpoint, Sender& sender, PendingCalls& pending,
                       OutgoingCalls& calls, Collections& collections, IncomingWrites& writes,
                       Twins& twins)
    : endpoint_(endpoint),
      sender_(sender),
      pending_(pending),
      calls_(calls),
      collections_(collections),
      writes_(writes),
      twins_(twins) {}

// --- Losses --------------------------------------------------------------------------------------

void Membership::note_loss(int rank, const std::string& reason) {
  const std::lock_guard lock(first_loss_mutex_);
  if (first_loss_.rank < 0) first_loss_ = {rank, reason, is_ending()};
}

Membership::Loss Membership::first_loss() const {
  const std::lock_guard lock(first_loss_mutex_);
  return first_loss_;
}

void Membership::lost(int rank, const std::string& reason) {
  if (endpoint_.peer(rank).is_lost.exchange(true)) return;
  note_loss(rank, reason);
  writes_.orphan(rank);
  endpoint_.link->give_up_bodies(rank);
  fail(rank, std::make_exception_ptr(RankLost(rank, reason)));
}

/// Calls at this rank end by an exception, now and later.
void Membership::fail(int rank, const std::exception_ptr& exception) {
  endpoint_.peer(rank).credits.fail(exception);
  for (Pending* const call : pending_.fail(rank, exception)) call->finish(failure(exception));
  sender_.fail_bodies(rank, exception);
  collections_.fail(0, exception);
}

/// A rank that leaves because another one is lost names that one: frames come in any order, so this
/// may be the first message about the loss.
void Membership::take_leaving(const IncomingMessage& message) {
  Reader reader(message.payload, endpoint_.node);
  const auto [reason, rank, why_lost] =
      Packing<std::tuple<std::string_view, std::int32_t, std::string>>::unpack(reader);
  if (rank >= endpoint_.size) throw std::out_of_range("it has lost a rank that does not exist");
  if (rank >= 0 && rank != endpoint_.rank) lost(rank, why_lost);
  if (!reason.empty()) return lost(message.source, std::string(reason));
  const Loss loss = first_loss();
  const RankLost error = loss.is_of_other_than(endpoint_.rank)
                             ? loss.error()
                             : RankLost(message.source, "it has left the cluster");
  collections_.fail(message.header.amount, std::make_exception_ptr(error));
  // release: a thread that sees the rank leave (an acquiring load) sees the loss, too.
  endpoint_.peer(message.source).has_left.store(true, std::memory_order_release);
}

void Membership::take_given_up(const IncomingMessage& message) {
  const auto rank = static_cast<int>(message.header.function);
  if (rank < 0 || rank >= endpoint_.size) {
    throw std::out_of_range("it treats a rank as lost that does not exist");
  }
  Reader reader(message.payload, endpoint_.node);
  const auto reason = Packing<std::string>::unpack(reader);
  if (rank != endpoint_.rank) return lost(rank, reason);
  note_loss(rank, reason);
  for (int other = 0; other < endpoint_.size; ++other) {
    if (other != rank) lost(other, "it treats this rank as lost: " + reason);
  }
}

// --- The end -------------------------------------------------------------------------------------

void Membership::leave() {
  if (!endpoint_.is_open.load(std::memory_order_relaxed)) return;
  ending_.store(true, std::memory_order_relaxed);
  twins_.close();  // posts that wait for twins would never end
  const auto limit = Clock::now() + endpoint_.options.patience;
  try {
    calls_.quiesce(runtime::io::until(limit));
  } catch (const std::runtime_error&) {
    // A rank is lost or does not answer, so the state of its posts is not known.
  }
  if (endpoint_.size > 1) {
    while (pending_.has_calls(endpoint_.rank) && Clock::now() < limit) {
      runtime::this_thread::sleep_for(kLaterPause);
    }
    send_leaving({});
    // release: pairs with the acquire in end_if_all_left().
    leaving_.store(true, std::memory_order_release);
    endpoint_.bell.ring();
    if (!all_left_.wait_for(endpoint_.options.patience)) {
      announce_end("it has not waited any longer for the others to leave");
      lose_those_that_stay();
      out_of_patience_.store(true, std::memory_order_relaxed);
      endpoint_.bell.ring();
      all_left_.wait();
    }
  }
  close();
}

/// As close(), because lost() is the poller's.
void Membership::lose_those_that_stay() {
  for (int rank = 0; rank < endpoint_.size; ++rank) {
    Peer& other = endpoint_.peer(rank);
    if (rank == endpoint_.rank || other.has_left.load(std::memory_order_relaxed)) continue;
    if (other.is_lost.exchange(true)) continue;
    fail(rank, std::make_exception_ptr(
                   RankLost(rank, "it did not leave the cluster when the others did")));
  }
}

/// Closes the link when all have left, unless a rank is lost, because closing takes all ranks.
void Membership::end_if_all_left() {
  // acquire: pairs with the release in leave().
  if (!leaving_.load(std::memory_order_acquire) || has_ended_) return;
  if (sender_.has_unsent() && endpoint_.is_open.load(std::memory_order_relaxed)) return;
  for (int rank = 0; rank < endpoint_.size; ++rank) {
    if (rank != endpoint_.rank && awaits(rank) && !endpoint_.peer(rank).is_lost) return;
  }
  if (are_all_there() && !std::exchange(is_closing_, true)) endpoint_.link->close();
  const bool is_patient = !out_of_patience_.load(std::memory_order_relaxed);
  if (is_closing_ && !endpoint_.link->is_closed() && is_patient) return;
  has_ended_ = true;
  all_left_token_.send(true);
}

bool Membership::are_all_there() const {
  return std::none_of(endpoint_.peers.begin(), endpoint_.peers.end(),
                      [](const auto& peer) -> bool { return peer->is_lost; });
}

void Membership::abandon(std::string_view reason) {
  if (!endpoint_.is_open.load(std::memory_order_relaxed)) return;
  why_abandoned_ = reason;
  twins_.close();
  if (endpoint_.size > 1) announce_end(reason.empty() ? "it has left the cluster" : reason);
  close();
}

void Membership::send_leaving(std::string_view reason) {
  const Loss loss = first_loss();
  for (int rank = 0; rank < endpoint_.size; ++rank) {
    if (rank == endpoint_.rank) continue;
    sender_.send(rank, message_of(std::tuple(reason, loss.rank, loss.reason)),
                 {.kind = Kind::kLeave, .amount = collections_.begun()});
  }
}

/// Notifies the others that this rank leaves, and waits until the link has sent the messages.
void Membership::announce_end(std::string_view reason) {
  send_leaving(reason);
  const auto limit = Clock::now() + kLongestAnnouncement;
  while (sender_.is_sending() && Clock::now() < limit) {
    endpoint_.bell.ring();
    runtime::this_thread::sleep_for(kFirstPause);
  }
}

/// Ends by an exception what still waits for another rank.
void Membership::close() {
  endpoint_.is_open.store(false, std::memory_order_relaxed);
  for (int rank = 0; rank < endpoint_.size; ++rank) {
    if (endpoint_.peer(rank).is_lost.exchange(true)) continue;
    fail(rank, std::make_exception_ptr(RankLost(rank, "this rank has left the cluster")));
  }
}

void Membership::end_link() {
  if (endpoint_.link == nullptr || is_closing_) return;
  if (endpoint_.size == 1) return endpoint_.link->close();
  endpoint_.link->abandon(reason_to_abandon());
}

/// The reason that the link prints when this rank ends; empty if an exception has reported it.
std::string Membership::reason_to_abandon() const {
  if (!why_abandoned_.empty()) return why_abandoned_;
  const Loss loss = first_loss();
  // The exception by which calls end has reported the loss, unless nothing was called any more.
  if (loss.is_of_other_than(endpoint_.rank)) {
    return loss.while_leaving ? std::string(loss.error().what()) : std::string();
  }
  if (loss.rank == endpoint_.rank) return "the others treat it as lost: " + loss.reason;
  return "it has not left the cluster in order";
}

}  // namespace kumiko::cluster::detail
