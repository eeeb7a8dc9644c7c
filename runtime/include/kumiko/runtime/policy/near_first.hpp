// Steal policy: workers below the thief's last-level cache are asked first.
#pragma once

#include <cstddef>

#include <kumiko/runtime/policy/stealing.hpp>

namespace kumiko::runtime::policy {

/// One round visits each other worker once: first the near workers, then the others. Each of the
/// two passes begins at a random worker and goes round, so that thieves spread. If distances are
/// not known, there is one pass. Draws one random number for each pass that it begins.
struct NearFirst {
  /// See Stealing.
  bool round(const Others& others, const Draw& draw, const Visit& visit) const {
    if (others.is_near == nullptr) return pass(others, draw, visit, Wanted::kAll);
    return pass(others, draw, visit, Wanted::kNear) || pass(others, draw, visit, Wanted::kFar);
  }

 private:
  enum class Wanted { kAll, kNear, kFar };

  static bool pass(const Others& others, const Draw& draw, const Visit& visit, Wanted wanted) {
    std::size_t next = draw() % others.workers;
    for (std::size_t passed = 0; passed < others.workers; ++passed) {
      const std::size_t victim = next;
      next = victim + 1 == others.workers ? 0 : victim + 1;
      if (victim == others.thief) continue;
      if (wanted != Wanted::kAll && (*others.is_near)(victim) != (wanted == Wanted::kNear)) {
        continue;
      }
      if (visit(victim)) return true;
    }
    return false;
  }
};
}  // namespace kumiko::runtime::policy
