// The parts of this process's searches that other processes do, or may do.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/exchange_effects.hpp"

namespace kumiko::search::detail {

/// A table with a slot for each part:
///
///     kFree -- add() --> kPool -- send() --> kSent
///     kSent -- to_pool() --> kPool         the process that had it is lost, or does not know it
///     kPool, kSent -- free() --> kFree     its result has arrived, or nobody wants it
///
/// Invariant: a slot's generation changes with to_pool() and free(). So a message with the name of
/// an earlier generation is known to be late.
class GivenParts {
 public:
  using Moment = std::chrono::milliseconds;

  struct Slot {
    enum State : std::uint8_t { kFree, kPool, kSent } state = kFree;
    std::uint32_t generation = 0;
    Way taker;  ///< kSent: the process that has it; empty if that is this process
    Moment given_at{};
    Task task;
    std::shared_ptr<Delivery> delivery;
  };

  PartName add(Task task, std::shared_ptr<Delivery> delivery);
  void send(std::uint32_t slot, const Way& taker, Moment now);
  void to_pool(std::uint32_t slot) noexcept;
  void free(std::uint32_t slot) noexcept;

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }
  const Slot& operator[](std::uint32_t slot) const noexcept { return slots_[slot]; }
  PartName name_of(std::uint32_t slot) const noexcept { return {slot, slots_[slot].generation}; }

  /// The slot of a part that was sent to this process; nullptr if there is none.
  const Slot* find(PartName part, const Way& taker) const noexcept;
  /// The part in the pool with the fewest divisions before it, which usually is the largest.
  std::optional<std::uint32_t> largest_in_pool() const noexcept;
  /// The next in turn of the parts that other processes have had for at least `age`.
  std::optional<std::pair<Way, PartName>> next_held(Moment now, Moment age) noexcept;

  /// Appends the states of all slots as numbers, for the test of the model.
  void describe(std::vector<std::uint32_t>& out) const;

 private:
  std::deque<Slot> slots_;
  std::uint32_t next_ = 0;  ///< for next_held()
};

/// Appends a way and the name of a part as numbers, for the test of the model.
void describe(const Way& way, std::vector<std::uint32_t>& out);
void describe(PartName part, std::vector<std::uint32_t>& out);

}  // namespace kumiko::search::detail
