#include "observation/current_piece.hpp"

#include "observation/ticks.hpp"

namespace kumiko::amr {

WorkerActivity CurrentPiece::read(std::uint64_t now, double seconds_per_tick) const {
  for (;;) {
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    WorkerActivity activity;
    activity.is_busy = (version & 1U) != 0;
    std::uint64_t since = 0;
    if (activity.is_busy) {
      const std::uint64_t place = place_.load(std::memory_order_acquire);
      const std::uint64_t task = task_.load(std::memory_order_acquire);
      since = begun_.load(std::memory_order_acquire);
      const auto what = static_cast<std::uint32_t>(task >> 32U);
      activity.patch = {static_cast<int>(what >> 2U), static_cast<std::int32_t>(place),
                        static_cast<std::int32_t>(place >> 32U)};
      activity.kind = static_cast<PieceKind>(what & 3U);
      activity.base_step = static_cast<std::int32_t>(task);
    } else {
      since = idle_since_.load(std::memory_order_acquire);
    }
    activity.seconds = static_cast<double>(elapsed(since, now)) * seconds_per_tick;
    if (version_.load(std::memory_order_acquire) == version) return activity;
  }
}

}  // namespace kumiko::amr
