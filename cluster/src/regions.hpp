// The memory of a rank that others may read or write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <kumiko/cluster/region.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>

namespace kumiko::cluster::detail {

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

  /// Nobody reads or writes there when this returns. Gives the core away until then.
  void remove(Ticket ticket) {
    withdraw(ticket);
    while (!freed(ticket.slot)) std::this_thread::yield();
  }

  /// Calls access(bytes) with this part of a region; it cannot be withdrawn meanwhile.
  /// \throws std::out_of_range if the region is not there any more or is smaller,
  /// std::logic_error if it lacks the right
  template <class Access>
  void use(Ticket ticket, Rights right, std::uint64_t offset, std::uint64_t size, Access access) {
    struct Use {
      Regions& regions;
      std::uint32_t slot;
      ~Use() {
        const std::lock_guard lock(regions.guard_);
        --regions.slots_[slot].users;
      }
    };
    const std::span<std::byte> memory = begin_use(ticket, right, offset, size);
    const Use use{*this, ticket.slot};
    access(memory);
  }

 private:
  struct Slot {
    std::span<std::byte> memory;
    Rights rights{};
    std::uint32_t generation = 0;
    int users = 0;  ///< who read or write now
  };

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

  /// Nobody begins to use the region any more.
  void withdraw(Ticket ticket) {
    const std::lock_guard lock(guard_);
    ++slots_[ticket.slot].generation;
  }

  /// Frees a slot whose region was withdrawn, unless somebody uses it still.
  bool freed(std::uint32_t place) {
    const std::lock_guard lock(guard_);
    if (slots_[place].users != 0) return false;
    free_.push_back(place);
    return true;
  }

  runtime::detail::SpinLock guard_;
  std::vector<Slot> slots_;  ///< guarded; so is the rest
  std::vector<std::uint32_t> free_;
};

}  // namespace kumiko::cluster::detail
