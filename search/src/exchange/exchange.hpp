// The exchange of parts of searches between this process and others.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include <kumiko/runtime/function_ref.hpp>
#include <kumiko/runtime/future.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/search_core.hpp>
#include <kumiko/search/search.hpp>

#include "core/exchange_state.hpp"
#include "core/peers.hpp"
#include "exchange/ask_pace.hpp"
#include "exchange/ask_targets.hpp"
#include "exchange/delivery.hpp"
#include "exchange/idle_watch.hpp"
#include "exchange/run_stops.hpp"
#include "exchange/search_place.hpp"
#include "exchange/use_count.hpp"
#include "record/exchange_log.hpp"

namespace kumiko::search::detail {

class ExchangeSource;

/// Connects the searches of a process, its Runtime and its peers by an ExchangeState.
///
/// *Threads.* Each message that is sent, each part that is done here and each pause after a refusal
/// has its own lightweight thread, counted in uses_. None of them waits for an action of a peer;
/// only the search that has given a part away does. An ExchangeSource, which workers poll, reports
/// that a worker has no work.
///
/// *Locks.* lock_ is taken before those of searches (SearchCore), of stores and of runs_. While it
/// is held, nothing is sent, started or woken.
class Exchange final : public std::enable_shared_from_this<Exchange> {
 public:
  using Clock = std::chrono::steady_clock;

  /// The interval at which unanswered asks and losses are looked for.
  static constexpr std::chrono::milliseconds kLookEvery{10};

  Exchange(runtime::Runtime& runtime, std::unique_ptr<Peers> peers);

  /// Begins to ask when workers are idle, if it has not begun yet.
  void begin();
  /// Tells the neighbours that the searches of this process have ended, and waits until they have
  /// said the same or are lost. Works for them meanwhile. Suspends.
  void wait_for_ends();
  /// Ends: asks no more, stops the parts that it does for others, and waits for its threads. No
  /// search of this process may be in progress. Suspends.
  void end();

  // Events. Any lightweight thread may call these; they do not suspend.

  /// A message has arrived.
  void receive(const Way& from, const ExchangeMessage& message);
  /// The process at the end of this way is lost, and so are those behind it.
  void lost(const Way& way);
  /// There is another neighbour. Any OS thread may call this, too.
  void joined();

  /// Gives a part to the process that has asked, or to the next that asks if the part has a store.
  void give(const std::shared_ptr<Delivery>& part, Task task);
  void withdraw(const std::shared_ptr<Delivery>& part);

  /// Returns whether a search of this process waits for parts elsewhere.
  bool is_searching() const;

  ExchangeStatistics statistics() const;
  /// The log of this process so far.
  ProcessLog log() const;
  SearchPlace& own_place() noexcept { return own_place_; }

  // For ExchangeSource; see runtime::MessageSource.

  int poll(bool idle, Clock::time_point now) noexcept;
  bool has_news(Clock::time_point now) noexcept;
  /// Returns whether a worker that sleeps must poll again after kLookEvery.
  bool needs_looks() const noexcept;

 private:
  friend SearchPlace;

  using Effects = ExchangeEffects;
  using Says = ExchangeMessage::Says;

  /// Changes the state under the lock, then does what follows from it without the lock.
  void change(runtime::FunctionRef<void(Effects&)> change);
  void settle(Effects& effects);
  static void keep(const ExchangeEffects::Finish& finish);
  void perform(Effects effects, bool was_answered);
  template <class Function>
  void start_thread(Function function);

  void seek();
  void pause();
  void wake_resting();
  /// Sends a message about a way to all neighbours, except to the one that the way leads through.
  void tell_neighbours(Says kind, const Way& way, Effects& effects) const;
  void look_after(Clock::time_point now);
  void do_part(std::uint64_t run, const Task& task);
  /// Returns whether a search is running here, so that it may be divided. Under the lock.
  bool is_busy() const {
    return std::any_of(searches_.begin(), searches_.end(),
                       [](const runtime::SearchCore* search) { return search->is_busy(); });
  }
  void let_asks_expire();

  runtime::Runtime& runtime_;
  const std::unique_ptr<Peers> peers_;
  const Clock::time_point began_ = Clock::now();
  const std::chrono::nanoseconds idle_before_;  ///< idle time of all workers before that
  SearchPlace own_place_{*this, 0};

  RunStops runs_;

  mutable std::mutex lock_;  ///< guards the members up to the next empty line
  ExchangeState state_;
  ExchangeLog log_{began_.time_since_epoch()};
  AskTargets targets_{*peers_};
  AskPace pace_;
  std::vector<runtime::SearchCore*> searches_;
  std::vector<std::uint16_t> not_ended_;  ///< neighbours that may still search
  std::optional<runtime::Promise<void>> all_ended_;
  std::optional<runtime::Promise<void>> rest_;  ///< ends a pause
  std::set<Way> resting_;  ///< processes that rest after they have asked in vain
  bool asks_expire_ = false;
  Clock::time_point asked_at_{};

  std::atomic<bool> has_asks_{false};
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> is_seeking_{false};           ///< an ask is unanswered, or a pause after it
  std::atomic<bool> is_resting_{false};           ///< in a pause that is longer than kLookEvery
  std::atomic<ExchangeSource*> source_{nullptr};  ///< the runtime's, from begin() on

  IdleWatch idle_watch_;              ///< the poller's
  Clock::time_point looked_after_{};  ///< the poller's

  UseCount uses_;  ///< by its threads and by callers of its functions
};

}  // namespace kumiko::search::detail
