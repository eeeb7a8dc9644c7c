// The state that all parts of a search share.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

#include <kumiko/runtime/detail/linked_queue.hpp>
#include <kumiko/runtime/detail/spinlock.hpp>
#include <kumiko/runtime/search_outside.hpp>
#include <kumiko/runtime/search_part.hpp>

namespace kumiko::runtime {

/// The state that all parts of a search share: their list, their stop and their counters.
/// Invariant: under the lock, a part is in the list from add() to remove(), and is asked to end if
/// the search is stopped.
class SearchCore {
 public:
  /// \param stop  a request to it stops the search as stop_all() does
  /// \param outside  the other processes that share the search; nullptr for none
  /// \param divisions  see divisions()
  explicit SearchCore(std::stop_token stop, Outside* outside = nullptr, unsigned divisions = 0);
  ~SearchCore();
  SearchCore(const SearchCore&) = delete;
  SearchCore& operator=(const SearchCore&) = delete;

  /// Asks all parts to end, also those that begin later and those in other processes. Any OS thread
  /// may call this and the next two functions.
  void stop_all() noexcept;
  /// Asks all parts in this process to end.
  void stop_here() noexcept;
  /// Asks a part to end, and all parts that it and its parts have given away so far.
  void stop_from(const SearchPart& ancestor) noexcept;

  /// A part begins.
  void add(SearchPart& part) noexcept;
  /// It ends.
  void remove(SearchPart& part) noexcept;

  /// A part begins to wait for one that it has given away.
  void begin_wait() noexcept { waiting_.fetch_add(1, std::memory_order_relaxed); }
  /// That part continues.
  void end_wait() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }

  /// Makes parts look for asks of other processes. Any OS thread may call it.
  void announce_asks() noexcept;
  /// Returns whether a part may be running; a hint.
  bool is_busy() const noexcept;

  /// The other processes that share the search; nullptr for none.
  Outside* outside() const noexcept { return outside_; }
  /// That of outside(); 0 without one.
  unsigned divisions_in_advance() const noexcept { return in_advance_; }
  /// The number of divisions between the whole search and this one, which may be a part of a search
  /// of another process.
  unsigned divisions() const noexcept { return divisions_; }

  /// The sum of the counters of the parts that have ended, and of `counts`.
  SearchStatistics statistics_with(const SearchStatistics& counts) const noexcept;

 private:
  struct StopAll {
    SearchCore& core;
    void operator()() const noexcept { core.stop_all(); }
  };

  mutable detail::SpinLock lock_;  ///< guards the next three members
  detail::LinkedQueue<SearchPart, &SearchPart::next_, &SearchPart::previous_> live_;
  bool stopped_ = false;
  SearchStatistics statistics_;
  std::atomic<std::uint64_t> waiting_{0};
  Outside* const outside_;
  const unsigned in_advance_;  ///< a number of divisions
  const unsigned divisions_;
  const std::stop_callback<StopAll> on_stop_;  ///< last, since it may be called at once
};

namespace detail {

/// The core of a search, as a base of its first part, so that it is constructed before the part and
/// destroyed after it.
class OwnSearchCore {
 protected:
  OwnSearchCore() = default;
  explicit OwnSearchCore(std::stop_token stop, Outside* outside = nullptr, unsigned divisions = 0)
      : core_(std::in_place, std::move(stop), outside, divisions) {}

  SearchCore& own_core() noexcept { return *core_; }

 private:
  std::optional<SearchCore> core_;
};

}  // namespace detail

}  // namespace kumiko::runtime
