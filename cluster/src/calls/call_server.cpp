#include "calls/call_server.hpp"

#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/cluster/program.hpp>
#include <kumiko/runtime/thread.hpp>

#include "calls/node.hpp"

namespace kumiko::cluster::detail {

// --- Calls that run in threads -------------------------------------------------------------------

/// The calls count from here on, so that the bell rings if nothing moves after this poll.
void CallServer::start(CallsOfFrame calls) {
  calls_.expect(calls.count);
  endpoint_.runtime.submit([server = kept(), calls = std::move(calls)] { server->run_all(calls); });
}

/// This object, for a thread that keeps the Node alive.
std::shared_ptr<CallServer> CallServer::kept() { return {endpoint_.node.shared_from_this(), this}; }

/// Each call is a thread of its own. One thread makes the others *child first* and runs the last
/// call itself, so that a call that does not wait costs little more than a function call. Meanwhile
/// other workers may take the remaining calls.
void CallServer::run_all(const CallsOfFrame& calls) {
  std::size_t at = calls.first;
  for (std::uint32_t left = calls.count;;) {
    const Message message = next_message(*calls.frame, at).value();
    if (rules_of(message.header.kind).runs != Runs::kInThread) continue;
    const IncomingMessage call{calls.source, calls.frame, message.header, message.payload};
    if (--left == 0) return run(call);
    runtime::Thread([server = kept(), call] { server->run(call); }).detach();
  }
}

void CallServer::run(const IncomingMessage& message) {
  const MessageHeader& header = message.header;
  IncomingCall call{message.source, header.depth, header.depth >= kDeepest};
  if (call.credit_returned) {
    sender_.send(message.source, empty_message(),
                 {.kind = Kind::kCredit, .depth = header.depth, .amount = 1});
  }
  calls_.admit(call);
  if (header.kind == Kind::kInvoke) {
    Reply reply = reply_to(message);
    reply.header.credit_returned = calls_.dismiss(call);
    return sender_.send(message.source, std::move(reply.message), reply.header);
  }
  // An exception ends the program, as in any thread that is not joined.
  function_of(header.function)
      ->run({endpoint_.node, message.source, header.depth, message.payload}, nullptr);
  posts_.count_ends(1);
  if (!calls_.dismiss(call)) sender_.return_credit(message.source, header.depth);
}

/// Runs the function and makes its reply.
CallServer::Reply CallServer::reply_to(const IncomingMessage& message) {
  const MessageHeader& header = message.header;
  return answer(header, [&](Frame& result) {
    return function_of(header.function)
        ->run({endpoint_.node, message.source, header.depth, message.payload}, &result);
  });
}

/// A reply with the result that run(result) writes, or with the exception that it throws. It
/// returns the number of tokens in the result.
template <class Run>
CallServer::Reply CallServer::answer(MessageHeader header, Run run) {
  header.kind = Kind::kReply;
  Frame result = empty_message();
  try {
    header.amount = run(result);
  } catch (const std::exception& exception) {
    header.kind = Kind::kFailure;
    result = failure_message(readable_name(typeid(exception).name()), exception.what());
  } catch (...) {
    header.kind = Kind::kFailure;
    result = failure_message("unknown", "an exception that is not a std::exception");
  }
  return {std::move(result), header};
}

// --- Calls that run in the poller ----------------------------------------------------------------

void CallServer::answer_inline(const IncomingMessage& message) {
  Reply reply = reply_to(message);
  sender_.add(message.source, std::move(reply.message), reply.header);
}

void CallServer::run_inline_posts(const IncomingMessage& message) {
  const MessageHeader& header = message.header;
  const std::size_t count = header.amount;
  const std::size_t size = count == 0 ? 0 : message.payload.size() / count;
  // A single post may have size 0.
  if (size * count != message.payload.size() || (size == 0 && count != 1)) {
    throw std::out_of_range("posts from it are not of one size");
  }
  const Function& function = *function_of(header.function);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const std::byte> arguments = message.payload.subspan(i * size, size);
    function.run({endpoint_.node, message.source, header.depth, arguments}, nullptr);
  }
  posts_.count_ends(count);
  sender_.return_credit(message.source, header.depth);
}

// --- Writes --------------------------------------------------------------------------------------

/// The body comes even if the region must not be written; then it is received into other memory.
void CallServer::begin_write(const IncomingMessage& message) {
  Reader reader(message.payload, endpoint_.node);
  const auto access = Packing<Access>::unpack(reader);
  const std::span<std::byte> memory = writes_.begin(message.source, message.header, access);
  endpoint_.link->take_body(message.source, message.header.amount, memory);
}

void CallServer::end_write(int source, std::uint64_t number) {
  const std::optional<IncomingWrite> write = writes_.end(source, number);
  if (!write || endpoint_.peer(source).is_lost) return;
  Reply reply = answer(write->header, [&](Frame&) -> std::size_t {
    if (write->failure != nullptr) std::rethrow_exception(write->failure);
    return 0;
  });
  sender_.add(source, std::move(reply.message), reply.header);
}

// --- Credits -------------------------------------------------------------------------------------

void CallServer::relieve(bool idle, PollTime& now) {
  const int early = calls_.relieve(
      idle, now, [this](const IncomingCall& call) { sender_.owe_credit(call.caller, call.depth); });
  if (early > 0) {
    endpoint_.counters.credits_early.fetch_add(static_cast<std::uint64_t>(early),
                                               std::memory_order_relaxed);
  }
  ring_at_look();
}

}  // namespace kumiko::cluster::detail
