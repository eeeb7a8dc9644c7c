#include "calls/poller.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <kumiko/cluster/detail/function.hpp>

namespace kumiko::cluster::detail {

namespace {

/// A link without a descriptor is polled again after the time for which no frame has come or gone,
/// so after twice the time each time, within these limits. The longest pause is also the delay with
/// which a rank that has nothing to do may see a message; with it such a rank takes about 4 % of a
/// core on a machine where a timer costs 40 us. The third limit holds while frames are in transit
/// that make progress by polls only.
constexpr std::chrono::microseconds kShortestPause{20};
constexpr std::chrono::microseconds kLongestPause{1000};
constexpr std::chrono::microseconds kLongestPauseOfTransfers{50};

/// The largest number of times that one poll polls a link that has brought something, because it
/// may have more. The answers to the first frames leave in between, so that the callers continue.
constexpr int kRoundsPerPoll = 8;

}  // namespace

Poller::Poller(Endpoint& endpoint, Sender& sender, Answers& answers, OutgoingCalls& calls,
               Collections& collections, Membership& membership, CallServer& server,
               Watcher& watcher) noexcept
    : endpoint_(endpoint),
      sender_(sender),
      answers_(answers),
      calls_(calls),
      collections_(collections),
      membership_(membership),
      server_(server),
      watcher_(watcher) {}

// --- Polling -------------------------------------------------------------------------------------

/// The poller has no caller to report an exception to, and messages would be lost with it.
int Poller::poll(bool idle) noexcept {
  try {
    return poll_once(idle);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "kumiko: rank %d: cannot handle a message: %s; aborting\n", endpoint_.rank,
                 exception.what());
  } catch (...) {
    std::fprintf(stderr, "kumiko: rank %d: cannot handle a message; aborting\n", endpoint_.rank);
  }
  std::abort();
}

int Poller::poll_once(bool idle) {
  if (!is_open()) {
    drain();
    return 0;
  }
  endpoint_.bell.silence_rings();
  std::atomic<std::uint64_t>& polls = endpoint_.counters.polls;
  polls.store(polls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  PollTime now;
  // First the messages of threads, because other ranks may wait for them.
  bool has_sent = idle && sender_.flush(idle, now);
  const int frames = poll_rounds(idle, now, has_sent);
  membership_.end_if_all_left();
  sender_.note_transfers();
  if (frames == 0 && !has_sent) return 0;
  // Reading the clock takes as long as the rest of an idle poll, for which others may wait.
  has_moved_ = true;
  // A worker that sleeps meanwhile must look sooner.
  if (!idle) poll_again(now());
  if (endpoint_.link->pollable() >= 0) watcher_.ring_at_silence_look();
  return frames;
}

/// Polls the link until it brings nothing more. Returns the number of its frames.
int Poller::poll_rounds(bool idle, PollTime& now, bool& has_sent) {
  int frames = 0;
  for (int round = 0; round < kRoundsPerPoll; ++round) {
    const int news = endpoint_.link->poll(*this);
    frames += news;
    server_.relieve(idle, now);
    watcher_.look_at_times(now);
    has_sent = sender_.flush(idle, now) || has_sent;
    // A worker with nothing to do polls again soon, once it has run the calls of one frame.
    if (news == 0 || (idle && news == 1)) break;
  }
  return frames;
}

/// Drops what comes after the end, so that the bell is silent. A rank that has abandoned the others
/// may wait for memory that they write to.
void Poller::drain() {
  endpoint_.bell.silence(Clock::now());
  if (!std::exchange(gave_up_bodies_, true)) {
    for (int rank = 0; rank < endpoint_.size; ++rank) endpoint_.link->give_up_bodies(rank);
  }
  if (endpoint_.link->pollable() >= 0 || server_.has_writes()) endpoint_.link->poll(*this);
}

/// Makes a sleeping worker poll after a time if the link has no descriptor that wakes it. Not
/// called while the worker searches, because it polls then, and a timer costs a system call and an
/// interrupt.
void Poller::poll_again(Clock::time_point now) noexcept {
  if (endpoint_.link->pollable() >= 0) return;
  const std::chrono::nanoseconds longest =
      endpoint_.link->is_transferring() ? kLongestPauseOfTransfers : kLongestPause;
  if (std::exchange(has_moved_, false)) latest_frame_ = now;
  polls_at_ =
      now + std::clamp<std::chrono::nanoseconds>(now - latest_frame_, kShortestPause, longest);
  endpoint_.bell.ring_at(polls_at_);
}

bool Poller::has_news() noexcept {
  const auto now = Clock::now();
  const bool is_rung = endpoint_.bell.silence(now);
  if (!is_open()) return MessageSource::has_news();  // what drain() must take
  // A link ends by polls.
  const bool must_poll = membership_.is_leaving() && now >= polls_at_;
  const bool must_look = watcher_.look_before_sleep(now);
  if (is_rung || must_poll || must_look || sender_.has_unsent() || now >= server_.looks_at() ||
      sender_.owes_credits() ||
      (endpoint_.link->pollable() >= 0 ? MessageSource::has_news() : endpoint_.link->look())) {
    return true;
  }
  server_.ring_at_look();
  watcher_.ring_at_look();
  poll_again(now);
  return false;
}

// --- Messages ------------------------------------------------------------------------------------

void Poller::receive(int source, Frame frame) {
  if (source < 0 || source >= endpoint_.size || endpoint_.peer(source).is_lost || !is_open()) {
    return;
  }
  watcher_.heard(source);
  const auto shared = std::make_shared<const Frame>(std::move(frame));
  FrameHeader header;
  const bool is_whole = shared->size() >= sizeof header;
  if (is_whole) std::memcpy(&header, shared->data(), sizeof header);
  if (!is_whole || header.magic != FrameHeader::kMagic) {
    return lost(source, "what came from it is not a frame of a cluster");
  }
  if (header.program != endpoint_.program) {
    return lost(source,
                "it runs another program, or another build of it; start the same file "
                "everywhere");
  }
  CallsOfFrame calls{source, shared};
  const std::string wrong = take_messages(header.messages, calls);
  if (calls.count != 0) server_.start(std::move(calls));
  if (!wrong.empty()) lost(source, wrong);
}

/// Returns what is wrong with the frame, or nothing.
std::string Poller::take_messages(std::uint32_t count, CallsOfFrame& calls) {
  std::size_t at = sizeof(FrameHeader);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t begin = at;
    const std::optional<Message> message = next_message(*calls.frame, at);
    if (!message) return "a frame from it ends within a message";
    const Kind kind = message->header.kind;
    if (!is_known(kind) || message->header.depth > kDeepest) {
      return "a message from it has an unknown kind";
    }
    const KindRules& rules = rules_of(kind);
    if (rules.runs != Runs::kNone && function_of(message->header.function) == nullptr) {
      return "it calls a function that this program does not have";
    }
    if (rules.from == From::kThreads) {
      endpoint_.counters.messages_received.fetch_add(1, std::memory_order_relaxed);
    }
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

void Poller::dispatch(const IncomingMessage& message) {
  switch (message.header.kind) {
    case Kind::kInvoke:
    case Kind::kPost:
      return;  // see CallServer::start()
    case Kind::kInline:
      return server_.answer_inline(message);
    case Kind::kInlinePost:
      return server_.run_inline_posts(message);
    case Kind::kReply:
    case Kind::kFailure:
      return answers_.take_reply(message);
    case Kind::kCredit:
      return endpoint_.peer(message.source)
          .credits.give(message.header.depth, message.header.amount);
    case Kind::kCount:
      return calls_.send_count(message);
    case Kind::kMove:
      return answers_.take_move(message);
    case Kind::kArrived:
      return answers_.take_arrival(message);
    case Kind::kPart:
      return collections_.take_part(message.source, message.header, message.payload);
    case Kind::kCollected:
      return collections_.finish(message);
    case Kind::kLeave:
      return membership_.take_leaving(message);
    case Kind::kAsk:
      return sender_.send_present(message.source);
    case Kind::kPresent:
      return watcher_.take_present(message);
    case Kind::kGivenUp:
      return membership_.take_given_up(message);
    case Kind::kWrite:
      return server_.begin_write(message);
    case Kind::kPassive:
      return watcher_.take_passive(message);
    case Kind::kReport:
      return watcher_.take_report();
  }
}

}  // namespace kumiko::cluster::detail
