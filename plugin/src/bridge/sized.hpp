// Reads and fills structures of the C interface that say their size, and so may
// grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace kumiko::plugin::detail {

/// A structure that another side filled, as far as both know its members; the
/// others are zero.
template <class InC>
InC known_part(const InC& given) {
  static_assert(std::is_trivially_copyable_v<InC>);
  const std::size_t size = std::min(given.size, sizeof(InC));
  InC known{};
  std::memcpy(static_cast<void*>(&known), &given, size);
  known.size = size;
  return known;
}

/// Fills a structure that another side made room for, as far as both know its
/// members.
template <class InC>
void fill_room(InC* room, const InC& own) {
  static_assert(std::is_trivially_copyable_v<InC>);
  const std::size_t size = std::min(room->size, sizeof(InC));
  std::memcpy(static_cast<void*>(room), &own, size);
  room->size = size;
}

}  // namespace kumiko::plugin::detail
