// A parallel loop over some of a level's patches.
#pragma once

#include <vector>

#include <kumiko/amr/backend.hpp>

namespace kumiko::amr {

/// Calls task(slot) for the given slots of a level, as Backend::for_each() does.
template <class Task>
void for_slots(Backend& backend, Level& level, const std::vector<std::size_t>& slots, Task task) {
  if (slots.empty()) return;
  std::vector<char> chosen(level.size(), 0);
  for (const std::size_t slot : slots) chosen[slot] = 1;
  backend.for_each(level, [&](std::size_t slot, int) {
    if (chosen[slot] != 0) task(slot);
  });
}

}  // namespace kumiko::amr
