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

  /// Nobody reads or writes there when this returns.
  void remove(Ticket ticket) {
    const std::lock_guard lock(guard_);
    slots_[ticket.slot].memory = {};
    ++slots_[ticket.slot].generation;
    free_.push_back(ticket.slot);
  }

  /// Calls access(bytes) with this part of a region; it cannot be withdrawn meanwhile.
  /// \throws std::out_of_range if the region is not there any more or is smaller,
  /// std::logic_error if it lacks the right
  template <class Access>
  void use(Ticket ticket, Rights right, std::uint64_t offset, std::uint64_t size, Access access) {
    const std::lock_guard lock(guard_);
    if (ticket.slot >= slots_.size() || slots_[ticket.slot].generation != ticket.generation) {
      throw std::out_of_range("the region has been withdrawn");
    }
    const Slot& slot = slots_[ticket.slot];
    check_access(slot.rights, right, slot.memory.size(), offset, size);
    access(slot.memory.subspan(offset, size));
  }

 private:
  struct Slot {
    std::span<std::byte> memory;
    Rights rights{};
    std::uint32_t generation = 0;
  };

  runtime::detail::SpinLock guard_;
  std::vector<Slot> slots_;  ///< guarded; so is the rest
  std::vector<std::uint32_t> free_;
};

}  // namespace kumiko::cluster::detail
