// What comes from other ranks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include <kumiko/cluster/program.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

#include "calls/node.hpp"
#include "calls/waiting.hpp"

namespace kumiko::cluster::detail {

namespace {

/// A link that has nothing to sleep on is polled again after the time that nothing has come or gone
/// for, so twice as late each time, within these limits. The longer one also is how late a message
/// may be seen by a rank that has nothing to do; with it such a rank takes some 4 % of a core where
/// a timer costs 40 us. The third one holds while frames are on their way that go on by polls only.
constexpr std::chrono::microseconds kShortestPause{20};
constexpr std::chrono::microseconds kLongestPause{1000};
constexpr std::chrono::microseconds kLongestPauseOfTransfers{50};

/// A link that has brought something may have more: it is asked again, so many times at most. What
/// comes of the first frames leaves before, so that those who wait for it go on meanwhile.
constexpr int kRoundsPerPoll = 8;

/// How long memory that a lost rank may still write to is waited for.
constexpr std::chrono::seconds kLongestOrphan{5};

}  // namespace

// --- Receiving -----------------------------------------------------------------------------------

/// The poller has no caller to report an exception to, and messages would be lost with it.
int Node::poll(bool idle) noexcept {
  try {
    return poll_once(idle);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "kumiko: rank %d: cannot handle a message: %s; aborting\n", rank_,
                 exception.what());
  } catch (...) {
    std::fprintf(stderr, "kumiko: rank %d: cannot handle a message; aborting\n", rank_);
  }
  std::abort();
}

int Node::poll_once(bool idle) {
  if (!is_open()) {
    bell_.silence(Clock::now());
    // What comes after the end is for nobody; it is taken so that the bell is silent.
    // Who has abandoned the others may wait for memory that they write to.
    if (!std::exchange(gave_up_landings_, true)) {
      for (int rank = 0; rank < size_; ++rank) link_->give_up_bodies(rank);
    }
    if (link_->pollable() >= 0 || !landings_.empty()) link_->poll(*this);
    return 0;
  }
  bell_.silence_rings();
  polls_.store(polls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  PollTime now;
  // First what threads have left, as others may wait for it; last what comes of this poll.
  bool has_sent = idle && flush(idle, now);
  int frames = 0;
  for (int round = 0; round < kRoundsPerPoll; ++round) {
    const int news = link_->poll(*this);
    frames += news;
    relieve(idle, now);
    look_for_silence_at_times(now);
    has_sent = flush(idle, now) || has_sent;
    // A worker with nothing to do polls again soon, once it has run what one frame brings.
    if (news == 0 || (idle && news == 1)) break;
  }
  look_whether_all_left();
  transferring_.store(link_->is_transferring(), std::memory_order_relaxed);
  if (frames == 0 && !has_sent) return 0;
  // The clock takes as long as all else that an idle poll does, which others may wait for.
  has_moved_ = true;
  // A worker that sleeps meanwhile is to look sooner.
  if (!idle) poll_again(now());
  if (link_->pollable() >= 0 && silence_.wants_look(stirs())) bell_.ring_at(silence_.next_look());
  return frames;
}

/// Where no descriptor wakes a worker that sleeps, the time does. Not set while it searches, for it
/// polls then: a timer costs a system call and an interrupt.
void Node::poll_again(Clock::time_point now) noexcept {
  if (link_->pollable() >= 0) return;
  const std::chrono::nanoseconds longest =
      link_->is_transferring() ? kLongestPauseOfTransfers : kLongestPause;
  if (std::exchange(has_moved_, false)) latest_frame_ = now;
  polls_at_ =
      now + std::clamp<std::chrono::nanoseconds>(now - latest_frame_, kShortestPause, longest);
  bell_.ring_at(polls_at_);
}

bool Node::has_news() noexcept {
  const auto now = Clock::now();
  const bool is_rung = bell_.silence(now);
  if (!is_open()) return MessageSource::has_news();  // what is to be drained
  // The end of a link goes on by polls.
  if (deadlock_.is_due(now)) look_for_deadlock(now);
  const bool looks = silence_.wants_look(stirs());
  if (looks && silence_.is_due(now)) polls_since_look_ = kPollsPerLook;
  const bool is_due = (leaving_.load(std::memory_order_relaxed) && now >= polls_at_) ||
                      polls_since_look_ >= kPollsPerLook;
  if (is_rung || is_due || unsent_.load(std::memory_order_relaxed) ||
      now >= incoming_calls_.looks_at() || owes_.load(std::memory_order_relaxed) ||
      (link_->pollable() >= 0 ? MessageSource::has_news() : link_->look())) {
    return true;
  }
  if (incoming_calls_.looks_at() != Clock::time_point::max())
    bell_.ring_at(incoming_calls_.looks_at());
  if (looks) bell_.ring_at(silence_.next_look());
  if (deadlock_.next_look() != Clock::time_point::max()) bell_.ring_at(deadlock_.next_look());
  poll_again(now);
  return false;
}

void Node::receive(int source, Frame frame) {
  if (source < 0 || source >= size_ || peer(source).is_lost || !is_open()) return;
  silence_.heard(source);
  const auto shared = std::make_shared<const Frame>(std::move(frame));
  FrameHeader header;
  const bool is_whole = shared->size() >= sizeof header;
  if (is_whole) std::memcpy(&header, shared->data(), sizeof header);
  if (!is_whole || header.magic != FrameHeader::kMagic) {
    return lost(source, "what came from it is not a frame of a cluster");
  }
  if (header.program != program_) {
    return lost(source,
                "it runs another program, or another build of it; start the same file "
                "everywhere");
  }
  CallsOfFrame calls{source, shared};
  const std::string wrong = take_messages(header.messages, calls);
  if (calls.count != 0) start_calls(std::move(calls));
  if (!wrong.empty()) lost(source, wrong);
}

/// Returns what is wrong with the frame, or nothing.
std::string Node::take_messages(std::uint32_t count, CallsOfFrame& calls) {
  const Frame& frame = *calls.frame;
  std::size_t at = sizeof(FrameHeader);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t begin = at;
    const std::optional<Message> message = next_message(frame, at);
    if (!message) return "a frame from it ends within a message";
    const Kind kind = message->header.kind;
    if (!is_known(kind) || message->header.depth > kDeepest) {
      return "a message from it is of no kind that is known";
    }
    const KindRules& rules = rules_of(kind);
    if (rules.runs != Runs::kNone && function_of(message->header.function) == nullptr) {
      return "it asks for a function that is not there";
    }
    if (rules.from == From::kThreads) messages_received_.fetch_add(1, std::memory_order_relaxed);
    if (rules.runs == Runs::kInThread) {
      if (calls.count++ == 0) calls.first = begin;
      continue;
    }
    try {
      dispatch({calls.source, calls.frame, message->header, message->payload});
    } catch (const std::out_of_range& error) {
      return "in a message '" + std::string(rules.name) + "' from it: " + error.what();
    }
  }
  return {};
}

void Node::dispatch(const Arrived& message) {
  switch (message.header.kind) {
    case Kind::kInvoke:
    case Kind::kPost:
      return;  // see start_calls()
    case Kind::kInline:
      return answer_inline(message);
    case Kind::kInlinePost:
      return run_inline_posts(message);
    case Kind::kReply:
    case Kind::kFailure:
      return finish(message);
    case Kind::kCredit:
      return peer(message.source).credits.give(message.header.depth, message.header.amount);
    case Kind::kCount:
      return send_count(message);
    case Kind::kMove:
      if (message.header.function >= static_cast<std::uint32_t>(size_)) {
        throw std::out_of_range("it moves a token to a rank that is not there");
      }
      return fail_entry(pending_.note_move({message.header.slot, message.header.generation},
                                           message.source,
                                           static_cast<int>(message.header.function),
                                           static_cast<std::uint32_t>(message.header.amount)));
    case Kind::kArrived:
      return fail_entry(pending_.note_arrival({message.header.slot, message.header.generation},
                                              message.source,
                                              static_cast<std::uint32_t>(message.header.amount)));
    case Kind::kPart:
      return take_part(message.source, message.header, message.payload);
    case Kind::kCollected:
      return finish_collection(message);
    case Kind::kLeave:
      return note_leaving(message);
    case Kind::kAsk:
      return send_present(message.source);
    case Kind::kPresent:
      return note_present(message);
    case Kind::kGivenUp:
      return note_given_up(message);
    case Kind::kWrite:
      return begin_landing(message);
    case Kind::kPassive:
      return take_passive(message);
    case Kind::kReport:
      return deadlock_.have_report();
  }
}

/// Counted from here on, so that the poll in which they come has the bell ring if nothing moves.
void Node::start_calls(CallsOfFrame calls) {
  incoming_calls_.expect(calls.count);
  runtime_.submit(
      [self = shared_from_this(), calls = std::move(calls)] { self->run_calls(calls); });
}

/// Each is a thread of its own, which a thread makes *child first*, and is the last one itself: one
/// that does not wait costs little more than a call then. Meanwhile other workers may take the
/// rest.
void Node::run_calls(const CallsOfFrame& calls) {
  std::size_t at = calls.first;
  for (std::uint32_t left = calls.count;;) {
    const Message message = next_message(*calls.frame, at).value();
    if (rules_of(message.header.kind).runs != Runs::kInThread) continue;
    const Arrived call{calls.source, calls.frame, message.header, message.payload};
    if (--left == 0) return run_call(call);
    runtime::Thread([self = shared_from_this(), call] { self->run_call(call); }).detach();
  }
}

void Node::run_call(const Arrived& message) {
  const MessageHeader& header = message.header;
  IncomingCall call{message.source, header.depth, header.depth >= kDeepest};
  if (call.credit_returned) {
    send(message.source, empty_message(),
         {.kind = Kind::kCredit, .depth = header.depth, .amount = 1});
  }
  incoming_calls_.admit(call);
  if (header.kind == Kind::kInvoke) {
    Reply reply = reply_to(message);
    reply.header.credit_returned = incoming_calls_.dismiss(call);
    send(message.source, std::move(reply.message), reply.header);
    return;
  }
  // An exception ends the program, as that of any thread that nobody joins.
  function_of(header.function)
      ->run({*this, message.source, header.depth, message.payload}, nullptr);
  count_end_of_post();
  if (!incoming_calls_.dismiss(call)) return_credit(message.source, header.depth);
}

/// Runs the function that is asked for.
Node::Reply Node::reply_to(const Arrived& message) {
  const MessageHeader& header = message.header;
  return answer(header, [&](Frame& result) {
    return function_of(header.function)
        ->run({*this, message.source, header.depth, message.payload}, &result);
  });
}

/// What run(result) has written, which returns how many tokens are in it, or what it throws.
template <class Run>
Node::Reply Node::answer(MessageHeader header, Run run) {
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

void Node::answer_inline(const Arrived& message) {
  Reply reply = reply_to(message);
  add_to_outbox(message.source, std::move(reply.message), reply.header);
}

void Node::run_inline_posts(const Arrived& message) {
  const MessageHeader& header = message.header;
  const std::size_t count = header.amount;
  const std::size_t size = count == 0 ? 0 : message.payload.size() / count;
  // One by itself may be of no size.
  if (size * count != message.payload.size() || (size == 0 && count != 1)) {
    throw std::out_of_range("posts from it are not of one size");
  }
  const Function& function = *function_of(header.function);
  for (std::size_t i = 0; i < count; ++i) {
    function.run({*this, message.source, header.depth, message.payload.subspan(i * size, size)},
                 nullptr);
  }
  // release: as in count_end_of_post().
  posts_done_.fetch_add(count, std::memory_order_release);
  return_credit(message.source, header.depth);
}

void Node::finish(const Arrived& message) {
  const MessageHeader& header = message.header;
  if (!header.credit_returned) peer(message.source).credits.give(header.depth, 1);
  std::string type;
  std::string what;
  if (header.kind == Kind::kFailure) {
    Reader reader(message.payload, *this);
    type = Packing<std::string>::unpack(reader);
    what = Packing<std::string>::unpack(reader);
  }
  Pending* const call = pending_.take({header.slot, header.generation});
  if (call == nullptr) return drop_tokens(message);  // it was given up
  if (header.kind == Kind::kReply) {
    return call->finish({this, message.frame, message.payload, nullptr});
  }
  call->finish({this,
                nullptr,
                {},
                std::make_exception_ptr(RemoteError(message.source, std::move(type), what))});
}

void Node::send_count(const Arrived& message) {
  // acquire: as in sum_of_posts().
  std::uint64_t count = message.header.amount == kPostsDone
                            ? posts_done_.load(std::memory_order_acquire)
                            : posts_sent();
  MessageHeader header = message.header;
  header.kind = Kind::kReply;
  header.credit_returned = true;  // none was taken
  header.amount = 0;              // tokens
  Frame result = empty_message();
  Writer writer(result, message.source);
  Packing<std::uint64_t>::pack(writer, count);
  add_to_outbox(message.source, std::move(result), header);
}

// --- Regions -------------------------------------------------------------------------------------

/// The bytes come whether the region may be written or not: then to memory of their own.
void Node::begin_landing(const Arrived& message) {
  Reader reader(message.payload, *this);
  const auto access = Packing<Access>::unpack(reader);
  Landing landing{.source = message.source,
                  .number = message.header.amount,
                  .header = message.header,
                  .region = access.region};
  std::span<std::byte> memory;
  try {
    memory = regions_.begin_use(access.region, Rights::kWrite, access.offset, access.size);
  } catch (const std::logic_error&) {
    landing.failure = std::current_exception();
    landing.unread.resize(access.size);
    memory = landing.unread;
  }
  landings_.push_back(std::move(landing));
  link_->take_body(message.source, message.header.amount, memory);
}

void Node::body_taken(int source, std::uint64_t number) {
  const auto found = std::ranges::find_if(landings_, [&](const Landing& landing) {
    return landing.source == source && landing.number == number;
  });
  if (found == landings_.end()) return;
  const Landing landing = std::move(*found);
  landings_.erase(found);
  if (landing.failure == nullptr) regions_.end_use(landing.region, landing.is_orphan);
  if (is_lost(source)) return;
  Reply reply = answer(landing.header, [&](Frame&) -> std::size_t {
    if (landing.failure != nullptr) std::rethrow_exception(landing.failure);
    return 0;
  });
  add_to_outbox(source, std::move(reply.message), reply.header);
}

void Node::withdraw(Ticket region) {
  regions_.withdraw(region);
  auto limit = Clock::now() + kLongestOrphan;
  while (!regions_.freed(region)) {
    const bool may_not_end = regions_.has_only_orphans(region) || !is_open();
    if (!may_not_end) {
      limit = Clock::now() + kLongestOrphan;
    } else if (Clock::now() > limit) {
      std::fprintf(stderr,
                   "kumiko: rank %d aborts: a rank was lost while it wrote to memory of this rank "
                   "that is about to be reused\n",
                   rank_);
      std::abort();
    }
    if (!is_open()) runtime_.submit([] {});  // so that a worker is awake, and polls
    runtime::this_thread::sleep_for(kFirstPause);
  }
}

}  // namespace kumiko::cluster::detail
