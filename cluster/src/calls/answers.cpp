#include "calls/answers.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <kumiko/cluster/errors.hpp>
#include <kumiko/cluster/token.hpp>

namespace kumiko::cluster::detail {

void Answers::assign(int home, Ticket ticket, Packer pack) {
  Frame message = Sender::packed(home, pack);
  if (home != endpoint_.rank) return send(Kind::kReply, home, ticket, std::move(message));
  const auto shared = std::make_shared<const Frame>(std::move(message));
  finish(ticket, {&endpoint_.node, shared, std::span(*shared).subspan(kBeforePayload), nullptr});
}

void Answers::assign_failure(int home, Ticket ticket, std::string_view type,
                             std::string_view what) {
  if (home != endpoint_.rank) {
    return send(Kind::kFailure, home, ticket, failure_message(type, what));
  }
  finish(ticket,
         failure(std::make_exception_ptr(RemoteError(home, std::string(type), std::string(what)))));
}

void Answers::send(Kind kind, int home, Ticket ticket, Frame message) {
  sender_.send(home, std::move(message),
               {.kind = kind,
                .credit_returned = true,
                .slot = ticket.slot,
                .generation = ticket.generation});
}

void Answers::finish(Ticket ticket, Answer answer) {
  Pending* const call = pending_.take(ticket);
  if (call != nullptr) call->finish(std::move(answer));
}

void Answers::fail(const PendingCalls::Failed& failed) {
  const auto& [entry, exception] = failed;
  if (entry != nullptr) entry->finish(failure(exception));
}

void Answers::note_move(int home, Ticket ticket, int to, std::uint32_t moves) {
  if (home == endpoint_.rank) return fail(pending_.note_move(ticket, home, to, moves));
  sender_.send(home, empty_message(),
               {.kind = Kind::kMove,
                .function = static_cast<std::uint32_t>(to),
                .slot = ticket.slot,
                .generation = ticket.generation,
                .amount = moves});
}

void Answers::note_arrival(int home, Ticket ticket, std::uint32_t moves) {
  if (home == endpoint_.rank) return fail(pending_.note_arrival(ticket, home, moves));
  sender_.send(home, empty_message(),
               {.kind = Kind::kArrived,
                .slot = ticket.slot,
                .generation = ticket.generation,
                .amount = moves});
}

// --- Messages ------------------------------------------------------------------------------------

void Answers::take_reply(const IncomingMessage& message) {
  const MessageHeader& header = message.header;
  if (!header.credit_returned) endpoint_.peer(message.source).credits.give(header.depth, 1);
  std::pair<std::string, std::string> failed;  // its type and its text
  if (header.kind == Kind::kFailure) {
    Reader reader(message.payload, endpoint_.node);
    failed = Packing<decltype(failed)>::unpack(reader);
  }
  Pending* const call = pending_.take(header.ticket());
  if (call == nullptr) return drop_tokens(message);  // it was given up
  if (header.kind == Kind::kReply) {
    return call->finish({&endpoint_.node, message.frame, message.payload, nullptr});
  }
  call->finish(failure(std::make_exception_ptr(
      RemoteError(message.source, std::move(failed.first), failed.second))));
}

/// No thread takes the result, so the tokens in it, which are listed at its end, remain unused.
void Answers::drop_tokens(const IncomingMessage& message) {
  if (message.header.kind != Kind::kReply || message.header.amount == 0) return;
  const std::size_t size = message.header.amount * sizeof(TokenCore::Packed);
  if (size > message.payload.size()) throw std::out_of_range("a reply is shorter than its tokens");
  Reader reader(message.payload.last(size), endpoint_.node);
  while (reader.left() > 0) {
    const auto token = Packing<TokenCore::Packed>::unpack(reader);
    assign_failure(token.home, token.ticket, "kumiko::cluster::RemoteToken",
                   "the token was in the result of a call that was given up");
  }
}

void Answers::take_move(const IncomingMessage& message) {
  const MessageHeader& header = message.header;
  if (header.function >= static_cast<std::uint32_t>(endpoint_.size)) {
    throw std::out_of_range("it moves a token to a rank that does not exist");
  }
  fail(pending_.note_move(header.ticket(), message.source, static_cast<int>(header.function),
                          static_cast<std::uint32_t>(header.amount)));
}

void Answers::take_arrival(const IncomingMessage& message) {
  fail(pending_.note_arrival(message.header.ticket(), message.source,
                             static_cast<std::uint32_t>(message.header.amount)));
}

}  // namespace kumiko::cluster::detail
