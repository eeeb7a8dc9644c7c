// Whom an idle worker asks for work, in which order: those below its own cache first.
#pragma once

#include <cstddef>

#include <kumiko/runtime/policy/stealing.hpp>

namespace kumiko::runtime::policy {

/// One round over the other workers, each once: first those that are near, then the rest, each of
/// the two passes in a circle from a random worker on, so that thieves spread. Without distances
/// there is one pass. Draws one number for each pass that is begun.
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
