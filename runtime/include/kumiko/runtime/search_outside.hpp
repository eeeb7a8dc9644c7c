// The connection of searches to other processes that do parts of them.
#pragma once

#include <memory>

namespace kumiko::runtime {

class SearchCore;
class SearchPart;

/// The work of a part that another process does. If it is destroyed before wait() has returned, it
/// gives up.
class SentPart {
 public:
  SentPart() = default;
  SentPart(const SentPart&) = delete;
  SentPart& operator=(const SentPart&) = delete;
  virtual ~SentPart() = default;

  /// Waits for the result, and moves it into the workspace of the part. Suspends. \throws the
  /// exception that has escaped the work
  virtual void wait() = 0;

  /// Nobody wants the result any more, so the work is to end soon. Does not wait.
  virtual void give_up() noexcept = 0;
};

/// The other processes that ask for parts of this runtime's searches. It counts their asks and then
/// calls SearchCore::announce_asks(); the search claims one ask for each part that it can give.
class Outside {
 public:
  /// A search begins; called by its thread. \throws std::bad_alloc
  virtual void add(SearchCore& search) = 0;
  /// The search ends. After this has returned, asks are not announced to it any more.
  virtual void remove(SearchCore& search) noexcept = 0;

  /// Returns whether there are asks that nobody has claimed; a hint.
  virtual bool has_asks() const noexcept = 0;
  /// Claims an ask. If it returns true, the caller must answer the ask, by a SentPart or by
  /// decline().
  virtual bool claim_ask() noexcept = 0;
  /// Answers a claimed ask without a part.
  virtual void decline() noexcept = 0;

  /// The number of divisions up to which a search is divided before there are asks: parts with
  /// fewer divisions are divided further, and the resulting parts are sent in advance. 0 for none.
  virtual unsigned divisions_in_advance() const noexcept { return 0; }

  /// All parts of the search are to end, also those in other processes. Any OS thread may call it.
  virtual void search_stopped(const SearchCore& search) noexcept = 0;
  /// Those parts of the search are to end whose givers have been asked to end.
  virtual void givers_stopped(const SearchCore& search) noexcept = 0;

 protected:
  ~Outside() = default;
};

namespace detail {

/// The default of Search, whose parts do not leave the process.
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
