#include "calls/watcher.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string_view>

#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/cluster/program.hpp>

namespace kumiko::cluster::detail {

namespace {

/// The number of polls between two looks at the time for silent ranks, unless a worker is about to
/// sleep.
constexpr int kPollsPerLook = 256;

/// The name of a function in the program's source.
std::string name_of_function(const Function& function) {
  std::string name = readable_name(function.name());
  constexpr std::string_view kCallee = "kumiko::cluster::Here::Callee<";
  if (name.starts_with(kCallee))
    name = name.substr(kCallee.size(), name.size() - kCallee.size() - 1);
  return name;
}

/// "the answer of rank 1 to f (0x...)", for people.
std::string what_is_pending(const Pending& call, int rank, const Function* function) {
  std::array<char, 32> place{};
  if (call.waited_at() != nullptr) {
    std::snprintf(place.data(), place.size(), " (%p)", call.waited_at());
  }
  const std::string whom = "rank " + std::to_string(rank);
  if (function == nullptr) return "an entry whose token is on " + whom + place.data();
  return "the answer of " + whom + " to " + name_of_function(*function) + place.data();
}

std::chrono::milliseconds patience_of_deadlocks(const Endpoint& endpoint) {
  return endpoint.options.report_deadlocks ? endpoint.runtime.deadlock_report_after()
                                           : std::chrono::milliseconds(0);
}

}  // namespace

Watcher::Watcher(Endpoint& endpoint, Sender& sender, PendingCalls& pending,
                 Collections& collections, Membership& membership, IncomingWrites& writes,
                 CallServer& server)
    : endpoint_(endpoint),
      sender_(sender),
      pending_(pending),
      collections_(collections),
      membership_(membership),
      writes_(writes),
      server_(server),
      silence_(endpoint.size, {endpoint.options.warn_after, endpoint.options.lost_after}),
      deadlock_(endpoint.rank, endpoint.size, patience_of_deadlocks(endpoint)) {}

void Watcher::look_at_times(PollTime& now) {
  if (++polls_since_look_ < kPollsPerLook) return;
  polls_since_look_ = 0;
  if (silence_.is_due(now())) look_for_silence(now());
}

bool Watcher::look_before_sleep(Clock::time_point now) {
  if (deadlock_.is_due(now)) look_for_deadlock(now);
  if (silence_.wants_look(activity()) && silence_.is_due(now)) polls_since_look_ = kPollsPerLook;
  return polls_since_look_ >= kPollsPerLook;
}

void Watcher::ring_at_look() {
  ring_at_silence_look();
  if (deadlock_.next_look() != Clock::time_point::max()) {
    endpoint_.bell.ring_at(deadlock_.next_look());
  }
}

// --- Silence -------------------------------------------------------------------------------------

/// A number that changes whenever something begins to be awaited from another rank. A thread that
/// waits for a credit waits for calls that are in progress, so it needs no count of its own.
std::uint64_t Watcher::activity() {
  return endpoint_.counters.messages_sent.load(std::memory_order_relaxed) +
         endpoint_.counters.messages_received.load(std::memory_order_relaxed) +
         collections_.begun();
}

std::vector<bool> Watcher::awaited_ranks() {
  std::vector<bool> awaited(static_cast<std::size_t>(endpoint_.size));
  pending_.mark_awaited(awaited);
  collections_.mark_awaited(awaited);
  writes_.mark_awaited(awaited);
  for (int rank = 0; rank < endpoint_.size; ++rank) {
    Peer& other = endpoint_.peer(rank);
    const auto place = static_cast<std::size_t>(rank);
    awaited[place] = rank != endpoint_.rank && !other.is_lost &&
                     (awaited[place] || membership_.awaits(rank) || other.credits.are_awaited());
  }
  return awaited;
}

void Watcher::look_for_silence(Clock::time_point now) {
  silence_.note_activity(activity());
  for (const Silence::Step& step : silence_.look(now, awaited_ranks())) {
    switch (step.kind) {
      case Silence::Step::Kind::kAsk:
        sender_.add(step.rank, empty_message(), {.kind = Kind::kAsk});
        break;
      case Silence::Step::Kind::kWarn:
        std::fprintf(stderr, "kumiko: rank %d waits for rank %d, which has sent nothing for %s\n",
                     endpoint_.rank, step.rank, step.text.c_str());
        break;
      case Silence::Step::Kind::kLost:
      case Silence::Step::Kind::kEnded:
        give_up(step.rank, step.text, step.kind == Silence::Step::Kind::kEnded);
        break;
    }
  }
}

/// All ranks treat the same ranks as lost, because others may wait for an answer that the lost one
/// would have caused. The rank itself is notified too, in case it still runs.
void Watcher::give_up(int rank, const std::string& reason, bool has_ended) {
  // Exceptions report a process that has ended. Silence may mean something else, so the decision is
  // reported.
  if (!has_ended) {
    std::fprintf(stderr, "kumiko: rank %d treats rank %d as lost: %s\n", endpoint_.rank, rank,
                 reason.c_str());
  }
  const MessageHeader header{.kind = Kind::kGivenUp, .function = static_cast<std::uint32_t>(rank)};
  for (int other = 0; other < endpoint_.size; ++other) {
    if (other != endpoint_.rank) sender_.add(other, message_of(reason), header);
  }
  // Now, because nothing is sent to a rank that is lost.
  if (!has_ended) sender_.flush_to(rank);
  membership_.lost(rank, reason);
}

void Watcher::take_present(const IncomingMessage& message) {
  Reader reader(message.payload, endpoint_.node);
  silence_.introduce(message.source, Packing<Process>::unpack(reader));
}

// --- Deadlock ------------------------------------------------------------------------------------

/// The rank's counts if only a message can wake any of its threads. Credits that may be returned
/// early or are not sent yet would be messages, as would the answer to a body in transit. A rank
/// that leaves waits for a limited time only.
std::optional<MessageCounts> Watcher::counts_if_passive() const {
  if (!writes_.empty() || server_.looks_at() != Clock::time_point::max() ||
      sender_.owes_credits() || membership_.is_ending() || !endpoint_.runtime.waits_for_source()) {
    return {};
  }
  return MessageCounts{endpoint_.counters.messages_sent.load(std::memory_order_relaxed),
                       endpoint_.counters.messages_received.load(std::memory_order_relaxed)};
}

/// Called before a worker sleeps; the worker looks again for what is sent here.
void Watcher::look_for_deadlock(Clock::time_point now) {
  const DeadlockWatch::Step step = deadlock_.look(now, counts_if_passive());
  if (step.reports) return report_deadlock();
  const MessageHeader header{.kind = Kind::kPassive, .amount = step.round};
  if (step.asks) {
    for (int rank = 1; rank < endpoint_.size; ++rank) sender_.add(rank, empty_message(), header);
  }
  if (step.answers) sender_.add(0, message_of(step.counts), header);
}

void Watcher::take_passive(const IncomingMessage& message) {
  if (endpoint_.rank != 0) return deadlock_.ask(message.header.amount);
  Reader reader(message.payload, endpoint_.node);
  deadlock_.take_answer(message.source, message.header.amount,
                        Packing<MessageCounts>::unpack(reader));
}

/// One rank reports after the other, so that their lines are not mixed.
void Watcher::report_deadlock() {
  const std::string headline =
      "kumiko: rank " + std::to_string(endpoint_.rank) +
      ": no thread of any rank can run, no deadline is pending and no message is under way; unless "
      "another OS thread wakes them, these wait forever:\n";
  if (!endpoint_.runtime.report_waits_for_source(headline)) return deadlock_.put_off_report();
  std::fputs(what_is_awaited().c_str(), stderr);
  const int next = endpoint_.rank + 1;
  if (next < endpoint_.size) sender_.add(next, empty_message(), {.kind = Kind::kReport});
}

/// Lines that say which rank owes which answer.
std::string Watcher::what_is_awaited() {
  constexpr int kMostLines = 20;
  std::string text;
  const auto add_line = [&](const std::string& what) {
    text.append("  rank ").append(std::to_string(endpoint_.rank)).append(" waits for ");
    text.append(what).append("\n");
  };
  int lines = 0;
  pending_.for_each([&](const Pending& call, int rank, const Function* function) {
    if (++lines <= kMostLines) add_line(what_is_pending(call, rank, function));
  });
  if (lines > kMostLines) add_line(std::to_string(lines - kMostLines) + " more answers or tokens");
  std::vector<bool> absent(static_cast<std::size_t>(endpoint_.size));
  collections_.mark_awaited(absent);
  for (int rank = 0; rank < endpoint_.size; ++rank) {
    const std::string other = "rank " + std::to_string(rank);
    if (const std::size_t waiters = endpoint_.peer(rank).credits.waiters(); waiters != 0) {
      add_line(std::to_string(waiters) + " credits for calls at " + other);
    }
    if (absent[static_cast<std::size_t>(rank)]) add_line("a collective operation by " + other);
  }
  return text;
}

}  // namespace kumiko::cluster::detail
