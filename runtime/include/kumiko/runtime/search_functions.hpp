// Concepts for the functions that a program passes to a search, and the choice of its polls.
#pragma once

#include <concepts>
#include <type_traits>

namespace kumiko::runtime {

/// The function that split_for() calls for an index, or that split_two() calls. Its argument is the
/// search that does the work, which is another one if the part was given away. It is copied into
/// such a part, and may be called there at the same time as here.
template <class Body, class Search, class... Index>
concept SearchBody =
    std::copy_constructible<Body> && std::invocable<const Body&, Search&, Index...>;

/// The function that makes the workspace of a part. Its result must not refer to the original
/// workspace.
template <class Give, class Workspace, class... Index>
concept SearchGive = std::copy_constructible<Give> &&
    requires(const Give& give, const Workspace& here, Index... i) {
  { give(here, i...) } -> std::same_as<Workspace>;
};

/// The function that merges a part's workspace into the workspace of the search that gave the part
/// away.
template <class Take, class Workspace>
concept SearchTake =
    std::copy_constructible<Take> && std::invocable<const Take&, Workspace&, Workspace&&>;

/// The function that returns whether a part is large enough to be given away. Must not throw.
template <class Guard, class... Index>
concept SearchGuard =
    std::copy_constructible<Guard> && std::is_invocable_r_v<bool, const Guard&, Index...>;

/// A function that does or undoes a move.
template <class Move, class Workspace>
concept SearchMove = std::copy_constructible<Move> && std::invocable<const Move&, Workspace&>;

/// The polls of a loop, which check whether a worker asks for work and whether the search is to
/// end.
enum class Polls {
  kEachIndex,  ///< before each call of its body
  kAtBegin,    ///< once; for a body whose constructs poll, or for a loop of only a few microseconds
};

/// The guard that allows all parts.
struct AnySize {
  /// \return true
  template <class... Index>
  constexpr bool operator()(Index...) const noexcept {
    return true;
  }
};

}  // namespace kumiko::runtime
