// The kinds of messages between ranks: what each says, who sends it, and what comes back.
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
  kThreads,  ///< or the poller for them: it brings something to threads, and therefore counts
  kPollers,  ///< nothing but these sends and takes what ranks say about themselves
};

/// The answer to a message.
enum class Back : std::uint8_t {
  kNothing,
  kReplyOrFailure,
  kCredit,
  kCollected,
  kPresent,
  kPassive
};

/// The rules for the messages of a kind.
struct KindRules {
  Kind kind;
  std::string_view name;
  From from;
  Runs runs;
  Back back;
};

inline constexpr std::array kKinds = {
    // run `function`
    KindRules{Kind::kInvoke, "invoke", From::kThreads, Runs::kInThread, Back::kReplyOrFailure},
    // run `function`
    KindRules{Kind::kInline, "inline", From::kThreads, Runs::kInPoller, Back::kReplyOrFailure},
    // run `function`
    KindRules{Kind::kPost, "post", From::kThreads, Runs::kInThread, Back::kCredit},
    // run `function` `amount` times, each with a part of the payload
    KindRules{Kind::kInlinePost, "inline post", From::kThreads, Runs::kInPoller, Back::kCredit},
    // the result of the invocation in `slot`
    KindRules{Kind::kReply, "reply", From::kThreads, Runs::kNone, Back::kNothing},
    // the exception of the invocation in `slot`: its type and its message
    KindRules{Kind::kFailure, "failure", From::kThreads, Runs::kNone, Back::kNothing},
    // `amount` credits of `depth`
    KindRules{Kind::kCredit, "credit", From::kThreads, Runs::kNone, Back::kNothing},
    // how many posts of this rank are done (amount 0) or sent (1)?
    KindRules{Kind::kCount, "count", From::kThreads, Runs::kNone, Back::kReplyOrFailure},
    // the right to assign the entry in `slot` is with rank `function` now
    KindRules{Kind::kMove, "move", From::kThreads, Runs::kNone, Back::kNothing},
    // that right has come to the sender, by its move number `amount`
    KindRules{Kind::kArrived, "arrived", From::kThreads, Runs::kNone, Back::kNothing},
    // a rank's part of collection `amount`, for rank `slot`
    KindRules{Kind::kPart, "part", From::kThreads, Runs::kNone, Back::kCollected},
    // the parts of all ranks of collection `amount`
    KindRules{Kind::kCollected, "collected", From::kThreads, Runs::kNone, Back::kNothing},
    // the rank calls nobody any more; with a reason if it has failed
    KindRules{Kind::kLeave, "leave", From::kThreads, Runs::kNone, Back::kNothing},
    // rank `function` is lost, for this reason
    KindRules{Kind::kGivenUp, "given up", From::kThreads, Runs::kNone, Back::kNothing},
    // body `amount` is to be written to a region
    KindRules{Kind::kWrite, "write", From::kThreads, Runs::kNone, Back::kReplyOrFailure},
    // is the rank still there?
    KindRules{Kind::kAsk, "ask", From::kPollers, Runs::kNone, Back::kPresent},
    // it is, as this process
    KindRules{Kind::kPresent, "present", From::kPollers, Runs::kNone, Back::kNothing},
    // in round `amount`: do all threads of the rank wait? An answer has counts
    KindRules{Kind::kPassive, "passive", From::kPollers, Runs::kNone, Back::kPassive},
    // it is to tell of a deadlock, and then the next rank
    KindRules{Kind::kReport, "report", From::kPollers, Runs::kNone, Back::kNothing},
};

constexpr bool is_known(Kind kind) noexcept {
  return static_cast<std::size_t>(kind) < kKinds.size();
}
constexpr const KindRules& rules_of(Kind kind) noexcept {
  return kKinds[static_cast<std::size_t>(kind)];
}

/// Whether the table has each kind in its place.
constexpr bool is_in_order() noexcept {
  for (std::size_t at = 0; at < kKinds.size(); ++at) {
    if (static_cast<std::size_t>(kKinds[at].kind) != at) return false;
  }
  return true;
}
static_assert(is_in_order() && rules_of(Kind::kReport).kind == Kind::kReport);

}  // namespace kumiko::cluster::detail
