// Where a range of indices is cut when a part of it goes to another worker.
#pragma once

#include <concepts>
#include <numeric>

namespace kumiko::runtime::policy {

/// Where [first, last) is cut in two: the upper part is as large as the lower one, or larger by
/// one. Neither is empty if the range has two indices or more. Requires first <= last.
template <std::integral Index>
constexpr Index halving_point(Index first, Index last) noexcept {
  return std::midpoint(first, last);
}

}  // namespace kumiko::runtime::policy
