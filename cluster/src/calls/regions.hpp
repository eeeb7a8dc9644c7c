// The memory of a rank that others may read or write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/cluster/detail/answer.hpp>
#include <kumiko/cluster/detail/rights.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::cluster::detail {

/// What a read or write says before the bytes.
struct Access {
  Ticket region;
  std::uint64_t offset;
  std::uint64_t size;
};

/// Regions by slots that are used again; see Region.
class Regions {
 public:
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

  /// Calls access(bytes) with this part of a region; it cannot be withdrawn meanwhile.
  /// \throws std::out_of_range if the region is not there any more or is smaller,
  /// std::logic_error if it lacks the right
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
  void end_use(Ticket ticket, bool is_orphan = false) {
    const std::lock_guard lock(guard_);
    --slots_[ticket.slot].users;
    if (is_orphan) --slots_[ticket.slot].orphans;
  }
  /// One of the uses may not end, for its rank is lost.
  void orphan(Ticket ticket) {
    const std::lock_guard lock(guard_);
    ++slots_[ticket.slot].orphans;
  }

  /// Nobody begins to use the region any more.
  void withdraw(Ticket ticket) {
    const std::lock_guard lock(guard_);
    ++slots_[ticket.slot].generation;
  }

  /// Frees the slot of a region that was withdrawn, unless somebody uses it still.
  bool freed(Ticket ticket) {
    const std::lock_guard lock(guard_);
    Slot& slot = slots_[ticket.slot];
    if (slot.users != 0) return false;
    free_.push_back(ticket.slot);
    return true;
  }
  /// Whether all who use it may not end.
  bool has_only_orphans(Ticket ticket) {
    const std::lock_guard lock(guard_);
    return slots_[ticket.slot].users == slots_[ticket.slot].orphans;
  }

 private:
  struct Slot {
    std::span<std::byte> memory;
    Rights rights{};
    std::uint32_t generation = 0;
    int users = 0;    ///< who read or write now
    int orphans = 0;  ///< those of them that are of a lost rank
  };

  runtime::detail::SpinLock guard_;
  std::vector<Slot> slots_;  ///< guarded; so is the rest
  std::vector<std::uint32_t> free_;
};

}  // namespace kumiko::cluster::detail
