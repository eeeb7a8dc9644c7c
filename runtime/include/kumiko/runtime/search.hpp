// Backtracking searches that do and undo moves on one workspace. They are divided only while a
// worker is idle: the search then goes back to the oldest choice with work left, and copies the
// workspace there.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <kumiko/runtime/search_core.hpp>
#include <kumiko/runtime/search_functions.hpp>
#include <kumiko/runtime/search_outside.hpp>
#include <kumiko/runtime/search_part.hpp>

namespace kumiko::runtime {

/// A search with its workspace, which is the board on which pieces are placed and removed, and the
/// results so far. The functions of a part that was given away see the part as such an object too,
/// with its own workspace.
///
///     void queens(Search<Board>& search, int row) {
///       search.split_for(row, size, [row](Search<Board>& at, int i) {
///         if (!at->is_free(row, i)) return;
///         if (row == size - 1) { ++at->solutions; return; }
///         at.reversible([=](Board& board) { board.place(row, i); },
///                       [&] { queens(at, row + 1); },
///                       [=](Board& board) { board.remove(row, i); });
///       }, give, take);
///     }
///
/// While no worker is idle this is the serial program: one workspace, no thread, no allocation, no
/// entry in a queue; a construct costs about 3 ns. When an idle worker asks for work, one busy
/// worker undoes its moves, innermost first, back to its oldest construct with work left. It gives
/// away the upper half of that work with a copy of the workspace at that point, redoes the moves
/// and continues: temporary backtracking (Hiraishi et al., PPoPP 2009). One request leads to at
/// most one part (WorkerStatistics::asks and divisions).
///
/// *Order.* The results of parts are merged where the construct ends, those of the last part given
/// away first. So results are merged in the order in which the serial program would have found
/// them, whatever was given away.
///
/// *Bound.* A part that has not ended is running, or is in the queue of a worker, which holds at
/// most one part, or waits for a part that it has given away. So in a runtime of P workers that
/// does nothing else, at most 2 P G parts exist, where G is the number of generations of parts
/// given away by parts (see SearchStatistics). Workspaces of parts that have ended are kept until
/// they are merged.
///
/// *Requirements.* Between constructs, only reversible() may change the workspace, except its
/// results, which `give` resets and `take` merges. do and undo must be inverses. do, undo, give and
/// take must neither poll nor suspend. A poll in one of them throws std::logic_error if a worker
/// asks for work while a division runs the function; otherwise it is not noticed. Functions of a
/// part must use the search that they are passed and not one that they have captured (this also
/// throws, if it is noticed). They must not keep the address of anything that belongs to the OS
/// thread.
///
/// *Exceptions.* An exception that leaves a construct undoes the moves on its way, stops the parts
/// that were given away there, and waits for them. If parts throw, the first exception in serial
/// order is thrown. A do that throws must have done nothing; an undo that throws must have undone
/// its move. If there is not enough memory for a part (std::bad_alloc of `give`, or no stack), it
/// is not given away. The poll throws other exceptions of `give`, and those of do and undo while
/// going back.
///
/// A Search belongs to the lightweight thread that constructs it. It must be destroyed there, after
/// all that it has begun. Any thread may call stop().
///
/// \tparam Sending  how parts leave the process: see kumiko/search/search.hpp
template <class Workspace, class Sending = detail::StaysHere>
class Search : private detail::OwnSearchCore, private SearchPart {
 public:
  /// The type of the connection to other processes.
  using Outside = typename Sending::Outside;

  /// Begins a search. A request to `stop` stops it as stop() does.
  /// \throws std::logic_error outside a lightweight thread.
  explicit Search(Workspace workspace, std::stop_token stop = {})
      : OwnSearchCore(std::move(stop)),
        SearchPart(own_core()),
        workspace_(std::move(workspace)),
        link_(std::in_place, part()) {}

  /// Begins a search that other processes share through `outside`, as a part of a larger search
  /// after this number of `divisions`.
  Search(Workspace workspace, Outside& outside, std::stop_token stop = {},
         unsigned divisions = 0) requires(Sending::kSends)
      : OwnSearchCore(std::move(stop), &outside, divisions),
        SearchPart(own_core()),
        workspace_(std::move(workspace)),
        outside_(&outside),
        link_(std::in_place, part()) {}

  /// The workspace of this part.
  Workspace& workspace() noexcept { return workspace_; }
  /// As workspace() returns it.
  Workspace& operator*() noexcept { return workspace_; }
  /// Reaches a member of the workspace.
  Workspace* operator->() noexcept { return std::addressof(workspace_); }

  /// Calls body(search, i) for i in [first, last), in ascending order, and polls according to
  /// `When`. When a worker asks for work, the upper half of the indices that have not begun,
  /// [middle, end), is given away if guard(middle, end) is true, with the workspace give(workspace,
  /// middle, end). The part's results are merged at the end by take(workspace, part's workspace),
  /// which may suspend the caller until the part has ended.
  template <Polls When = Polls::kEachIndex, std::integral Index,
            SearchBody<Search<Workspace, Sending>, Index> Body,
            SearchGive<Workspace, Index, Index> Give, SearchTake<Workspace> Take,
            SearchGuard<Index, Index> Guard = AnySize>
  [[gnu::always_inline]] void split_for(Index first, std::type_identity_t<Index> last,
                                        const Body body, const Give give, const Take take,
                                        const Guard guard = {}) {
    if (first >= last) return;
    LoopFrame<When, Index, Body, Give, Take, Guard> frame(*this, first, last, body, give, take,
                                                          guard);
    try {
      Index i = first;
      if (poll_at_step()) {
        for (;;) {
          body(*this, i++);
          if (i >= frame.end) break;
          frame.next = static_cast<Index>(i + 1);
          if (When == Polls::kEachIndex && !poll_at_step()) break;
        }
      }
    } catch (...) {
      leave(frame);
      throw;
    }
    pop(frame);
    if (frame.given != nullptr) [[unlikely]]
      take_all(frame.given, take);
  }

  /// Polls, then calls first(search) and second(search). When a worker asks for work, second is
  /// given away if guard() is true, with the workspace give(workspace). The part's results are
  /// merged after first by take(workspace, part's workspace), which may suspend the caller until
  /// the part has ended.
  template <SearchBody<Search<Workspace, Sending>> First,
            SearchBody<Search<Workspace, Sending>> Second, SearchGive<Workspace> Give,
            SearchTake<Workspace> Take, SearchGuard<> Guard = AnySize>
  [[gnu::always_inline]] void split_two(const First& first, const Second second, const Give give,
                                        const Take take, const Guard guard = {}) {
    PairFrame<Second, Give, Guard> frame(*this, second, give, guard);
    bool continues = false;
    try {
      continues = poll_at_step();
      if (continues) first(*this);
    } catch (...) {
      leave(frame);
      throw;
    }
    pop(frame);
    if (frame.given != nullptr) [[unlikely]] {
      take_all(frame.given, take);
    } else if (continues) {
      second(*this);
    }
  }

  /// Calls apply(workspace), body(), undo(workspace). While a part of an outer construct is given
  /// away, undo and then apply are called within body, at one of its polls.
  template <SearchMove<Workspace> Do, std::invocable Body, SearchMove<Workspace> Undo>
  [[gnu::always_inline]] void reversible(const Do apply, Body&& body, const Undo undo) {
    apply(workspace_);
    MoveFrame<Do, Undo> frame(*this, apply, undo);
    try {
      body();
    } catch (...) {
      pop(frame);
      if (is_done(frame)) undo(workspace_);
      throw;
    }
    pop(frame);
    undo(workspace_);
  }

  /// Polls in long computations without a construct, so that idle workers can get a part. Returns
  /// false if the search is to end. May suspend. Cost while no worker asks: three loads.
  bool poll() { return poll_within_step(); }

  /// Asks the whole search to end: after each part's next poll, constructs skip all work that has
  /// not begun. Results so far are merged as usual. For any thread; does not wait.
  void stop() noexcept { stop_all(); }

  /// Returns whether this part has been asked to end, by stop() or because the construct that gave
  /// it away ends by an exception.
  bool stopped() const noexcept { return is_stopped(); }

  /// The counters of this part and of all parts that have ended.
  SearchStatistics statistics() const noexcept { return whole_statistics(); }

 private:
  using SearchFrame = detail::SearchFrame;
  using GivenPart = detail::GivenPart;

  template <Polls When, class Index, class Body, class Give, class Take, class Guard>
  struct LoopFrame;
  template <class Second, class Give, class Guard>
  struct PairFrame;
  template <class Do, class Undo>
  struct MoveFrame;
  template <class Work>
  class OwnGivenPart;

  /// A part of `giver`, with the workspace that make() returns.
  template <class Make>
  Search(Search& giver, Make make)
      : SearchPart(giver.part()), workspace_(make()), outside_(giver.outside_) {}

  SearchPart& part() noexcept { return *this; }
  static Search& of(SearchPart& part) noexcept { return static_cast<Search&>(part); }

  /// Ends a frame that an exception leaves.
  template <class Frame>
  void leave(Frame& frame) noexcept {
    pop(frame);
    abandon(frame.given);
  }

  template <class Take>
  [[gnu::noinline]] void take_all(GivenPart*& given, const Take& take) {
    try {
      while (given != nullptr) {
        const std::unique_ptr<GivenPart> last = wait_for_last(given);
        const Lock lock(*this);
        take(workspace_, std::move(of(last->part()).workspace_));
      }
    } catch (...) {
      abandon(given);
      throw;
    }
  }

  Workspace workspace_;
  Outside* const outside_ = nullptr;
  std::optional<detail::SearchLink> link_;  ///< of the whole search only
};

}  // namespace kumiko::runtime

#include <kumiko/runtime/detail/search_frames.hpp>
