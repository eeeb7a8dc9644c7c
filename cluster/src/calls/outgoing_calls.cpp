#include "calls/outgoing_calls.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/this_thread.hpp>

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
  void fail(std::exception_ptr exception) { finish(failure(std::move(exception))); }
};

unsigned credit_depth(const Request& request) { return std::min(request.depth, kDeepest); }

MessageHeader header_of(const Request& request, Ticket ticket) {
  return {.kind = request.kind,
          .depth = static_cast<std::uint16_t>(credit_depth(request)),
          .function = request.function.number(),
          .slot = ticket.slot,
          .generation = ticket.generation,
          .amount = request.kind == Kind::kInlinePost ? 1U : 0U};
}

}  // namespace

// --- Calls ---------------------------------------------------------------------------------------

void OutgoingCalls::take_credit(const Request& request) {
  if (endpoint_.peer(request.rank).credits.take(credit_depth(request), request.limits)) {
    endpoint_.counters.credit_waits.fetch_add(1, std::memory_order_relaxed);
  }
}

void OutgoingCalls::give_back_credit(const Request& request) {
  endpoint_.peer(request.rank).credits.give(credit_depth(request), 1);
}

/// Returns true if the caller should let the worker poll before it continues, so that full frames
/// leave while the caller fills more.
bool OutgoingCalls::send_request(const Request& request, Ticket ticket, Packer pack) {
  const MessageHeader header = header_of(request, ticket);
  Frame message = Sender::packed(request.rank, pack);
  if (request.body != nullptr) {
    sender_.send_with_body(request.rank, std::move(message), header, std::move(*request.body));
    return false;
  }
  const bool are_full = sender_.add(request.rank, std::move(message), header);
  return sender_.wake_poller() && are_full;
}

Answer OutgoingCalls::call(const Request& request, Packer pack) {
  take_credit(request);
  WaitingCall call(pending_);
  call.ticket = pending_.add(call, request.rank, &request.function);
  try {
    send_request(request, call.ticket, pack);
  } catch (...) {
    if (call.take_back()) {
      give_back_credit(request);
    } else {
      call.entry.wait();  // another thread ends it now
    }
    throw;
  }
  wait_within(call, request.limits);
  return call.entry.take();
}

void OutgoingCalls::call_later(const Request& request, Packer pack,
                               std::unique_ptr<Pending> pending) {
  take_credit(request);
  const Ticket ticket = pending_.add(*pending, request.rank, &request.function);
  Pending* const call = pending.release();  // it destroys itself when it is answered
  try {
    send_request(request, ticket, pack);
  } catch (...) {
    if (pending_.take(ticket) != nullptr) {
      give_back_credit(request);
      call->finish(failure(std::current_exception()));
    }
    throw;
  }
}

// --- Posts ---------------------------------------------------------------------------------------

void OutgoingCalls::post(const Request& request, Packer pack) {
  take_credit(request);
  // Counted before it can be done, and before the function that sends it is.
  count_own_post();
  try {
    if (send_request(request, {}, pack)) runtime::this_thread::yield();
  } catch (...) {
    count_ends(1);
    give_back_credit(request);
    throw;
  }
}

/// Only the first item of a message takes a credit, so at most a window of bundles is in transit.
/// The poller knows of a message that is in the outbox; the item leaves with it.
void OutgoingCalls::post_item(const Request& request, std::span<const std::byte> item) {
  Peer& to = endpoint_.peer(request.rank);
  const bool is_added = !to.is_lost.load(std::memory_order_relaxed) &&
                        to.outbox.add_item(request.function, credit_depth(request), item,
                                           endpoint_.options.bundle_bytes);
  if (is_added) return;
  post(request, [&](Writer& writer) { writer.append(item.data(), item.size()); });
}

/// The posts that are done or have been sent. A thread that has seen a post done also sees the
/// posts that had been sent until then: an item of an outbox is counted under the outbox's lock
/// before it can be sent.
std::uint64_t OutgoingCalls::posts(std::uint64_t which) {
  // acquire: pairs with the release in count_ends(). The posts that a post has made come before it.
  if (which == kPostsDone) return posts_done_.load(std::memory_order_acquire);
  std::uint64_t sent = posts_sent_.load(std::memory_order_relaxed);
  for (const std::unique_ptr<Peer>& to : endpoint_.peers) sent += to->outbox.items_added();
  return sent;
}

/// Sums posts in two rounds: the first round sums the posts that are done, the second one the posts
/// that have been sent. Between the rounds there is a moment T at which done(T) >= the first sum
/// and sent(T) <= the second one; and done <= sent always. So equal sums mean that at T every post
/// was done (Mattern's four counters, of which two suffice if the rounds follow each other).
void OutgoingCalls::quiesce(const Limits& limits) {
  auto pause = kFirstPause;
  for (;;) {
    const std::uint64_t done = sum_of_posts(kPostsDone, limits);
    if (done == sum_of_posts(kPostsSent, limits)) return;
    if (limits.stop.stop_requested() || limits.deadline <= PollTime::Clock::now()) {
      throw limit_error(limits);
    }
    runtime::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLaterPause);
  }
}

std::uint64_t OutgoingCalls::sum_of_posts(std::uint64_t which, const Limits& limits) {
  std::vector<std::unique_ptr<WaitingCall>> calls;
  calls.reserve(static_cast<std::size_t>(endpoint_.size));
  std::exception_ptr exception;
  for (int rank = 0; rank < endpoint_.size; ++rank) {
    if (rank == endpoint_.rank) continue;
    auto call = std::make_unique<WaitingCall>(pending_);
    Frame message = empty_message();
    try {
      call->ticket = pending_.add(*call, rank);
    } catch (...) {
      exception = std::current_exception();
      break;
    }
    const MessageHeader header{.kind = Kind::kCount,
                               .slot = call->ticket.slot,
                               .generation = call->ticket.generation,
                               .amount = which};
    calls.push_back(std::move(call));
    sender_.send(rank, std::move(message), header);
  }
  std::uint64_t sum = posts(which);
  // Nothing throws before all have been answered.
  std::vector<Answer> answers;
  for (const std::unique_ptr<WaitingCall>& call : calls) {
    wait_within(*call, limits);
    answers.push_back(call->entry.take());
    if (answers.back().exception != nullptr) exception = answers.back().exception;
  }
  if (exception != nullptr) std::rethrow_exception(exception);
  for (const Answer& answer : answers) sum += unpack_answer<std::uint64_t>(answer);
  return sum;
}

void OutgoingCalls::send_count(const IncomingMessage& message) {
  const std::uint64_t count = posts(message.header.amount);
  MessageHeader header = message.header;
  header.kind = Kind::kReply;
  header.credit_returned = true;  // none was taken
  header.amount = 0;              // tokens
  sender_.add(message.source, message_of(count), header);
}

}  // namespace kumiko::cluster::detail
