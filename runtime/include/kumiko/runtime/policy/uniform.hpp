// Steal policy: each visit is to a random worker.
#pragma once

#include <cstddef>

#include <kumiko/runtime/policy/stealing.hpp>

namespace kumiko::runtime::policy {

/// One round has as many visits as there are other workers. Each visit is to a worker drawn at
/// random from all of them, near or far. These are the thieves of Blumofe and Leiserson,
/// "Scheduling multithreaded computations by work stealing", J. ACM 46 (1999), whose bounds hold
/// for this policy.
struct Uniform {
  /// See Stealing.
  bool round(const Others& others, const Draw& draw, const Visit& visit) const {
    const std::size_t count = others.workers - 1;
    for (std::size_t visits = 0; visits < count; ++visits) {
      const std::size_t drawn = draw() % count;
      if (visit(drawn < others.thief ? drawn : drawn + 1)) return true;
    }
    return false;
  }
};
}  // namespace kumiko::runtime::policy
