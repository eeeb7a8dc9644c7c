// How this rank leaves the others, and they leave it.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include <kumiko/runtime/this_thread.hpp>

#include "calls/node.hpp"
#include "calls/waiting.hpp"

namespace kumiko::cluster::detail {

namespace {

/// How long a rank that ends at once tries to tell the others.
constexpr std::chrono::milliseconds kLastWords{1000};

}  // namespace

// --- The end -------------------------------------------------------------------------------------

/// A rank that leaves because another one is lost names it: frames come in any order, so this may
/// be the first that this rank hears of the loss.
void Node::note_leaving(const Arrived& message) {
  Reader reader(message.payload, *this);
  const std::string reason = Packing<std::string>::unpack(reader);
  const auto rank = Packing<std::int32_t>::unpack(reader);
  const std::string why_lost = Packing<std::string>::unpack(reader);
  if (rank >= size_) throw std::out_of_range("it has lost a rank that is not there");
  if (rank >= 0 && rank != rank_) lost(rank, why_lost);
  if (!reason.empty()) return lost(message.source, reason);
  const Loss loss = first_loss();
  const RankLost error = loss.is_of_other_than(rank_)
                             ? loss.error()
                             : RankLost(message.source, "it has left the cluster");
  fail_collections(message.header.amount, std::make_exception_ptr(error));
  // release: a thread that sees the rank leave (an acquiring load) sees the loss, too.
  peer(message.source).has_left.store(true, std::memory_order_release);
}

void Node::note_loss(int rank, const std::string& reason) {
  const std::lock_guard lock(first_loss_mutex_);
  if (first_loss_.rank < 0) first_loss_ = {rank, reason, ending_.load(std::memory_order_relaxed)};
}

Node::Loss Node::first_loss() const {
  const std::lock_guard lock(first_loss_mutex_);
  return first_loss_;
}

void Node::lost(int rank, const std::string& reason) {
  Peer& lost = peer(rank);
  if (lost.is_lost.exchange(true)) return;
  note_loss(rank, reason);
  for (Landing& landing : landings_) {
    if (landing.source != rank || landing.failure != nullptr) continue;
    landing.is_orphan = true;
    regions_.orphan(landing.region);
  }
  link_->give_up_bodies(rank);
  fail(rank, std::make_exception_ptr(RankLost(rank, reason)));
}

/// Calls at this rank end by an exception, now and later.
void Node::fail(int rank, const std::exception_ptr& exception) {
  peer(rank).credits.fail(exception);
  for (Pending* const call : pending_.fail(rank, exception)) {
    call->finish({this, nullptr, {}, exception});
  }
  fail_bodies(rank, exception);
  fail_collections(0, exception);
}

void Node::send_leaving(std::string_view reason) {
  Loss loss = first_loss();
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    const auto pack = [&](Writer& writer) {
      Packing<std::string_view>::pack(writer, reason);
      Packing<std::int32_t>::pack(writer, loss.rank);
      Packing<std::string>::pack(writer, loss.reason);
    };
    send(rank, packed(rank, pack), {.kind = Kind::kLeave, .amount = collections_.begun()});
  }
}

bool Node::are_all_there() const {
  return std::none_of(peers_.begin(), peers_.end(),
                      [](const auto& peer) -> bool { return peer->is_lost; });
}

/// When all have left, the link is closed, in which all take part; so it is not if one is lost.
void Node::look_whether_all_left() {
  // acquire: pairs with the release in leave().
  if (!leaving_.load(std::memory_order_acquire) || told_all_left_ || has_unsent()) return;
  for (int rank = 0; rank < size_; ++rank) {
    const Peer& other = peer(rank);
    if (rank != rank_ && !other.has_left.load(std::memory_order_relaxed) && !other.is_lost) return;
  }
  if (are_all_there() && !std::exchange(closing_, true)) link_->close();
  const bool is_patient = !out_of_patience_.load(std::memory_order_relaxed);
  if (closing_ && !link_->is_closed() && is_patient) return;
  told_all_left_ = true;
  all_left_token_.send(true);
}

void Node::leave() {
  if (!open_.load(std::memory_order_relaxed)) return;
  ending_.store(true, std::memory_order_relaxed);
  const auto limit = Clock::now() + options_.patience;
  try {
    quiesce(runtime::io::until(limit));
  } catch (const std::runtime_error&) {
    // A rank is lost, or does not answer: nobody can know of its posts.
  }
  if (size_ > 1) {
    while (pending_.has_calls(rank_) && Clock::now() < limit) {
      runtime::this_thread::sleep_for(kLaterPause);
    }
    send_leaving({});
    // release: pairs with the acquire in look_whether_all_left().
    leaving_.store(true, std::memory_order_release);
    bell_.ring();
    if (!all_left_.wait_for(options_.patience)) {
      send_last_words("it has not waited any longer for the others to leave");
      for (int rank = 0; rank < size_; ++rank) {
        if (rank == rank_ || peer(rank).has_left.load(std::memory_order_relaxed)) continue;
        // As close() does it: lost() is the poller's.
        if (peer(rank).is_lost.exchange(true)) continue;
        fail(rank, std::make_exception_ptr(
                       RankLost(rank, "it did not leave the cluster when the others did")));
      }
      out_of_patience_.store(true, std::memory_order_relaxed);
      bell_.ring();
      all_left_.wait();
    }
  }
  close();
}

void Node::abandon(std::string_view reason) {
  if (!open_.load(std::memory_order_relaxed)) return;
  why_abandoned_ = reason;
  if (size_ > 1) send_last_words(reason.empty() ? "it has left the cluster" : reason);
  close();
}

/// Tells the others that this rank goes, and sees to it that they are told.
void Node::send_last_words(std::string_view reason) {
  send_leaving(reason);
  const auto limit = Clock::now() + kLastWords;
  const auto is_under_way = [this] {
    // acquire: pairs with the release in flush(), whose sending_ is seen then.
    return unsent_.load(std::memory_order_acquire) || sending_.load(std::memory_order_acquire) ||
           transferring_.load(std::memory_order_relaxed);
  };
  while (is_under_way() && Clock::now() < limit) {
    bell_.ring();
    runtime::this_thread::sleep_for(kFirstPause);
  }
}

/// What still waits for another rank gets an exception.
void Node::close() {
  open_.store(false, std::memory_order_relaxed);
  for (int rank = 0; rank < size_; ++rank) {
    if (peer(rank).is_lost.exchange(true)) continue;
    fail(rank, std::make_exception_ptr(RankLost(rank, "this rank has left the cluster")));
  }
}

}  // namespace kumiko::cluster::detail
