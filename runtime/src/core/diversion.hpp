// What may choose otherwise than a worker would, to bring about schedules that are rare.
#pragma once

#include <cstddef>

namespace kumiko::runtime::detail {

/// Is asked by one worker, which has one if request::kDivert is set in its poll word. A worker
/// without one pays nothing.
class Diversion {
 public:
  virtual ~Diversion() = default;

  /// One of so many places, where a thread that becomes ready is to wait.
  virtual std::size_t place_among(std::size_t places) noexcept = 0;

  /// Whether the running thread gives way now.
  virtual bool gives_way() noexcept = 0;

  /// Whether the running thread divides its work now, though nobody asks.
  virtual bool divides() noexcept = 0;

  /// Takes its time before a thief's round.
  virtual void hesitate() noexcept = 0;
};

}  // namespace kumiko::runtime::detail
