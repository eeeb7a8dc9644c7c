// The calls and entries of a rank that wait for their answers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include <kumiko/cluster/detail/answer.hpp>
#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::cluster::detail {

/// The calls that wait for answers, and the entries that wait for values, in slots that are used
/// again.
///
/// *Invariant.* A call is in one slot from add() until one thread takes it out, which then answers
/// it. A ticket names a slot and its generation, which changes when the call is taken out, so an
/// old ticket finds nothing. The lock protects all members; a thread that holds it does not
/// suspend.
///
/// Any thread may call the functions.
class PendingCalls {
 public:
  /// Adds a call. \throws the exception of fail() if this rank was lost
  /// \param function  the function that is called, nullptr for an entry
  Ticket add(Pending& call, int rank, const Function* function = nullptr) {
    const std::lock_guard lock(guard_);
    for (const auto& [lost, failure] : lost_) {
      if (lost == rank) std::rethrow_exception(failure);
    }
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    Slot& slot = slots_[place];
    slot.call = &call;
    slot.rank = rank;
    slot.giver = kNone;
    slot.function = function;
    slot.moves = slot.arrived = 0;
    return {place, slot.generation};
  }

  /// Takes a call out; nullptr if another thread has taken it.
  Pending* take(Ticket ticket) {
    const std::lock_guard lock(guard_);
    return slot_of(ticket) == nullptr ? nullptr : take_out(ticket.slot);
  }

  /// A call to be ended by an exception, or nullptr.
  using Failed = std::pair<Pending*, std::exception_ptr>;

  /// Rank `from` has sent to rank `to` the right to answer, as move number `moves`. The call fails
  /// if either rank is lost before the right is known to have arrived. If `to` is lost already,
  /// takes the call out.
  Failed note_move(Ticket ticket, int from, int to, std::uint32_t moves) {
    const std::lock_guard lock(guard_);
    Slot* const slot = slot_of(ticket);
    if (slot == nullptr || slot->moves > moves) return {};
    slot->rank = to;
    slot->moves = moves;
    // The message about the arrival may come first.
    slot->giver = slot->arrived >= moves ? kNone : from;
    return failed_if_lost(ticket);
  }

  /// The right has arrived at rank `at` by move number `moves`.
  Failed note_arrival(Ticket ticket, int at, std::uint32_t moves) {
    const std::lock_guard lock(guard_);
    Slot* const slot = slot_of(ticket);
    if (slot == nullptr || slot->moves > moves) return {};
    slot->rank = at;
    slot->moves = slot->arrived = moves;
    slot->giver = kNone;
    return failed_if_lost(ticket);
  }

  /// True if calls at ranks other than `own` wait. Entries whose right has moved do not count.
  bool has_calls(int own) {
    const std::lock_guard lock(guard_);
    return std::any_of(slots_.begin(), slots_.end(), [own](const Slot& slot) {
      return slot.call != nullptr && slot.rank != own && slot.moves == 0;
    });
  }

  /// Marks the ranks from which answers are awaited.
  void mark_awaited(std::vector<bool>& ranks) {
    const std::lock_guard lock(guard_);
    for (const Slot& slot : slots_) {
      if (slot.call == nullptr) continue;
      ranks[static_cast<std::size_t>(slot.rank)] = true;
      if (slot.giver != kNone) ranks[static_cast<std::size_t>(slot.giver)] = true;
    }
  }

  /// Calls visit(call, rank, function) for each call, under the lock.
  template <class Visit>
  void for_each(Visit visit) {
    const std::lock_guard lock(guard_);
    for (const Slot& slot : slots_) {
      if (slot.call != nullptr) visit(*slot.call, slot.rank, slot.function);
    }
  }

  /// Takes all calls at a rank out and returns them; later ones fail.
  std::vector<Pending*> fail(int rank, std::exception_ptr exception) {
    const std::lock_guard lock(guard_);
    lost_.emplace_back(rank, std::move(exception));
    std::vector<Pending*> calls;
    for (std::uint32_t place = 0; place < slots_.size(); ++place) {
      const Slot& slot = slots_[place];
      if (slot.call != nullptr && (slot.rank == rank || slot.giver == rank))
        calls.push_back(take_out(place));
    }
    return calls;
  }

 private:
  static constexpr int kNone = -1;

  struct Slot {
    Pending* call = nullptr;
    int rank = 0;       ///< the rank that must answer
    int giver = kNone;  ///< the rank whose message with the right may be in transit
    const Function* function = nullptr;
    std::uint32_t generation = 0;
    std::uint32_t moves = 0;    ///< of the right, as far as they are known
    std::uint32_t arrived = 0;  ///< the latest move that is known to have ended
  };

  Slot* slot_of(Ticket ticket) {
    if (ticket.slot >= slots_.size()) return nullptr;
    Slot& slot = slots_[ticket.slot];
    return slot.generation == ticket.generation ? &slot : nullptr;
  }

  Failed failed_if_lost(Ticket ticket) {
    for (const auto& [lost, failure] : lost_) {
      if (lost == slots_[ticket.slot].rank) return {take_out(ticket.slot), failure};
    }
    return {};
  }

  Pending* take_out(std::uint32_t place) {
    Slot& slot = slots_[place];
    ++slot.generation;
    free_.push_back(place);
    return std::exchange(slot.call, nullptr);
  }

  runtime::detail::SpinLock guard_;
  std::vector<Slot> slots_;  ///< guarded; so is the rest
  std::vector<std::uint32_t> free_;
  std::vector<std::pair<int, std::exception_ptr>> lost_;
};

}  // namespace kumiko::cluster::detail
