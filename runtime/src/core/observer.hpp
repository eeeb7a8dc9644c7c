// What a worker tells whoever watches it: switches, steals, sleep.
#pragma once

#include <cstdint>

namespace kumiko::runtime::detail {

struct Descriptor;

/// Is told what one worker does, by that worker, while it does it. A worker without an observer
/// pays for the possibility with one predictable branch per switch.
class Observer {
 public:
  virtual ~Observer() = default;

  /// The worker leaves `previous` for `next`; nullptr is its loop.
  virtual void switched(const Descriptor* previous, const Descriptor* next,
                        bool previous_ended) noexcept = 0;

  /// It took a thread from worker `victim`.
  virtual void stole(int victim) noexcept = 0;

  /// It has slept since `begin`, as read_ticks() counts.
  virtual void slept(std::uint64_t begin) noexcept = 0;
};

}  // namespace kumiko::runtime::detail
