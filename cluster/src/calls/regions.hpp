// The memory of a rank that other ranks may read or write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <vector>

#include <kumiko/cluster/detail/answer.hpp>
#include <kumiko/cluster/detail/rights.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::cluster::detail {

/// The beginning of a message that reads or writes a region.
struct Access {
  Ticket region;
  std::uint64_t offset;
  std::uint64_t size;
};

/// The regions that this rank exposes, in slots that are used again; see Region.
///
/// *Invariant.* A region that has users keeps its slot, so its memory is not reused while a rank
/// reads or writes it. A withdrawn region has another generation, so no new use begins. The lock
/// protects all members; a thread that holds it does not suspend.
///
/// Any thread may call the functions.
class Regions {
 public:
  /// Exposes memory.
  Ticket add(std::span<std::byte> memory, Rights rights) {
    const std::lock_guard lock(guard_);
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    slots_[place].memory = memory;
    slots_[place].rights = rights;
    return {place, slots_[place].generation};
  }

  /// Calls access(bytes) with a part of a region, which cannot be withdrawn meanwhile.
  /// \throws std::out_of_range if the region was withdrawn or is smaller, std::logic_error if it
  /// lacks the right
  template <class Access>
  void use(Ticket ticket, Rights right, std::uint64_t offset, std::uint64_t size, Access access) {
    struct Use {
      Regions& regions;
      Ticket ticket;
      ~Use() { regions.end_use(ticket); }
    };
    const std::span<std::byte> memory = begin_use(ticket, right, offset, size);
    const Use use{*this, ticket};
    access(memory);
  }

  /// Begins to use a part of a region, until end_use(). \throws as use()
  std::span<std::byte> begin_use(Ticket ticket, Rights right, std::uint64_t offset,
                                 std::uint64_t size) {
    const std::lock_guard lock(guard_);
    if (ticket.slot >= slots_.size() || slots_[ticket.slot].generation != ticket.generation) {
      throw std::out_of_range("the region has been withdrawn");
    }
    Slot& slot = slots_[ticket.slot];
    check_access(slot.rights, right, slot.memory.size(), offset, size);
    ++slot.users;
    return slot.memory.subspan(offset, size);
  }
  /// \param is_orphan  orphan() was called for this use
  void end_use(Ticket ticket, bool is_orphan = false) {
    const std::lock_guard lock(guard_);
    --slots_[ticket.slot].users;
    if (is_orphan) --slots_[ticket.slot].orphans;
  }
  /// One of the uses may never end, because its rank is lost.
  void orphan(Ticket ticket) {
    const std::lock_guard lock(guard_);
    ++slots_[ticket.slot].orphans;
  }

  /// No use of the region begins from now on.
  void withdraw(Ticket ticket) {
    const std::lock_guard lock(guard_);
    ++slots_[ticket.slot].generation;
  }

  /// Frees the slot of a withdrawn region, unless the region is in use. Returns true if it is free.
  bool freed(Ticket ticket) {
    const std::lock_guard lock(guard_);
    Slot& slot = slots_[ticket.slot];
    if (slot.users != 0) return false;
    free_.push_back(ticket.slot);
    return true;
  }
  /// True if all uses of the region may never end.
  bool has_only_orphans(Ticket ticket) {
    const std::lock_guard lock(guard_);
    return slots_[ticket.slot].users == slots_[ticket.slot].orphans;
  }

 private:
  struct Slot {
    std::span<std::byte> memory;
    Rights rights{};
    std::uint32_t generation = 0;
    int users = 0;    ///< uses that have not ended
    int orphans = 0;  ///< the uses among them by a lost rank
  };

  runtime::detail::SpinLock guard_;
  std::vector<Slot> slots_;  ///< guarded; so is the rest
  std::vector<std::uint32_t> free_;
};

}  // namespace kumiko::cluster::detail
