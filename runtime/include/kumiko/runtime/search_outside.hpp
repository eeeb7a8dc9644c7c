// Those outside a process who share its searches, and the work of a part that they do.
#pragma once

#include <memory>

namespace kumiko::runtime {

class SearchCore;
class SearchPart;

/// The work of a part that somebody outside this runtime does. Destroyed before wait() has
/// returned, it gives up.
class SentPart {
 public:
  SentPart() = default;
  SentPart(const SentPart&) = delete;
  SentPart& operator=(const SentPart&) = delete;
  virtual ~SentPart() = default;

  /// Waits for the result, and puts it into the part's workspace. Suspends. \throws what has
  /// escaped the work
  virtual void wait() = 0;

  /// Nobody wants the result any more: the work is to end. Does not wait.
  virtual void give_up() noexcept = 0;
};

/// Those outside this runtime who ask for parts of its searches. They count what they ask for, and
/// then tell the searches (SearchCore::tell_of_asks()); who is told claims one ask for each part.
class Outside {
 public:
  /// A search begins, by its thread. \throws std::bad_alloc
  virtual void add(SearchCore& search) = 0;
  /// It ends, and is not told of asks any more when this has returned.
  virtual void remove(SearchCore& search) noexcept = 0;

  /// Whether anybody asks; a hint.
  virtual bool has_asks() const noexcept = 0;
  /// Whether the caller is to answer one ask: by SentPart, or by decline().
  virtual bool claim_ask() noexcept = 0;
  /// Answers an ask that was claimed, without a part.
  virtual void decline() noexcept = 0;

  /// The divisions up to which a search is divided before anybody asks: parts after fewer are
  /// divided until they are not, and those that come of it are sent in advance. 0: none.
  virtual unsigned divisions_in_advance() const noexcept { return 0; }

  /// All parts of the search are to end, those elsewhere too. From any OS thread.
  virtual void search_stopped(const SearchCore& search) noexcept = 0;
  /// The same of those parts only whose givers have been asked to end.
  virtual void givers_stopped(const SearchCore& search) noexcept = 0;

 protected:
  ~Outside() = default;
};

namespace detail {

/// How parts of a search leave the process: not at all.
struct StaysHere {
  static constexpr bool kSends = false;

  using Outside = runtime::Outside;

  template <class At, class Workspace, class Work>
  static std::unique_ptr<SentPart> send(Outside*, bool, SearchPart&, unsigned, Workspace&,
                                        const Work&) {
    return nullptr;
  }
};

}  // namespace detail

}  // namespace kumiko::runtime
