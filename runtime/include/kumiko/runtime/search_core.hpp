// What all parts of a search share.
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

/// What all parts of a search share.
class SearchCore {
 public:
  /// \param stop       stops the search as stop_all() does
  /// \param outside    who shares it; nullptr: nobody
  /// \param divisions  see divisions()
  explicit SearchCore(std::stop_token stop, Outside* outside = nullptr, unsigned divisions = 0);
  ~SearchCore();
  SearchCore(const SearchCore&) = delete;
  SearchCore& operator=(const SearchCore&) = delete;

  /// Asks all parts to end, those that are still to come too, and those elsewhere. From any OS
  /// thread.
  void stop_all() noexcept;
  /// The same, but those outside are not told.
  void stop_here() noexcept;
  /// The same for one part, and for those that it has given away, and they, so far.
  void stop_from(const SearchPart& ancestor) noexcept;

  /// A part begins.
  void add(SearchPart& part) noexcept;
  /// It ends.
  void remove(SearchPart& part) noexcept;

  /// A part waits for one that it has given away, and goes on.
  void begin_wait() noexcept { waiting_.fetch_add(1, std::memory_order_relaxed); }
  /// The end of what begin_wait() began.
  void end_wait() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }

  /// Lets parts look at what is asked from outside. From any OS thread.
  void tell_of_asks() noexcept;
  /// Whether some part may run; a hint.
  bool is_busy() const noexcept;

  /// Who shares it; nullptr: nobody.
  Outside* outside() const noexcept { return outside_; }
  /// As Outside has them; 0 without one.
  unsigned divisions_in_advance() const noexcept { return in_advance_; }
  /// How many divisions lie between the whole and this, which may be a part of it from elsewhere.
  unsigned divisions() const noexcept { return divisions_; }

  /// Of the parts that have ended, and of one that has not.
  SearchStatistics statistics_with(const SearchStatistics& counts) const noexcept;

 private:
  struct StopAll {
    SearchCore& core;
    void operator()() const noexcept { core.stop_all(); }
  };

  mutable detail::SpinLock lock_;  ///< for what follows
  detail::LinkedQueue<SearchPart, &SearchPart::next_, &SearchPart::previous_> live_;
  bool stopped_ = false;
  SearchStatistics statistics_;
  std::atomic<std::uint64_t> waiting_{0};
  Outside* const outside_;
  const unsigned in_advance_;  ///< divisions
  const unsigned divisions_;
  const std::stop_callback<StopAll> on_stop_;  ///< last: it may be called at once
};

namespace detail {

/// The core of a search, in its first part: constructed before that, and destroyed after it.
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
