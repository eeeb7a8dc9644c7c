// What a process does about parts of searches for others, and they for it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <stop_token>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kumiko/runtime/future.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/search_core.hpp>
#include <kumiko/search/search.hpp>

#include "core/exchange_state.hpp"
#include "core/part_store.hpp"
#include "core/peers.hpp"
#include "core/round_trips.hpp"
#include "record/exchange_log.hpp"

namespace kumiko::search::detail {

class Exchange;
class ExchangeSource;

/// Where a search is done: the process, and which part of another's search it is, if any.
class SearchPlace final : public Outside {
 public:
  /// \param part  0 for a search of this process
  SearchPlace(Exchange& of, std::uint64_t part) noexcept : run(part), exchange_(of) {}
  /// For a search of this process whose parts after so many divisions go to `others` in advance.
  SearchPlace(Exchange& of, unsigned divisions, const SearchPlace& others) noexcept
      : run(0), exchange_(of), divisions_(divisions), in_advance_(&others) {}
  /// For these parts, whose results are kept there.
  SearchPlace(Exchange& of, PartStore& keeps) noexcept : run(0), store(&keeps), exchange_(of) {}

  void add(runtime::SearchCore& search) override;
  void remove(runtime::SearchCore& search) noexcept override;
  bool has_asks() const noexcept override;
  bool claim_ask() noexcept override;
  void decline() noexcept override;
  unsigned divisions_in_advance() const noexcept override { return divisions_; }
  void search_stopped(const runtime::SearchCore& search) noexcept override;
  void givers_stopped(const runtime::SearchCore& search) noexcept override;

  std::shared_ptr<Delivery> give(runtime::SearchPart& giver, const PartType& type,
                                 unsigned divisions, Frame bytes) const override;
  const Outside& in_advance() const noexcept override { return *in_advance_; }
  Exchange& exchange() const noexcept override { return exchange_; }

  const std::uint64_t run;
  PartStore* const store = nullptr;

 private:
  Exchange& exchange_;
  const unsigned divisions_ = 0;
  const SearchPlace* const in_advance_ = this;
};

/// How a part came back.
struct Delivered {
  Outcome outcome;
  std::shared_ptr<const Frame> bytes;
};

/// A part that was given away, until its result has come.
struct Delivery {
  Exchange* exchange = nullptr;
  runtime::SearchCore* search = nullptr;
  const runtime::SearchPart* giver = nullptr;  ///< lives as long as it is in a slot
  std::uint64_t run = 0;                       ///< the SearchPlace's
  std::uint32_t slot = 0;
  runtime::Promise<Delivered> promise{};
  runtime::Future<Delivered> future = promise.get_future();
  PartStore* store = nullptr;  ///< keeps the result
  PartKey key{};
};

/// Connects the searches of a process, its Runtime and its peers by an ExchangeState.
///
/// *Threads.* Each message that is sent, each part that is done here and each pause after a refusal
/// is a lightweight thread of its own, counted in threads_. None of them waits for what a peer
/// does: who waits is the search that has given a part away. That a worker has nothing to do this
/// learns from the worker's search for work, as part of an ExchangeSource.
///
/// *Locks.* lock_ before those of searches (SearchCore); nothing is sent, started or woken while it
/// is held.
class Exchange final : public std::enable_shared_from_this<Exchange> {
 public:
  using Clock = std::chrono::steady_clock;

  /// From one look for asks that are not answered, and for losses, to the next.
  static constexpr std::chrono::milliseconds kLookEvery{10};

  Exchange(runtime::Runtime& runtime, std::unique_ptr<Peers> peers);

  /// Begins to ask, if it has not yet: the runtime tells of idle workers from now on.
  void begin();
  /// Tells the neighbours that nothing of this process is searched any more, and waits until they
  /// have said so or are lost; works for them meanwhile. Suspends.
  void wait_for_ends();
  /// Ends: asks no more, stops what it does for others, and waits for its threads. No search of
  /// this process is under way. Suspends.
  void end();

  /// A message has come; nobody behind this way is reached any more. By any lightweight thread;
  /// these do not suspend.
  void receive(const Way& from, const ExchangeMessage& message);
  void lost(const Way& way);
  /// There is a neighbour more. By any thread; does not suspend.
  void joined();

  std::shared_ptr<Delivery> give(const SearchPlace& place, runtime::SearchPart& giver, Task task);
  void withdraw(const std::shared_ptr<Delivery>& part);

  /// Whether a search of this process waits for parts elsewhere.
  bool is_searching() const;

  ExchangeStatistics statistics() const;
  /// What this process has done so far.
  ProcessLog log() const;
  SearchPlace& own_place() noexcept { return own_place_; }

  // As a MessageSource's.

  int poll(bool idle, Clock::time_point now) noexcept;
  bool has_news(Clock::time_point now) noexcept;
  /// Whether a worker that sleeps is to look again after kLookEvery.
  bool needs_looks() const noexcept;

 private:
  friend SearchPlace;

  using Effects = ExchangeEffects;

  /// Changes the state under the lock, then does what follows.
  template <class Change>
  void change(Change change);
  void settle(Effects& effects);
  static void keep(const ExchangeEffects::Finish& finish);
  void perform(Effects effects, bool was_answered);
  template <class Function>
  void start_thread(Function function);
  void end_thread() noexcept;

  /// Keeps the exchange from its end while somebody uses it who is not one of its threads.
  class Use {
   public:
    explicit Use(Exchange& of) noexcept;
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    /// Whether it has not ended.
    explicit operator bool() const noexcept { return began_; }

   private:
    Exchange& exchange_;
    bool began_ = false;
  };

  bool is_idle_long(Clock::time_point now) noexcept;
  void begin_to_seek() noexcept;
  void seek();
  void pause();
  std::chrono::nanoseconds next_pause();
  bool is_about_to_rest(Clock::time_point now) const;
  void wake_resting();
  void look_after(Clock::time_point now);
  std::optional<std::pair<Way, std::optional<PartName>>> whom_to_ask();
  std::optional<Way> onward(const Way& from);
  std::vector<std::uint16_t> near_ones(const std::vector<std::uint16_t>& peers) const;
  std::uint16_t any_of(const std::vector<std::uint16_t>& peers);
  void do_part(std::uint64_t run, const Task& task);
  bool is_busy() const;
  void let_asks_expire();

  runtime::Runtime& runtime_;
  const std::unique_ptr<Peers> peers_;
  const Clock::time_point began_ = Clock::now();
  const std::chrono::nanoseconds idle_before_;  ///< the runtime's workers, until then
  SearchPlace own_place_{*this, 0};

  mutable std::mutex lock_;  ///< for what follows
  ExchangeState state_;
  ExchangeLog log_{began_.time_since_epoch()};
  RoundTrips round_trips_;
  std::vector<runtime::SearchCore*> searches_;
  std::unordered_map<std::uint64_t, std::stop_source> runs_;
  std::vector<std::uint16_t> not_ended_;
  std::optional<runtime::Promise<void>> all_ended_;
  std::mt19937 random_{std::random_device{}()};
  bool is_alone_ = false;  ///< nobody could be asked, and there has been nothing new since
  unsigned refusals_ = 0;  ///< one after the other
  Clock::time_point refused_since_{};           ///< the first of them
  std::optional<runtime::Promise<void>> rest_;  ///< ends a pause
  std::set<Way> resting_;                       ///< whose asks were in vain, and who rest since
  bool asks_expire_ = false;
  Clock::time_point asked_at_{};

  std::atomic<bool> has_asks_{false};
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> is_seeking_{false};           ///< asks, or pauses after a refusal
  std::atomic<bool> is_resting_{false};           ///< pauses for longer than kLookEvery
  std::atomic<ExchangeSource*> source_{nullptr};  ///< the runtime's, from begin() on

  // The poller's.
  Clock::time_point idle_since_{};
  Clock::time_point last_idle_{};
  Clock::time_point looked_after_{};
  bool is_sleepy_ = false;

  std::atomic<int> threads_{1};  ///< and uses, and the exchange itself
  runtime::Promise<void> threads_ended_;
};

}  // namespace kumiko::search::detail
