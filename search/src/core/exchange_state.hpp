// The exchange of parts between processes, as a state machine: which process asks which, who has
// which part, and what follows from a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/exchange_effects.hpp"
#include "core/exchange_message.hpp"
#include "core/given_parts.hpp"
#include "core/taken_parts.hpp"

namespace kumiko::search::detail {

/// The parts that one process has given away or taken, and its asks. Each function only changes the
/// state and appends to Effects what the caller has to do then. Not for several threads at once.
///
/// *Protocol.* An idle process has at most one unanswered ask. Each ask is answered, with a part or
/// without one, and each part comes back as a result. The giver keeps the task until then. If the
/// taker of a part is lost or does not know the part, the part waits in the giver's pool for the
/// next process that asks, or for the giver itself.
///
/// *No acknowledgements.* In Tascell, a process that has sent a result refuses all asks until the
/// result is acknowledged, so that an ask for a piece of a part that has just ended is not answered
/// with a piece of another part (Hiraishi et al., 2010). Here, an ask names the part that the asker
/// waits for, by slot and generation. If that part has ended, its result is sent once more, which
/// does no harm. So the messages need not be in any order either.
///
/// *Messages may be lost, late or doubled.* The asker gives up an ask without an answer after some
/// time, and the next one has another number. If a part never reached its taker, or its result
/// never came back, the giver's next ask for it finds this: the taker sends the result again, or
/// does not know the part. A message that comes twice, or after the part was done elsewhere, has an
/// old generation and is dropped. So every result counts once. A stop that overtakes its part is
/// kept for it. tests/search/exchange_model_test.cpp tries all orders.
///
/// *No cycle of waits.* A process without work answers all asks without a part before it asks, and
/// so it answers asks that come while it has none.
class ExchangeState {
 public:
  using Moment = GivenParts::Moment;
  using Effects = ExchangeEffects;

  struct Counts {
    std::uint64_t given = 0;
    std::uint64_t taken = 0;
    std::uint64_t asks = 0;
    std::uint64_t refusals = 0;  ///< of its own asks
    std::uint64_t again = 0;     ///< parts given away again
    std::uint64_t late = 0;      ///< results that came too late
    std::uint64_t bytes = 0;     ///< of parts given and results returned
  };

  /// Sets the time, from which given parts have their age.
  void set_time(Moment now) noexcept { now_ = now; }

  // The giver's side.

  /// Returns whether another process waits for a part that is not being made yet.
  bool has_open_asks() const noexcept { return asks_.size() > claimed_; }
  /// The caller makes a part, and then calls give() or decline(). Returns false if there is no open
  /// ask any more.
  bool claim() noexcept;
  /// Gives the part that was made after claim().
  PartName give(Task task, std::shared_ptr<Delivery> delivery, Effects& effects);
  /// Gives a part without an ask: it goes to the next process that asks, or to take_back().
  PartName offer(Task task, std::shared_ptr<Delivery> delivery, Effects& effects);
  /// No part can be made after claim().
  void decline(Effects& effects);
  /// Answers all asks without a part.
  void decline_all(Effects& effects);
  /// Nobody wants the result of the part in this slot any more, if the slot still has it.
  void withdraw(std::uint32_t slot, const Delivery* delivery, Effects& effects);
  /// Nobody wants any result any more. Each part ends with Outcome::kNotBegun.
  void withdraw_all(Effects& effects);
  /// Asks all parts to end soon for which is_of(delivery) is true.
  template <class IsOf>
  void stop(IsOf is_of, Effects& effects) {
    for (std::uint32_t i = 0; i < given_.size(); ++i) {
      if (given_[i].state != GivenParts::Slot::kFree && is_of(given_[i].delivery)) {
        stop_slot(i, effects);
      }
    }
  }
  /// Returns whether is_of(delivery) is true for a part that is given away.
  template <class IsOf>
  bool has_given(IsOf is_of) const {
    for (std::uint32_t i = 0; i < given_.size(); ++i) {
      if (given_[i].state != GivenParts::Slot::kFree && is_of(given_[i].delivery)) return true;
    }
    return false;
  }

  // The taker's side.

  bool is_asking() const noexcept { return asking_.has_value(); }
  /// Returns whether the message answers the latest ask.
  bool is_answered_by(const ExchangeMessage& message) const noexcept {
    return asking_ == message.ask && (message.kind == ExchangeMessage::Says::kPart ||
                                      message.kind == ExchangeMessage::Says::kNone);
  }
  /// Begins the largest part of the own pool. Returns false if the pool is empty.
  bool take_back(Effects& effects);
  /// Returns a process that has had a part of this one for at least `age`, and the part; another
  /// one each time. With a younger part, the ask could overtake it, so that the part would look
  /// unknown and be done twice.
  std::optional<std::pair<Way, PartName>> holder(Moment age) noexcept {
    return given_.next_held(now_, age);
  }
  /// Asks for a part. \param waits_for  a part of this process that the other one has, if it is to
  /// give a piece of that part only
  void ask(Way to, std::optional<PartName> waits_for, Effects& effects);
  /// The answer to the ask is lost.
  void give_up_ask() noexcept { asking_.reset(); }
  /// A run has ended.
  void end(std::uint64_t run, Outcome outcome, std::shared_ptr<const Frame> bytes,
           Effects& effects);
  /// From now on no giver gets a result: the runs are stopped, so that their results are not whole.
  void drop_results() noexcept { taken_.drop_all(); }
  /// The code of this run has stopped the whole search.
  void stop_all(std::uint64_t run, Effects& effects);

  /// Returns the neighbour on whose side the largest part is known to be: the latest part that went
  /// there or came from there had the fewest divisions. A neighbour is left out if its latest part
  /// has come back, or if it has refused an ask since.
  std::optional<std::uint16_t> largest_behind(
      std::span<const std::uint16_t> neighbours) const noexcept;

  // Events.

  /// A message has arrived.
  /// \param can_give  true if something that may be divided is running here
  /// \param onward  the process to which an ask that is not answered here is passed on
  void receive(const Way& from, const ExchangeMessage& message, bool can_give,
               const std::optional<Way>& onward, Effects& effects);
  /// The process at the end of this way is lost, and so are those behind it.
  void lost(const Way& way, Effects& effects);

  const Counts& counts() const noexcept { return counts_; }

  /// Appends all that later events depend on, as numbers, for the test of the model.
  void describe(std::vector<std::uint32_t>& out) const;

 private:
  using Taken = TakenParts::Taken;

  struct Ask {
    Way from;
    std::uint32_t number;
  };

  void assign(Effects& effects);
  void to_pool(std::uint32_t slot, Effects& effects);
  void stop_slot(std::uint32_t slot, Effects& effects);
  static void stop_taken(Taken& part, Effects& effects);
  static void start(const Taken& part, const Task& task, Effects& effects);
  void answer_none(const Ask& ask, std::optional<PartName> unknown, Effects& effects) const;
  void receive_ask(const Way& from, const ExchangeMessage& message, bool can_give,
                   const std::optional<Way>& onward, Effects& effects);
  void receive_part(const Way& from, const ExchangeMessage& message, Effects& effects);
  void receive_none(const Way& from, const ExchangeMessage& message, Effects& effects);
  void receive_stop(const Way& from, const ExchangeMessage& message, Effects& effects);
  void receive_result(const Way& from, const ExchangeMessage& message, Effects& effects);

  GivenParts given_;
  TakenParts taken_;
  std::deque<Ask> asks_;
  std::size_t claimed_ = 0;              ///< of these, those that parts are being made for
  std::optional<std::uint32_t> asking_;  ///< the number of the own ask that is not answered yet
  std::uint32_t last_ask_ = 0;
  Moment now_{};
  std::map<std::uint16_t, std::uint32_t> latest_;  ///< by neighbour, divisions of the latest part
  std::vector<Way> lost_;                          ///< whose messages come too late
  Counts counts_;
};

}  // namespace kumiko::search::detail
