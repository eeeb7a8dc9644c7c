// The index at which a range is divided when a part of it is given to another worker.
#pragma once

#include <concepts>
#include <numeric>

namespace kumiko::runtime::policy {

/// The index that divides [first, last) into two parts. The upper part is as large as the lower
/// one, or larger by one. Neither part is empty if the range has two indices or more. Requires
/// first <= last.
template <std::integral Index>
constexpr Index halving_point(Index first, Index last) noexcept {
  return std::midpoint(first, last);
}

}  // namespace kumiko::runtime::policy
