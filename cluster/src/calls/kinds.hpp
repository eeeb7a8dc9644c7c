// The kinds of messages between ranks, and the rules for each kind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kumiko::cluster::detail {

enum class Kind : std::uint8_t {
  kInvoke,
  kInline,
  kPost,
  kInlinePost,
  kReply,
  kFailure,
  kCredit,
  kCount,
  kMove,
  kArrived,
  kPart,
  kCollected,
  kLeave,
  kGivenUp,
  kWrite,
  kAsk,
  kPresent,
  kPassive,
  kReport
};

/// The place where the function that a message names runs.
enum class Runs : std::uint8_t { kNone, kInThread, kInPoller };

/// The sender of a message.
enum class From : std::uint8_t {
  kThreads,  ///< or the poller for them; it may wake a thread, so it is counted as a message
  kPollers,  ///< about the ranks themselves; it wakes no thread
};

/// The rules for the messages of a kind.
struct KindRules {
  Kind kind;
  std::string_view name;
  From from;
  Runs runs;
};

inline constexpr std::array kKinds = {
    // run `function`, and send a reply or a failure
    KindRules{Kind::kInvoke, "invoke", From::kThreads, Runs::kInThread},
    // run `function`, and send a reply or a failure
    KindRules{Kind::kInline, "inline", From::kThreads, Runs::kInPoller},
    // run `function`, and return the credit
    KindRules{Kind::kPost, "post", From::kThreads, Runs::kInThread},
    // run `function` `amount` times, each with a part of the payload, and return one credit
    KindRules{Kind::kInlinePost, "inline post", From::kThreads, Runs::kInPoller},
    // the result of the invocation in `slot`
    KindRules{Kind::kReply, "reply", From::kThreads, Runs::kNone},
    // the exception of the invocation in `slot`: its type and its message
    KindRules{Kind::kFailure, "failure", From::kThreads, Runs::kNone},
    // `amount` credits of `depth`
    KindRules{Kind::kCredit, "credit", From::kThreads, Runs::kNone},
    // how many posts of this rank are done (amount 0) or sent (1)? A reply answers
    KindRules{Kind::kCount, "count", From::kThreads, Runs::kNone},
    // the right to assign the entry in `slot` is with rank `function` now
    KindRules{Kind::kMove, "move", From::kThreads, Runs::kNone},
    // that right has come to the sender, by its move number `amount`
    KindRules{Kind::kArrived, "arrived", From::kThreads, Runs::kNone},
    // a rank's part of collection `amount`, for rank `slot`; all ranks get collected
    KindRules{Kind::kPart, "part", From::kThreads, Runs::kNone},
    // the parts of all ranks of collection `amount`
    KindRules{Kind::kCollected, "collected", From::kThreads, Runs::kNone},
    // the rank makes no more calls; with a reason if it has failed
    KindRules{Kind::kLeave, "leave", From::kThreads, Runs::kNone},
    // rank `function` is lost, for this reason
    KindRules{Kind::kGivenUp, "given up", From::kThreads, Runs::kNone},
    // body `amount` will be written to a region; a reply or a failure follows then
    KindRules{Kind::kWrite, "write", From::kThreads, Runs::kNone},
    // does the rank still poll? It sends present
    KindRules{Kind::kAsk, "ask", From::kPollers, Runs::kNone},
    // the rank polls; it is this process
    KindRules{Kind::kPresent, "present", From::kPollers, Runs::kNone},
    // in round `amount`: do all threads of the rank wait? The same kind with counts answers
    KindRules{Kind::kPassive, "passive", From::kPollers, Runs::kNone},
    // report a deadlock, and then have the next rank do so
    KindRules{Kind::kReport, "report", From::kPollers, Runs::kNone},
};

constexpr bool is_known(Kind kind) noexcept {
  return static_cast<std::size_t>(kind) < kKinds.size();
}
constexpr const KindRules& rules_of(Kind kind) noexcept {
  return kKinds[static_cast<std::size_t>(kind)];
}

/// True if the table has each kind in its place.
constexpr bool is_in_order() noexcept {
  for (std::size_t at = 0; at < kKinds.size(); ++at) {
    if (static_cast<std::size_t>(kKinds[at].kind) != at) return false;
  }
  return true;
}
static_assert(is_in_order() && rules_of(Kind::kReport).kind == Kind::kReport);

}  // namespace kumiko::cluster::detail
