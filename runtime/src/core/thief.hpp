// How a worker comes to what others have: its rounds over them, by the steal policy.
#pragma once

#include <atomic>

#include "core/own_counter.hpp"
#include "core/random.hpp"
#include "machine/topology.hpp"

namespace kumiko::runtime::detail {

struct Descriptor;
class Worker;

/// One worker as a thief. Knows where it is, and whom it asks next.
class Thief {
 public:
  /// What a victim is asked: Worker::give_to_thief() or Worker::give_by_force().
  using Give = Descriptor* (Worker::*)() noexcept;

  /// Belongs to this worker, which outlives it.
  explicit Thief(Worker& self) noexcept;

  /// Self: asks others by the scheduler's steal policy, until one gives a thread.
  Descriptor* round(Give give) noexcept;

  /// Self: asks everybody else, by force too, whatever the policy is: before a worker sleeps, and
  /// where others have been asked in vain for long.
  Descriptor* last_round() noexcept;

  /// Self: learns on which core it is now, for what near means to it and to others. Done where it
  /// begins to search: a worker that is moved while it is busy is taken to be where it was.
  void note_place() noexcept;

  const OwnCounter& steals() const noexcept { return steals_; }
  const OwnCounter& failed() const noexcept { return failed_; }

 private:
  template <class Policy>
  Descriptor* round_by(const Policy& policy, Give give) noexcept;
  Descriptor* ask(Worker& victim, Give give) noexcept;

  Worker& self_;
  Random random_;                          ///< whom to visit
  std::atomic<int> cache_{kUnknownCache};  ///< below which it last began to search
  OwnCounter steals_;
  OwnCounter failed_;
};

}  // namespace kumiko::runtime::detail
