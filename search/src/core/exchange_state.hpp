// Who asks whom for parts of searches, who has which, and what that means when a message comes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <kumiko/search/frame.hpp>

namespace kumiko::search::detail {

/// The way to another process: a rank, or numbers of links (see Tree). Empty: this process.
using Way = std::vector<std::uint16_t>;

/// Whether a way begins with this one, so that it ends where this one does, or behind it.
bool leads_through(const Way& way, const Way& first) noexcept;

/// A part as its giver names it. A slot's generation changes whenever the part goes to somebody
/// else, or its result has come, so that what still says the old one is known to be late.
struct PartName {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;

  friend bool operator==(const PartName&, const PartName&) = default;
};

/// What is to be done for a part: what its type's code reads from the bytes.
struct Task {
  std::uint64_t type = 0;
  std::uint32_t divisions = 0;  ///< between the whole search and this
  std::shared_ptr<const Frame> bytes{};
};

/// How a part has ended.
enum class Outcome : std::uint8_t {
  kDone,      ///< with a workspace
  kStopped,   ///< the same, and its code has stopped the whole search
  kFailed,    ///< with what an exception says
  kNotBegun,  ///< since the search was stopped before
};

/// What processes tell each other.
struct ExchangeMessage {
  enum class Says : std::uint8_t {
    kAsk,      ///< wants a part; `part`, if given, is what the asker waits for, and who has it
    kPart,     ///< answers an ask
    kNone,     ///< answers an ask; with a `part`: it is not known here
    kResult,   ///< of a part, to its giver
    kStop,     ///< from a part's giver: it is to end soon
    kStopAll,  ///< to a part's giver: so is the whole search; kStopped says it again
    kGone,     ///< nothing comes from `way` any more, seen from the sender
    kEnd,      ///< the sender asks for nothing any more
    kRecord,   ///< what the sender has done: a ProcessLog, for who searches; not the state's
    kBegun,    ///< the sender searches again; to resting processes that it had nothing for
  };

  Says kind{};
  std::uint32_t ask = 0;           ///< number of an ask
  std::optional<PartName> part{};  ///< kAsk, kNone: see there
  Outcome outcome{};               ///< kResult
  Task task{};                     ///< kPart; its bytes are kResult's and kRecord's, too
  Way way{};                       ///< kGone
  bool rests = false;              ///< kAsk: if it is in vain, the asker rests for long
  std::int64_t sent_at = 0;        ///< by the sender's clock, for RoundTrips and records
};

/// Who waits for a part that was given away.
struct Delivery;

/// The parts that one process has given away or taken, and its asks. Pure bookkeeping: each
/// function says in Effects what is to be done. Not for several threads at once.
///
/// *Protocol.* An idle process has one ask under way. Each ask is answered, by a part or by none;
/// each part comes back as a result. A giver keeps the task until then. A part whose taker is lost,
/// or does not know it, waits in the giver's pool, for the next one who asks or for the giver
/// itself.
///
/// *No acknowledgements.* In Tascell who has sent a result refuses all asks until it is
/// acknowledged, so that an ask for a part of what has just ended is not answered by another part
/// (Hiraishi et al., 2010). Here an ask names what the asker waits for, by slot and generation:
/// where that has ended the result is sent once more, which does no harm. So no order of messages
/// is needed either.
///
/// *Messages may be lost, late or doubled.* An ask without an answer is given up after a time and
/// has another number next time. A part that its taker never got, or a result that never came, is
/// found by the giver's next ask for it: the taker sends the result again, or does not know the
/// part. What comes twice, or after the part was done otherwise, has an old generation, and is
/// dropped. So every result counts once. A stop that overtakes its part waits for it.
/// tests/search/exchange_model_test.cpp tries all orders.
///
/// *No process waits for one that waits for it.* A process without work answers all asks by none
/// before it asks itself, and those that come while it has nothing.
class ExchangeState {
 public:
  using Moment = std::chrono::milliseconds;

  struct Send {
    Way to;
    ExchangeMessage message;
    Way on_behalf_of = {};  ///< passes on what that process has sent
  };
  struct Start {
    std::uint64_t run;
    Task task;
  };
  struct Finish {
    PartName part;
    std::shared_ptr<Delivery> owner;
    Outcome outcome;
    std::shared_ptr<const Frame> bytes;
  };
  /// What has become of a part, for the process's log. What this process does again by itself is
  /// taken from the empty way.
  struct Note {
    enum What : std::uint8_t {
      kGiven,      ///< to `other`
      kBack,       ///< its result has come, and counts
      kAgain,      ///< whoever had it does not do it: it is to be given to the next one
      kWithdrawn,  ///< nobody wants the result
      kTaken,      ///< from `other`
      kTold,       ///< it has ended here, and its giver is told the result
      kDropped,    ///< it has ended here, and nobody wants to know
    };

    What what;
    PartName part{};              ///< of all but kTold and kDropped
    Way other{};                  ///< kGiven, kTaken
    std::uint64_t run = 0;        ///< kTaken, kTold, kDropped
    std::uint32_t divisions = 0;  ///< kGiven, kTaken
    std::uint64_t bytes = 0;      ///< of the part, or of the result
  };
  struct Effects {
    std::vector<Send> sends;
    std::vector<Start> starts;                             ///< tasks to be done here
    std::vector<Finish> finishes;                          ///< results of what was given away
    std::vector<std::uint64_t> stops;                      ///< runs that are to end soon
    std::vector<std::shared_ptr<Delivery>> stop_searches;  ///< whose searches are to be stopped
    std::vector<Note> notes;                               ///< in the order of events
    bool refused = false;                                  ///< the ask was answered by none
    bool asked = false;                                    ///< somebody waits for a part
    bool wakes = false;  ///< there may be a part for this process, if it rests
  };

  struct Counts {
    std::uint64_t given = 0;
    std::uint64_t taken = 0;
    std::uint64_t asks = 0;
    std::uint64_t refusals = 0;  ///< of its own asks
    std::uint64_t again = 0;     ///< given away once more
    std::uint64_t late = 0;      ///< results that came too late
    std::uint64_t bytes = 0;     ///< of parts given and results returned
  };

  // As a giver.

  /// Whether somebody waits for a part that nobody here makes so far.
  bool has_open_asks() const noexcept { return asks_.size() > claimed_; }
  /// The caller makes a part: give() or decline() follows. False if nobody wants one any more.
  bool claim() noexcept;
  /// A part has been made for whoever asks.
  PartName give(Task task, std::shared_ptr<Delivery> owner, Effects& effects);
  /// The same unasked: whoever asks next gets it, or the giver itself takes it back.
  PartName offer(Task task, std::shared_ptr<Delivery> owner, Effects& effects);
  /// Tells the time from now on, by which parts that were given away have an age.
  void set_time(Moment now) noexcept { now_ = now; }
  /// What was claimed cannot be made.
  void decline(Effects& effects);
  /// Answers all asks by none.
  void decline_all(Effects& effects);
  /// The owner wants no result of what it has in this slot, if it still has it.
  void withdraw(std::uint32_t slot, const Delivery* owner, Effects& effects);
  /// Nobody wants any result any more: all end as not begun.
  void withdraw_all(Effects& effects);
  /// All parts of this owner are to end soon, as `is_of(owner)` tells.
  template <class IsOf>
  void stop(IsOf is_of, Effects& effects) {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].state != Slot::kFree && is_of(slots_[i].owner)) stop_slot(i, effects);
    }
  }

  // As a taker.

  bool is_asking() const noexcept { return asking_.has_value(); }
  /// Whether this answers the latest ask.
  bool is_answered_by(const ExchangeMessage& message) const noexcept {
    return asking_ && asking_->number == message.ask &&
           (message.kind == ExchangeMessage::Says::kPart ||
            message.kind == ExchangeMessage::Says::kNone);
  }
  /// Takes the largest part of the own pool. Returns whether there was one.
  bool take_back(Effects& effects);
  /// Who has a part that was given away at least so long ago, and which; nullopt if nobody has.
  /// Another one each time. An ask that overtakes its part would make that look unknown, so that it
  /// were done twice.
  std::optional<std::pair<Way, PartName>> holder(Moment age) noexcept;
  void ask(Way to, std::optional<PartName> waits_for, Effects& effects);
  /// No answer comes.
  void give_up_ask() noexcept { asking_.reset(); }
  /// A run has ended.
  void end(std::uint64_t run, Outcome outcome, std::shared_ptr<const Frame> bytes,
           Effects& effects);
  /// Nothing that runs here is told to its giver any more: it is stopped, and so not whole.
  void keep_results() noexcept;
  /// Code of this run has stopped the whole search.
  void stop_all(std::uint64_t run, Effects& effects);

  /// Of these neighbours the one on whose side the largest part is known to be: the latest that
  /// went there or came from there had the fewest divisions. Nothing is known of a side whose
  /// latest part has come back, or that has refused a part since.
  std::optional<std::uint16_t> largest_behind(
      std::span<const std::uint16_t> neighbours) const noexcept;

  // What comes.

  /// \param can_give  whether something runs here that may be divided
  /// \param onward  whom to pass an ask on that is not answered here
  void receive(const Way& from, const ExchangeMessage& message, bool can_give,
               const std::optional<Way>& onward, Effects& effects);
  /// All are lost to whom a way leads through this one.
  void lost(const Way& way, Effects& effects);

  /// Whether a part is given away whose owner is as `is_of(owner)` tells.
  template <class IsOf>
  bool has_given(IsOf is_of) const {
    return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
      return slot.state != Slot::kFree && is_of(slot.owner);
    });
  }
  const Counts& counts() const noexcept { return counts_; }

  /// All that matters to what comes next, as numbers: for the model's test.
  void describe(std::vector<std::uint32_t>& out) const;

 private:
  /// How many results are kept to be sent again, and how many early stops.
  static constexpr std::size_t kKept = 8;

  struct Slot {
    enum State : std::uint8_t { kFree, kPool, kSent } state = kFree;
    std::uint32_t generation = 0;
    Way runner;
    Moment given_at{};
    Task task;
    std::shared_ptr<Delivery> owner;
  };
  struct Taken {
    Way giver;
    PartName part;
    std::uint64_t run;
    bool is_wanted = true;
    bool stops_all = false;
    bool is_told = false;  ///< to end, by whoever does not need to be told the same
  };
  struct Kept {
    Way giver;
    ExchangeMessage result;
  };
  struct Early {
    Way giver;
    PartName part;
  };
  struct Ask {
    Way from;
    std::uint32_t number;
  };

  Slot* find(PartName part, const Way* runner) noexcept;
  Taken* taken(const Way& giver, PartName part) noexcept;
  const Kept* kept(const Way& giver, PartName part) const noexcept;
  /// The part in the pool with the fewest divisions before it, as a rule the largest; slots_.size()
  /// if the pool is empty.
  std::uint32_t largest_in_pool() const noexcept;
  void assign(Effects& effects);
  void to_pool(std::uint32_t slot, Effects& effects);
  static void free(Slot& slot) noexcept;
  void stop_slot(std::uint32_t slot, Effects& effects);
  static void stop_taken(Taken& part, Effects& effects);
  static void note_taken(const Taken& part, const Task& task, Effects& effects);
  void answer_none(const Ask& ask, std::optional<PartName> unknown, Effects& effects) const;
  void receive_ask(const Way& from, const ExchangeMessage& message, bool can_give,
                   const std::optional<Way>& onward, Effects& effects);
  void receive_part(const Way& from, const ExchangeMessage& message, Effects& effects);
  void receive_result(const Way& from, const ExchangeMessage& message, Effects& effects);

  std::deque<Slot> slots_;
  std::vector<Taken> taken_;
  std::deque<Kept> kept_;
  std::deque<Ask> asks_;
  std::size_t claimed_ = 0;
  struct Asking {
    std::uint32_t number;
    Way to;
  };
  std::optional<Asking> asking_;
  Moment now_{};
  std::uint32_t last_ask_ = 0;
  std::uint64_t last_run_ = 0;
  std::uint32_t next_holder_ = 0;
  std::map<std::uint16_t, std::uint32_t> latest_;  ///< divisions of parts, by neighbour
  std::vector<Way> lost_;                          ///< whose messages come too late
  std::deque<Early> stopped_;                      ///< before they came
  Counts counts_;
};

}  // namespace kumiko::search::detail
