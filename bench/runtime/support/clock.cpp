#include "clock.hpp"

#include <chrono>

namespace kumiko::bench {

double steady_seconds() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace kumiko::bench
