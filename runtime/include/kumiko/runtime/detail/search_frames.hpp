// The constructs of a search in progress, and the work of the parts that they give away.
#pragma once

#include <memory>
#include <utility>

#include <kumiko/runtime/policy/halving.hpp>
#include <kumiko/runtime/search.hpp>

namespace kumiko::runtime {

/// A given part that does `work` with its own workspace.
template <class Workspace, class Sending>
template <class Work>
class Search<Workspace, Sending>::OwnGivenPart final : public GivenPart {
 public:
  template <class Make>
  OwnGivenPart(Search& giver, Make make, Work work)
      : search_(giver, make), work_(std::move(work)) {}

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

  Index next;  ///< the first index that has not begun; that of the first iteration always has
  Index end;
  GivenPart* given = nullptr;  ///< the latest given part, which has a link to the one before
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
    return std::make_unique<OwnGivenPart<Work>>(search, make,
                                                Work{first, last, body, give, take, guard});
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
    if (!of(part).hand_over(std::make_unique<OwnGivenPart<Second>>(of(part), make, second),
                            given)) {
      return false;
    }
    of(part).count_division();
    return true;
  }

  bool divide_all(SearchPart& part, unsigned) override {
    if (!has_part()) return true;
    const auto make = [&] { return give(std::as_const(of(part).workspace_)); };
    if (of(part).hand_over_in_advance(
            std::make_unique<OwnGivenPart<Second>>(of(part), make, second), given, 1)) {
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
