// What this rank asks of others.
#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <kumiko/cluster/token.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "calls/node.hpp"
#include "calls/waiting.hpp"

namespace kumiko::cluster::detail {

namespace {

/// A call whose caller waits for it.
struct WaitingCall final : Pending {
  explicit WaitingCall(PendingCalls& all) : calls(all) {}

  PendingCalls& calls;
  Ticket ticket{};
  runtime::Entry<Answer> entry{};
  runtime::Token<Answer> token = entry.token();

  void finish(Answer answer) override { token.send(std::move(answer)); }
  const void* waited_at() const noexcept override { return &entry; }
  bool take_back() { return calls.take(ticket) != nullptr; }
  void fail(std::exception_ptr exception) { finish({nullptr, nullptr, {}, std::move(exception)}); }
};

}  // namespace

// --- Calls ---------------------------------------------------------------------------------------

void Node::take_credit(const Request& request) {
  if (peer(request.rank).credits.take(std::min(request.depth, kDeepest), request.limits)) {
    credit_waits_.fetch_add(1, std::memory_order_relaxed);
  }
}

/// Tokens go with the message once all of it is written, so that they stay where they are if that
/// fails.
Frame Node::packed(int rank, Packer pack) {
  Frame message = empty_message();
  Writer writer(message, rank);
  pack(writer);
  send_tokens(writer, false);
  return message;
}

MessageHeader Node::header_of(const Request& request, Ticket ticket) {
  return {.kind = request.kind,
          .depth = static_cast<std::uint16_t>(std::min(request.depth, kDeepest)),
          .function = request.function.number(),
          .slot = ticket.slot,
          .generation = ticket.generation,
          .amount = request.kind == Kind::kInlinePost ? 1U : 0U};
}

/// Returns whether the caller should let the worker poll before it goes on, so that what is full
/// leaves while the caller fills more.
bool Node::send_request(const Request& request, Ticket ticket, Packer pack) {
  const MessageHeader header = header_of(request, ticket);
  Frame message = packed(request.rank, pack);
  if (request.body == nullptr) {
    const bool are_full = add_to_outbox(request.rank, std::move(message), header);
    return wake_poller() && are_full;
  }
  set_header(message, header);
  Peer& to = peer(request.rank);
  to.outbox.add(std::move(message), std::move(*request.body));
  messages_sent_.fetch_add(1, std::memory_order_relaxed);
  unsent_.store(true, std::memory_order_release);  // as in add_to_outbox()
  wake_poller();
  // Whoever has closed the rank since has not found it, and nobody flushes any more.
  if (to.is_lost) {
    fail_bodies(request.rank,
                std::make_exception_ptr(RankLost(request.rank, "it was lost before the write")));
  }
  return false;
}

Answer Node::call(const Request& request, Packer pack) {
  take_credit(request);
  WaitingCall call(pending_);
  call.ticket = pending_.add(call, request.rank, &request.function);
  try {
    send_request(request, call.ticket, pack);
  } catch (...) {
    if (call.take_back()) {
      peer(request.rank).credits.give(std::min(request.depth, kDeepest), 1);
    } else {
      call.entry.wait();  // somebody ends it now
    }
    throw;
  }
  wait_within(call, request.limits);
  return call.entry.take();
}

void Node::call_later(const Request& request, Packer pack, std::unique_ptr<Pending> pending) {
  take_credit(request);
  const Ticket ticket = pending_.add(*pending, request.rank, &request.function);
  Pending* const call = pending.release();  // it destroys itself when it is answered
  try {
    send_request(request, ticket, pack);
  } catch (...) {
    if (pending_.take(ticket) != nullptr) {
      peer(request.rank).credits.give(std::min(request.depth, kDeepest), 1);
      call->finish({this, nullptr, {}, std::current_exception()});
    }
    throw;
  }
}

void Node::post(const Request& request, Packer pack) {
  take_credit(request);
  // Counted before it can be done, and before the function that sends it is.
  posts_sent_.fetch_add(1, std::memory_order_relaxed);
  try {
    if (send_request(request, {}, pack)) runtime::this_thread::yield();
  } catch (...) {
    posts_done_.fetch_add(1, std::memory_order_release);
    peer(request.rank).credits.give(std::min(request.depth, kDeepest), 1);
    throw;
  }
}

/// Only what begins a message takes a credit, so at most a window of bundles is under way. The
/// message that is there has been announced to the poller, and leaves with the item.
void Node::post_item(const Request& request, std::span<const std::byte> item) {
  Peer& to = peer(request.rank);
  const bool is_added = !to.is_lost.load(std::memory_order_relaxed) &&
                        to.outbox.add_item(request.function, std::min(request.depth, kDeepest),
                                           item, options_.bundle_bytes);
  if (is_added) return;
  post(request, [&](Writer& writer) { writer.append(item.data(), item.size()); });
}

/// Read by one who has seen a post done, it counts what had been posted until then: an item of an
/// outbox is counted under its lock before it can be sent.
std::uint64_t Node::posts_sent() {
  std::uint64_t sent = posts_sent_.load(std::memory_order_relaxed);
  for (const std::unique_ptr<Peer>& to : peers_) sent += to->outbox.items_added();
  return sent;
}

/// Of two rounds the first sums the posts that are done, the second those that have been sent.
/// Between the two, at some moment T, done(T) >= the first sum and sent(T) <= the second; and
/// done <= sent always. So equal sums mean that at T every post was done (Mattern's four counters,
/// of which two suffice where the rounds follow each other).
void Node::quiesce(const Limits& limits) {
  auto pause = kFirstPause;
  for (;;) {
    const std::uint64_t done = sum_of_posts(kPostsDone, limits);
    if (done == sum_of_posts(kPostsSent, limits)) return;
    if (limits.stop.stop_requested() || limits.deadline <= Clock::now()) throw limit_error(limits);
    runtime::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLaterPause);
  }
}

std::uint64_t Node::sum_of_posts(std::uint64_t which, const Limits& limits) {
  std::vector<std::unique_ptr<WaitingCall>> calls;
  calls.reserve(static_cast<std::size_t>(size_));
  std::exception_ptr failure;
  for (int rank = 0; rank < size_ && failure == nullptr; ++rank) {
    if (rank == rank_) continue;
    auto call = std::make_unique<WaitingCall>(pending_);
    Frame message = empty_message();
    try {
      call->ticket = pending_.add(*call, rank);
    } catch (...) {
      failure = std::current_exception();
      break;
    }
    const MessageHeader header{.kind = Kind::kCount,
                               .slot = call->ticket.slot,
                               .generation = call->ticket.generation,
                               .amount = which};
    calls.push_back(std::move(call));
    send(rank, std::move(message), header);
  }
  // acquire: pairs with the release where a post ends, whose own posts come before that.
  std::uint64_t sum =
      which == kPostsDone ? posts_done_.load(std::memory_order_acquire) : posts_sent();
  // Nothing throws before all have been answered.
  std::vector<Answer> answers;
  for (const std::unique_ptr<WaitingCall>& call : calls) {
    wait_within(*call, limits);
    answers.push_back(call->entry.take());
    if (answers.back().exception != nullptr) failure = answers.back().exception;
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  for (const Answer& answer : answers) sum += unpack_answer<std::uint64_t>(answer);
  return sum;
}

// --- Entries -------------------------------------------------------------------------------------

void Node::assign(int home, Ticket ticket, Packer pack) {
  Frame message = packed(home, pack);
  const MessageHeader header{.kind = Kind::kReply,
                             .credit_returned = true,
                             .slot = ticket.slot,
                             .generation = ticket.generation};
  if (home != rank_) return send(home, std::move(message), header);
  Pending* const entry = pending_.take(ticket);
  if (entry == nullptr) return;
  const auto shared = std::make_shared<const Frame>(std::move(message));
  entry->finish({this, shared, std::span(*shared).subspan(kBeforePayload), nullptr});
}

void Node::assign_failure(int home, Ticket ticket, std::string_view type, std::string_view what) {
  if (home != rank_) {
    return send(home, failure_message(type, what),
                {.kind = Kind::kFailure,
                 .credit_returned = true,
                 .slot = ticket.slot,
                 .generation = ticket.generation});
  }
  Pending* const entry = pending_.take(ticket);
  if (entry == nullptr) return;
  entry->finish(
      {this,
       nullptr,
       {},
       std::make_exception_ptr(RemoteError(rank_, std::string(type), std::string(what)))});
}

void Node::fail_entry(const PendingCalls::Failed& failed) {
  const auto& [entry, exception] = failed;
  if (entry != nullptr) entry->finish({this, nullptr, {}, exception});
}

/// Nobody takes the result: the tokens in it, which stand at its end, are unused.
void Node::drop_tokens(const Arrived& message) {
  if (message.header.kind != Kind::kReply || message.header.amount == 0) return;
  const std::size_t size = message.header.amount * sizeof(TokenCore::Travelling);
  if (size > message.payload.size()) throw std::out_of_range("a reply is shorter than its tokens");
  Reader reader(message.payload.last(size), *this);
  while (reader.left() > 0) {
    const auto token = Packing<TokenCore::Travelling>::unpack(reader);
    assign_failure(token.home, token.ticket, "kumiko::cluster::RemoteToken",
                   "the token was in the result of a call that was given up");
  }
}

void Node::note_move(int home, Ticket ticket, int to, std::uint32_t moves) {
  if (home == rank_) return fail_entry(pending_.note_move(ticket, rank_, to, moves));
  send(home, empty_message(),
       {.kind = Kind::kMove,
        .function = static_cast<std::uint32_t>(to),
        .slot = ticket.slot,
        .generation = ticket.generation,
        .amount = moves});
}

void Node::note_arrival(int home, Ticket ticket, std::uint32_t moves) {
  if (home == rank_) return fail_entry(pending_.note_arrival(ticket, rank_, moves));
  send(home, empty_message(),
       {.kind = Kind::kArrived,
        .slot = ticket.slot,
        .generation = ticket.generation,
        .amount = moves});
}

// --- Collections ---------------------------------------------------------------------------------

void Node::collect(Collection what, Packer pack, std::unique_ptr<Pending> pending) {
  Frame message = packed(kMeetingPlace, pack);
  const std::uint64_t number = collections_.begin(std::move(pending));
  const MessageHeader header{.kind = Kind::kPart,
                             .function = what.operation,
                             .slot = static_cast<std::uint32_t>(what.root),
                             .generation = what.type,
                             .amount = number};
  if (rank_ != kMeetingPlace) return send(kMeetingPlace, std::move(message), header);
  take_part(rank_, header, std::span(message).subspan(kBeforePayload));
  wake_poller();
}

/// The meeting place's: sends on what it has when every rank's part is there. The parts come
/// together on one rank whatever the root is, so that it sees whether all ranks ask for the same.
void Node::take_part(int source, const MessageHeader& header, std::span<const std::byte> part) {
  const Collection what{static_cast<Operation>(header.function), static_cast<int>(header.slot),
                        header.generation};
  const std::optional<Collections::Whole> whole = collections_.take_part(
      header.amount, source, size_, what, std::vector<std::byte>(part.begin(), part.end()));
  if (!whole) return;
  for (int rank = 0; rank < size_; ++rank) {
    const auto pack = [&](Writer& writer) {
      if (what.operation != kGather || rank == what.root) {
        writer.append(whole->parts.data(), whole->parts.size(), kMessageAlignment);
      }
    };
    Frame message = packed(rank, pack);
    const MessageHeader answer{
        .kind = Kind::kCollected, .credit_returned = whole->disagree, .amount = header.amount};
    if (rank != rank_) {
      add_to_outbox(rank, std::move(message), answer);
      continue;
    }
    const auto shared = std::make_shared<const Frame>(std::move(message));
    finish_collection({rank_, shared, answer, std::span(*shared).subspan(kBeforePayload)});
  }
}

void Node::finish_collection(const Arrived& message) {
  const std::unique_ptr<Pending> pending = collections_.take(message.header.amount);
  if (pending == nullptr) return;
  if (message.header.credit_returned) {
    pending->finish({this,
                     nullptr,
                     {},
                     std::make_exception_ptr(std::logic_error(
                         "the ranks of a cluster asked for different collective operations, roots "
                         "or types; all must ask for the same ones in the same order"))});
  } else {
    pending->finish({this, message.frame, message.payload, nullptr});
  }
}

void Node::fail_collections(std::uint64_t first, const std::exception_ptr& exception) {
  for (const std::unique_ptr<Pending>& pending : collections_.fail(first, exception)) {
    pending->finish({this, nullptr, {}, exception});
  }
}

}  // namespace kumiko::cluster::detail
