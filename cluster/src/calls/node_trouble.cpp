// What this rank says of others that are silent, and of threads that wait for ever.
#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <kumiko/cluster/program.hpp>

#include "calls/node.hpp"

namespace kumiko::cluster::detail {

namespace {

/// A function as who wrote it knows it.
std::string name_of_function(const Function& function) {
  std::string name = readable_name(function.name());
  constexpr std::string_view kCallee = "kumiko::cluster::Here::Callee<";
  if (name.starts_with(kCallee))
    name = name.substr(kCallee.size(), name.size() - kCallee.size() - 1);
  return name;
}

/// How a process introduces itself: see Process.
using Introduction = std::tuple<std::string, std::uint64_t, std::uint64_t, std::int32_t>;

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

}  // namespace

// --- Silence -------------------------------------------------------------------------------------

/// The first frame to a rank is followed by who this one is, so that its end is noticed.
void Node::introduce_to(int rank) {
  peer(rank).is_introduced_to = true;
  if (rank != rank_) send_present(rank);
}

void Node::send_present(int rank) {
  const auto pack = [this](Writer& writer) {
    Introduction introduction{process_.host, process_.machine, process_.start, process_.id};
    Packing<Introduction>::pack(writer, introduction);
  };
  add_to_outbox(rank, packed(rank, pack), {.kind = Kind::kPresent});
}

void Node::note_present(const Arrived& message) {
  Reader reader(message.payload, *this);
  auto [host, machine, start, id] = Packing<Introduction>::unpack(reader);
  silence_.introduce(message.source, {std::move(host), machine, start, id});
}

/// What changes whenever something begins to be awaited of another rank. Somebody who waits for a
/// credit does so for calls that are under way.
std::uint64_t Node::stirs() {
  return messages_sent_.load(std::memory_order_relaxed) +
         messages_received_.load(std::memory_order_relaxed) + collections_.begun();
}

std::vector<bool> Node::awaited_ranks() {
  std::vector<bool> awaited(static_cast<std::size_t>(size_));
  pending_.mark_awaited(awaited);
  collections_.mark_awaited(awaited, kMeetingPlace);
  for (const Landing& landing : landings_) {
    awaited[static_cast<std::size_t>(landing.source)] = true;
  }
  const bool is_leaving = leaving_.load(std::memory_order_relaxed) && !told_all_left_;
  for (int rank = 0; rank < size_; ++rank) {
    Peer& other = peer(rank);
    const auto place = static_cast<std::size_t>(rank);
    const bool is_left_waiting_for = is_leaving && !other.has_left.load(std::memory_order_relaxed);
    awaited[place] = rank != rank_ && !other.is_lost &&
                     (awaited[place] || is_left_waiting_for || other.credits.are_awaited());
  }
  return awaited;
}

/// The time is asked for once in many polls, most of which find nothing.
void Node::look_for_silence_at_times(PollTime& now) {
  if (++polls_since_look_ < kPollsPerLook) return;
  polls_since_look_ = 0;
  if (silence_.is_due(now())) look_for_silence(now());
}

void Node::look_for_silence(Clock::time_point now) {
  silence_.note_stirs(stirs());
  for (const Silence::Step& step : silence_.look(now, awaited_ranks())) {
    switch (step.kind) {
      case Silence::Step::Kind::kAsk:
        add_to_outbox(step.rank, empty_message(), {.kind = Kind::kAsk});
        break;
      case Silence::Step::Kind::kWarn:
        std::fprintf(stderr, "kumiko: rank %d waits for rank %d, which has sent nothing for %s\n",
                     rank_, step.rank, step.text.c_str());
        break;
      case Silence::Step::Kind::kLost:
      case Silence::Step::Kind::kEnded:
        give_up(step.rank, step.text, step.kind == Silence::Step::Kind::kEnded);
        break;
    }
  }
}

/// All ranks lose the same ones: others may wait for an answer that the lost one would have caused.
/// The rank itself learns of it, too, should it live on.
void Node::give_up(int rank, const std::string& reason, bool has_ended) {
  // The exceptions tell of a process that has ended. Silence may mean something else: this is a
  // decision, and worth a line.
  if (!has_ended) {
    std::fprintf(stderr, "kumiko: rank %d treats rank %d as lost: %s\n", rank_, rank,
                 reason.c_str());
  }
  std::string_view text = reason;
  const MessageHeader header{.kind = Kind::kGivenUp, .function = static_cast<std::uint32_t>(rank)};
  for (int other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    const auto pack = [&](Writer& writer) { Packing<std::string_view>::pack(writer, text); };
    add_to_outbox(other, packed(other, pack), header);
  }
  // Now, since nothing is sent to a rank that is lost.
  if (!has_ended) send_frames(rank, peer(rank).outbox.take_all(program_).frames);
  lost(rank, reason);
}

void Node::note_given_up(const Arrived& message) {
  const auto rank = static_cast<int>(message.header.function);
  if (rank < 0 || rank >= size_) throw std::out_of_range("it gives up a rank that is not there");
  Reader reader(message.payload, *this);
  const auto reason = Packing<std::string>::unpack(reader);
  if (rank != rank_) return lost(rank, reason);
  note_loss(rank_, reason);
  for (int other = 0; other < size_; ++other) {
    if (other != rank_) lost(other, "it treats this rank as lost: " + reason);
  }
}

// --- Deadlock ------------------------------------------------------------------------------------

/// Nothing but a message can wake any thread. Credits that may be returned early, or are yet to be
/// sent, would be messages; so would the answer to a body that is on its way. Who leaves waits for
/// a time only.
std::optional<MessageCounts> Node::counts_if_passive() const {
  if (!landings_.empty() || incoming_calls_.looks_at() != Clock::time_point::max() ||
      owes_.load(std::memory_order_relaxed) || ending_.load(std::memory_order_relaxed) ||
      !runtime_.waits_for_source()) {
    return {};
  }
  return MessageCounts{messages_sent_.load(std::memory_order_relaxed),
                       messages_received_.load(std::memory_order_relaxed)};
}

/// Called before a sleep, when the workers lie down; so what is sent here has somebody look again.
void Node::look_for_deadlock(Clock::time_point now) {
  const DeadlockWatch::Step step = deadlock_.look(now, counts_if_passive());
  if (step.reports) return report_deadlock();
  if (step.asks) {
    for (int rank = 1; rank < size_; ++rank) {
      add_to_outbox(rank, empty_message(), {.kind = Kind::kPassive, .amount = step.round});
    }
  }
  if (step.answers) {
    Frame message = empty_message();
    Writer writer(message, 0);
    MessageCounts counts = step.counts;
    Packing<MessageCounts>::pack(writer, counts);
    add_to_outbox(0, std::move(message), {.kind = Kind::kPassive, .amount = step.round});
  }
}

void Node::take_passive(const Arrived& message) {
  if (rank_ != 0) return deadlock_.ask(message.header.amount);
  Reader reader(message.payload, *this);
  deadlock_.take_answer(message.source, message.header.amount,
                        Packing<MessageCounts>::unpack(reader));
}

/// One rank after the other tells, so that what they say is not mixed.
void Node::report_deadlock() {
  const std::string headline =
      "kumiko: rank " + std::to_string(rank_) +
      ": no thread of any rank can run, no deadline is pending and no message is under way; unless "
      "another OS thread wakes them, these wait forever:\n";
  if (!runtime_.report_waits_for_source(headline)) return deadlock_.put_off_report();
  std::fputs(what_is_awaited().c_str(), stderr);
  if (rank_ + 1 < size_) add_to_outbox(rank_ + 1, empty_message(), {.kind = Kind::kReport});
}

/// Which rank owes what, as lines.
std::string Node::what_is_awaited() {
  constexpr int kMostLines = 20;
  std::string text;
  const auto add_line = [&](const std::string& what) {
    text.append("  rank ").append(std::to_string(rank_)).append(" waits for ");
    text.append(what).append("\n");
  };
  int lines = 0;
  pending_.for_each([&](const Pending& call, int rank, const Function* function) {
    if (++lines <= kMostLines) add_line(what_is_pending(call, rank, function));
  });
  if (lines > kMostLines) add_line(std::to_string(lines - kMostLines) + " more answers or tokens");
  std::vector<bool> absent(static_cast<std::size_t>(size_));
  collections_.mark_awaited(absent, kMeetingPlace);
  for (int rank = 0; rank < size_; ++rank) {
    const std::string other = "rank " + std::to_string(rank);
    if (const std::size_t waiters = peer(rank).credits.waiters(); waiters != 0) {
      add_line(std::to_string(waiters) + " credits for calls at " + other);
    }
    if (absent[static_cast<std::size_t>(rank)]) add_line("a collective operation by " + other);
  }
  return text;
}

}  // namespace kumiko::cluster::detail
