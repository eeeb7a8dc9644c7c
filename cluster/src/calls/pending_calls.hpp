// The calls of a rank that wait for their answers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <kumiko/cluster/detail/answer.hpp>
#include <kumiko/cluster/detail/function.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::cluster::detail {

/// The calls that wait, by slots that are used again. Whoever takes a call out answers it.
class PendingCalls {
 public:
  /// \throws the exception of fail() if this rank was lost
  /// \param function  what is called, nullptr for an entry
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
    slot.giver = kNobody;
    slot.function = function;
    slot.moves = slot.arrived = 0;
    return {place, slot.generation};
  }

  /// The call, nullptr if somebody has taken it.
  Pending* take(Ticket ticket) {
    const std::lock_guard lock(guard_);
    return slot_of(ticket) == nullptr ? nullptr : take_out(ticket.slot);
  }

  /// A call that is to be failed, and by which exception; or nothing.
  using Failed = std::pair<Pending*, std::exception_ptr>;

  /// Rank `from` has sent to rank `to` the right to answer, as move number `moves`. Until it is
  /// known to have come there the answer is missing if either is lost. If `to` is lost already,
  /// takes the call out.
  Failed note_move(Ticket ticket, int from, int to, std::uint32_t moves) {
    const std::lock_guard lock(guard_);
    Slot* const slot = slot_of(ticket);
    if (slot == nullptr || slot->moves > moves) return {};
    slot->rank = to;
    slot->moves = moves;
    // The news of the arrival may come first.
    slot->giver = slot->arrived >= moves ? kNobody : from;
    return failed_if_lost(ticket);
  }

  /// The right has come to rank `at` by move number `moves`.
  Failed note_arrival(Ticket ticket, int at, std::uint32_t moves) {
    const std::lock_guard lock(guard_);
    Slot* const slot = slot_of(ticket);
    if (slot == nullptr || slot->moves > moves) return {};
    slot->rank = at;
    slot->moves = slot->arrived = moves;
    slot->giver = kNobody;
    return failed_if_lost(ticket);
  }

  /// Whether calls at other ranks than `own` wait, entries that others may assign not counted.
  bool has_calls(int own) {
    const std::lock_guard lock(guard_);
    return std::any_of(slots_.begin(), slots_.end(), [own](const Slot& slot) {
      return slot.call != nullptr && slot.rank != own && slot.moves == 0;
    });
  }

  /// Marks the ranks of which answers, or assignments, are awaited.
  void mark_awaited(std::vector<bool>& ranks) {
    const std::lock_guard lock(guard_);
    for (const Slot& slot : slots_) {
      if (slot.call == nullptr) continue;
      ranks[static_cast<std::size_t>(slot.rank)] = true;
      if (slot.giver != kNobody) ranks[static_cast<std::size_t>(slot.giver)] = true;
    }
  }

  /// Calls visit(call, rank, function) for all that wait, under a lock.
  template <class Visit>
  void for_each(Visit visit) {
    const std::lock_guard lock(guard_);
    for (const Slot& slot : slots_) {
      if (slot.call != nullptr) visit(*slot.call, slot.rank, slot.function);
    }
  }

  /// Takes all calls at a rank out; later ones fail. Returns those there were.
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
  static constexpr int kNobody = -1;

  struct Slot {
    Pending* call = nullptr;
    int rank = 0;         ///< who is to answer
    int giver = kNobody;  ///< whose message with the right to do so may be under way
    const Function* function = nullptr;
    std::uint32_t generation = 0;
    std::uint32_t moves = 0;    ///< of the right, as far as is known
    std::uint32_t arrived = 0;  ///< the latest of them that is known to have ended
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
