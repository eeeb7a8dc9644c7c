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

#include <kumiko/runtime/policy/halving.hpp>
#include <kumiko/runtime/search_part.hpp>

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

/// When a loop polls whether a worker asks for work, and whether the search is to end.
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
  /// Those outside the process who share the search.
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
    bool goes_on = false;
    try {
      goes_on = poll_at_step();
      if (goes_on) first(*this);
    } catch (...) {
      leave(frame);
      throw;
    }
    pop(frame);
    if (frame.given != nullptr) [[unlikely]] {
      take_all(frame.given, take);
    } else if (goes_on) {
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

  /// Whether this part has been asked to end, by stop() or because the construct that gave it away
  /// ends by an exception.
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
  class Part;

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
  std::optional<detail::SearchLink> link_;  ///< of the whole
};

/// A given part that does `work` on a workspace of its own.
template <class Workspace, class Sending>
template <class Work>
class Search<Workspace, Sending>::Part final : public GivenPart {
 public:
  template <class Make>
  Part(Search& giver, Make make, Work work) : search_(giver, make), work_(std::move(work)) {}

  SearchPart& part() noexcept override { return search_; }

 private:
  void run() override { work_(search_); }
  std::unique_ptr<SentPart> send(bool in_advance, SearchPart& giver, unsigned divisions) override {
    return Sending::template send<Search>(search_.outside_, in_advance, giver, divisions,
                                          search_.workspace_, work_);
  }

  Search search_;
  const Work work_;
};

/// A split_for() in progress.
template <class Workspace, class Sending>
template <Polls When, class Index, class Body, class Give, class Take, class Guard>
struct Search<Workspace, Sending>::LoopFrame final : SearchFrame {
  LoopFrame(Search& search, Index first, Index last, const Body& function, const Give& giving,
            const Take& taking, const Guard& guarding)
      : SearchFrame(search.tip()),
        next(static_cast<Index>(first + 1)),
        end(last),
        body(function),
        give(giving),
        take(taking),
        guard(guarding) {
    search.push(*this);
  }

  Index middle() const noexcept { return policy::halving_point(next, end); }

  bool has_part() const noexcept override { return next < end && guard(middle(), end); }

  bool divide(SearchPart& part) override {
    const Index begin = middle();
    if (!of(part).hand_over(piece(of(part), begin, end), given)) return false;
    of(part).count_division();
    end = begin;
    return true;
  }

  bool divide_all(SearchPart& part, unsigned halvings) override {
    const auto begin = static_cast<Index>(next - 1);
    const bool is_divided_within = halvings > 0 && is_single(begin, end);
    if (!is_divided_within && guard(begin, end)) give_pieces(of(part), begin, end, halvings, 0);
    return begin < end;
  }

  Index next;  ///< the first that has not begun; the first of all always has
  Index end;
  GivenPart* given = nullptr;  ///< the latest; each knows the one before
  [[no_unique_address]] const Body body;
  [[no_unique_address]] const Give give;
  [[no_unique_address]] const Take take;
  [[no_unique_address]] const Guard guard;

 private:
  static bool is_single(Index first, Index last) noexcept {
    return policy::halving_point(first, last) == first;
  }

  std::unique_ptr<GivenPart> piece(Search& search, Index first, Index last) const {
    const auto make = [&] { return give(std::as_const(search.workspace_), first, last); };
    return std::make_unique<Part<Work>>(search, make, Work{first, last, body, give, take, guard});
  }

  /// Gives away the indices [first, last) in pieces, the last indices first. \param halvings  the
  /// number of times that the whole loop is to be halved; \param halved  the number of halvings
  /// that led to [first, last). Pieces of a single index may be divided further by their part.
  /// Returns false if there was not enough memory to give away all pieces.
  bool give_pieces(Search& search, Index first, Index last, unsigned halvings, unsigned halved) {
    const Index half = policy::halving_point(first, last);
    const bool is_one = is_single(first, last);
    if (halved < halvings && !is_one && guard(first, half) && guard(half, last)) {
      return give_pieces(search, half, last, halvings, halved + 1) &&
             give_pieces(search, first, half, halvings, halved + 1);
    }
    const unsigned more = is_one ? halved : halvings;
    if (!search.hand_over_in_advance(piece(search, first, last), given, more)) return false;
    end = first;
    return true;
  }

  /// The work of a part: the loop over the indices that were given away.
  struct Work {
    void operator()(Search& at) const {
      at.template split_for<When>(first, last, body, give, take, guard);
    }
    template <class Visit>
    void for_each_function(Visit visit) const {
      visit(body);
      visit(give);
      visit(take);
      visit(guard);
    }

    Index first;
    Index last;
    [[no_unique_address]] Body body;
    [[no_unique_address]] Give give;
    [[no_unique_address]] Take take;
    [[no_unique_address]] Guard guard;
  };
};

/// A split_two() in progress.
template <class Workspace, class Sending>
template <class Second, class Give, class Guard>
struct Search<Workspace, Sending>::PairFrame final : SearchFrame {
  PairFrame(Search& search, const Second& function, const Give& giving, const Guard& guarding)
      : SearchFrame(search.tip()), second(function), give(giving), guard(guarding) {
    search.push(*this);
  }

  bool has_part() const noexcept override { return given == nullptr && guard(); }

  bool divide(SearchPart& part) override {
    const auto make = [&] { return give(std::as_const(of(part).workspace_)); };
    if (!of(part).hand_over(std::make_unique<Part<Second>>(of(part), make, second), given)) {
      return false;
    }
    of(part).count_division();
    return true;
  }

  bool divide_all(SearchPart& part, unsigned) override {
    if (!has_part()) return true;
    const auto make = [&] { return give(std::as_const(of(part).workspace_)); };
    if (of(part).hand_over_in_advance(std::make_unique<Part<Second>>(of(part), make, second), given,
                                      1)) {
      of(part).count_division();
    }
    return true;
  }

  GivenPart* given = nullptr;
  [[no_unique_address]] const Second second;
  [[no_unique_address]] const Give give;
  [[no_unique_address]] const Guard guard;
};

/// A reversible() whose body is in progress.
template <class Workspace, class Sending>
template <class Do, class Undo>
struct Search<Workspace, Sending>::MoveFrame final : SearchFrame {
  MoveFrame(Search& search, const Do& doing, const Undo& undoing)
      : SearchFrame(search.tip()), apply(doing), revert(undoing) {
    search.push(*this);
  }

  void undo(SearchPart& part) override {
    of(part).count_undo();
    revert(of(part).workspace_);
  }
  void redo(SearchPart& part) override {
    of(part).count_redo();
    apply(of(part).workspace_);
  }

  [[no_unique_address]] const Do apply;
  [[no_unique_address]] const Undo revert;
};

}  // namespace kumiko::runtime
