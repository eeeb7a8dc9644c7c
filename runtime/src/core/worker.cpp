#include "core/worker.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include <kumiko/runtime/detail/lazy.hpp>
#include <kumiko/runtime/policy/near_first.hpp>

#include "core/completion.hpp"
#include "core/pollers.hpp"
#include "core/scheduler.hpp"
#include "diagnosis/report.hpp"
#include "machine/cpu_pause.hpp"
#include "machine/ticks.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

thread_local constinit WorkerFront* kumiko_worker_front = nullptr;

Worker::Worker(Scheduler& scheduler, int index)
    : scheduler_(scheduler),
      idle_(scheduler.idle()),
      index_(index),
      random_(static_cast<std::uint64_t>(index)),
      chaos_(scheduler.chaos_seed() * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(index)),
      deque_(tunables::kDequeCapacity, scheduler.barrier()),
      stacks_(scheduler.stacks(), tunables::kBatchSize),
      join_states_(scheduler.join_states(), tunables::kBatchSize) {
  if (scheduler.chaos_seed() != 0) requests.store(request::kChaos, std::memory_order_relaxed);
}

WorkerStatistics Worker::statistics() const noexcept {
  return {spawned_.read(),
          executed_.read(),
          steals_.read(),
          failed_steals_.read(),
          parks_.read(),
          std::chrono::nanoseconds(parked_nanoseconds_.read()),
          suspensions_.read(),
          deque_.longest(),
          polls_.read(),
          empty_polls_.read(),
          std::chrono::nanoseconds(polling_nanoseconds_.read()),
          std::chrono::nanoseconds(searching_nanoseconds_.read())};
}

// --- Switching -----------------------------------------------------------------------------------

void Worker::suspend(After after) noexcept {
  Worker& worker = *current_worker();
  Descriptor& self = *worker.current();
  if (!self.guarded && self.has_overflown()) [[unlikely]]
    report_broken_canary(self);
  Descriptor* const next = worker.next_after_suspension();
  worker.become(next);
  switch_fiber(self.fiber, next != nullptr ? next->fiber : worker.loop_, after)();
}

void Worker::run_from_loop(Descriptor& thread) noexcept {
  become(&thread);
  if (thread.fiber.stack_pointer != nullptr) {
    switch_fiber(loop_, thread.fiber, {})();
  } else {
    start_fiber(loop_, thread.fiber, thread.closure, &thread_main, &thread)();
  }
}

// --- Choosing ------------------------------------------------------------------------------------

void Worker::make_runnable_slowly(Descriptor& thread) noexcept {
  // relaxed: see make_runnable().
  if ((requests.load(std::memory_order_relaxed) & request::kChaos) != 0) {
    return make_runnable_anywhere(thread);
  }
  // A push to the queue allocates nothing.
  if (!deque_.push(&thread)) queue_.push(&thread);
  answer_share_request();
  idle_.work_appeared();
}

void Worker::make_runnable_anywhere(Descriptor& thread) noexcept {
  const std::size_t place = chaos_() % (scheduler_.worker_count() + 1);
  if (place != scheduler_.worker_count() || !deque_.push(&thread)) {
    scheduler_.worker(place % scheduler_.worker_count()).queue_.push(&thread);
  }
  answer_share_request();
  idle_.work_appeared();
}

bool Worker::make_runnable_at(Worker& other, Descriptor& thread) noexcept {
  other.queue_.push(&thread);
  if (idle_.wake(other.sleeper_)) return true;
  idle_.work_appeared();
  return false;
}

void Worker::make_runnable_last(Descriptor& thread) noexcept {
  queue_.push(&thread);
  // If the loop runs next it looks at the queue itself.
  if (running != nullptr) idle_.work_appeared();
}

void Worker::make_event_ready(Descriptor& thread) noexcept {
  // relaxed: a bit that does not change.
  const bool chaos = (requests.load(std::memory_order_relaxed) & request::kChaos) != 0;
  Worker& place = chaos ? scheduler_.worker(chaos_() % scheduler_.worker_count()) : *this;
  place.event_ready_.push(&thread);
  // If the loop runs next it looks at the queue itself.
  if (running != nullptr || chaos) idle_.work_appeared();
}

void Worker::answer_share_request() noexcept {
  // relaxed: thieves come by themselves; the queues' locks order what they take.
  if ((requests.load(std::memory_order_relaxed) & request::kShare) == 0) return;
  if (deque_.share() || split_lazy_work()) {
    requests.fetch_and(~request::kShare, std::memory_order_relaxed);
  }
}

void Worker::answer_requests() noexcept {
  Worker& worker = *current_worker();
  worker.answer_share_request();
  const std::uint32_t asked = worker.requests.load(std::memory_order_relaxed);
  const bool give_way = (asked & request::kChaos) != 0 && worker.chaos_() % 4 == 0;
  if ((asked & request::kPoll) != 0) return worker.let_events_go_first();
  if ((asked & request::kLookOutside) == 0 && !give_way) return;
  // acquire: pairs with the release in Scheduler::inject().
  worker.requests.fetch_and(~request::kLookOutside, std::memory_order_acquire);
  if (worker.scheduler_.injected().empty() && !give_way) return;
  worker.outside_first_ = true;
  Descriptor& self = *worker.current();
  worker.become(nullptr);
  switch_fiber(self.fiber, worker.loop_, {&make_caller_runnable_last, &self})();
}

/// Other requests are answered at the next occasion. The loop goes on with the running thread when
/// the others have had their turn.
void Worker::let_events_go_first() noexcept {
  // relaxed: a hint.
  requests.fetch_and(~request::kPoll, std::memory_order_relaxed);
  hand_over();
  if (event_ready_.empty()) {
    if (has_unsubmitted_) leave_polling_to_others();
    return;
  }
  Descriptor& self = *current();
  become(nullptr);
  switch_fiber(self.fiber, loop_, {&make_caller_runnable, &self})();
}

void Worker::make_caller_runnable(void* thread) noexcept {
  current_worker()->make_runnable(*static_cast<Descriptor*>(thread));
}

void Worker::make_caller_runnable_last(void* thread) noexcept {
  current_worker()->make_runnable_last(*static_cast<Descriptor*>(thread));
}

/// Makes a thread of a part of the running thread's outermost parallel construct that can be split.
bool Worker::split_lazy_work() noexcept {
  LazyFrame* outermost = nullptr;
  if (running == nullptr) return false;
  for (LazyFrame* frame = running->lazy_tip; frame != nullptr; frame = frame->outer) {
    if (frame->split(*frame, false)) outermost = frame;
  }
  return outermost != nullptr && outermost->split(*outermost, true);
}

Descriptor* Worker::next_after_suspension() noexcept {
  answer_share_request();
  suspensions_.increment();
  if (suspensions_.read() % tunables::kSuspensionsPerFairTurn == 0) return nullptr;
  if (has_unsubmitted_ || !event_ready_.empty()) return nullptr;
  return deque_.pop();
}

Descriptor* Worker::give_to_thief() noexcept {
  if (Descriptor* const thread = deque_.steal(); thread != nullptr) return thread;
  if (Descriptor* const thread = event_ready_.pop(); thread != nullptr) return thread;
  if (Descriptor* const thread = queue_.pop(); thread != nullptr) return thread;
  // relaxed: a request is a hint. Read first, so that idle workers leave the line alone.
  if ((requests.load(std::memory_order_relaxed) & request::kShare) == 0) {
    requests.fetch_or(request::kShare, std::memory_order_relaxed);
  }
  return nullptr;
}

void Worker::run_loop() noexcept {
  const SignalStack for_overflows;
  kumiko_worker_front = this;
  errno_ = &errno;
  os_thread_pointer_ = thread_pointer();
  exception_state_ = os_thread_exception_state();
  loop_.notes = sanitizer::os_thread_notes();
  while (Descriptor* const thread = next_for_loop()) {
    if (has_unsubmitted_) leave_polling_to_others();
    run_from_loop(*thread);
  }
  kumiko_worker_front = nullptr;
}

Descriptor* Worker::next_for_loop() noexcept {
  if (Descriptor* const thread = take_local(); thread != nullptr) {
    // A thief that looked at one queue before and at the other after what we have just done may
    // have seen none of what is left.
    if (has_visible_work()) idle_.work_appeared();
    return thread;
  }
  return search();
}

/// A thread that polls and yields comes back here at once, so every source must be first in turn.
Descriptor* Worker::take_local() noexcept {
  ++turns_;
  // relaxed: a hint. A thread that yields without end must not keep its worker from polling.
  if ((requests.load(std::memory_order_relaxed) & request::kPoll) != 0) [[unlikely]] {
    requests.fetch_and(~request::kPoll, std::memory_order_relaxed);
    hand_over();
  }
  if (Descriptor* const thread = take_event_ready(); thread != nullptr) return thread;
  if (turns_ % tunables::kTurnsPerSteal == 0) {
    const bool by_force = turns_ % tunables::kTurnsPerForce == 0;
    const auto give = by_force ? &Worker::give_by_force : &Worker::give_to_thief;
    if (Descriptor* const thread = steal_round(give); thread != nullptr) return thread;
  }
  ThreadQueue& injected = scheduler_.injected();
  const bool outside_first = std::exchange(outside_first_, false) || turns_ % 2 == 0;
  if (Descriptor* const thread = (outside_first ? injected : queue_).pop()) return thread;
  if (Descriptor* const thread = (outside_first ? queue_ : injected).pop()) return thread;
  if (Descriptor* const thread = deque_.pop(); thread != nullptr) return thread;
  return poll_own_instances();
}

// --- Polling -------------------------------------------------------------------------------------

/// Threads whose event has come are first, so many in a row. When none is left, or a worker is idle
/// who could run what comes of it, what they have asked for is handed to the system at once.
Descriptor* Worker::take_event_ready() noexcept {
  if (has_unsubmitted_ && idle_.has_idle_workers()) hand_over();
  if (event_streak_ < tunables::kEventStreak) {
    ++event_streak_;
    if (Descriptor* const thread = event_ready_.pop(); thread != nullptr) return thread;
    // What this brings is of the same streak.
    if (Descriptor* const thread = has_unsubmitted_ ? poll_own_instances() : nullptr) return thread;
  }
  event_streak_ = 0;
  if (has_unsubmitted_) hand_over();
  return nullptr;
}

Descriptor* Worker::poll_own_instances() noexcept {
  hand_over();
  return event_ready_.pop();
}

/// Hands over what the threads have asked for. What is done by then becomes ready, too.
void Worker::hand_over() noexcept {
  Pollers* const pollers = scheduler_.pollers();
  if (pollers == nullptr) return;
  const auto instance = static_cast<std::size_t>(index_);
  count_poll([&] { return pollers->poll(instance); });
  has_unsubmitted_ = pollers->has_unsubmitted(instance);
}

/// A thread runs next that may take long, and something is left to hand over: what a poll has begun
/// anew, or what has been gathered. That is the timer's concern (Watch::needs_timer()), who may
/// rest.
void Worker::leave_polling_to_others() noexcept { scheduler_.pollers()->leave_to_timer(); }

/// Polls all instances, for a worker that has nothing else to do.
Descriptor* Worker::poll_all_instances() noexcept {
  Pollers* const pollers = scheduler_.pollers();
  if (pollers == nullptr) return nullptr;
  if (has_unsubmitted_) {
    if (Descriptor* const thread = poll_own_instances(); thread != nullptr) return thread;
  }
  count_poll([pollers] { return pollers->poll_all(); });
  return event_ready_.pop();
}

template <class Poll>
void Worker::count_poll(Poll poll) noexcept {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const bool empty = poll() == 0;
  polls_.increment();
  if (!empty) return;
  empty_polls_.increment();
  const std::chrono::nanoseconds taken = Clock::now() - begin;
  polling_nanoseconds_.increment(static_cast<std::uint64_t>(taken.count()));
}

/// The idle worker's life; see Idle for the names and the proof. Returns nullptr when the scheduler
/// has ended.
Descriptor* Worker::search() noexcept {
  idle_.begin_search();
  for (;;) {
    const auto search_begin = std::chrono::steady_clock::now();
    const std::uint64_t spent_otherwise = polling_nanoseconds_.read() + given_away_nanoseconds_;
    Descriptor* const thread = search_for_a_while();
    const auto begin = std::chrono::steady_clock::now();
    const std::chrono::nanoseconds searched = begin - search_begin;
    searching_nanoseconds_.increment(
        static_cast<std::uint64_t>(searched.count()) -
        (polling_nanoseconds_.read() + given_away_nanoseconds_ - spent_otherwise));
    if (thread != nullptr) {
      idle_.end_search();
      return thread;
    }
    scheduler_.note_lying_down(begin);
    const Idle::Lying lying = idle_.lie_down(
        sleeper_, [this] { watches_ = begin_watch(); }, [this] { return scheduler_.has_ended(); },
        [this] { return scheduler_.has_visible_work(); });
    if (lying == Idle::Lying::kEnded) return nullptr;
    if (lying == Idle::Lying::kUp) {
      if (watches_) scheduler_.pollers()->end_watch();
      continue;
    }
    parks_.increment();
    const std::uint64_t begin_ticks = read_ticks();
    sleep();
    const std::chrono::nanoseconds slept = std::chrono::steady_clock::now() - begin;
    parked_nanoseconds_.increment(static_cast<std::uint64_t>(slept.count()));
    // Only now: a worker among the sleepers must not touch what Scheduler::while_quiet() lets
    // others change.
    if (observer_ != nullptr) observer_->slept(begin_ticks);
  }
}

/// Sleeps until woken. The last worker to lie down sees to it that threads which wait for each
/// other do not do so in silence.
void Worker::sleep() noexcept {
  if (watches_) return watch();
  if (const std::optional<Deadline> limit = scheduler_.patience_with_blocked_threads()) {
    if (sleeper_.park_until(*limit)) return;
    scheduler_.report_if_blocked();
  }
  sleeper_.park();
}

/// Tries to become the watcher, after the worker has announced to sleep.
bool Worker::begin_watch() noexcept {
  Pollers* const pollers = scheduler_.pollers();
  return pollers != nullptr && pollers->has_waits() && pollers->begin_watch();
}

/// Sleeps until woken, or until there is an event. The worker is a searcher then, and sees to it
/// that another takes its place if it finds something (see Pollers).
void Worker::watch() noexcept {
  Pollers& pollers = *scheduler_.pollers();
  const bool woken = pollers.watch(sleeper_);
  // If somebody has taken us for awake meanwhile, his signal is there or about to come.
  if (!woken && !idle_.retract(sleeper_)) sleeper_.park();
  pollers.end_watch();
}

/// Gives the core to other OS threads. They may run for long, which does not count as our time.
void Worker::give_core_away() noexcept {
  const auto begin = std::chrono::steady_clock::now();
  scheduler_.yield_core();
  const std::chrono::nanoseconds away = std::chrono::steady_clock::now() - begin;
  given_away_nanoseconds_ += static_cast<std::uint64_t>(away.count());
}

Descriptor* Worker::search_for_a_while() noexcept {
  return std::visit([this](const auto& waiting) { return search_by(waiting); },
                    scheduler_.waiting());
}

template <policy::Waiting Waiting>
Descriptor* Worker::search_by(const Waiting& waiting) noexcept {
  using Clock = std::chrono::steady_clock;
  auto now = Clock::now();
  const std::chrono::nanoseconds longest = waiting.search_time(scheduler_.surroundings());
  const bool forever = longest == policy::kForever;
  const auto deadline = forever ? now : now + longest;
  auto patience = now + tunables::kPatience;
  // relaxed: a hint, here and in steal_round().
  place_.store(scheduler_.topology().here(), std::memory_order_relaxed);
  do {
    for (int round = 0; round < tunables::kRoundsPerClock; ++round) {
      hesitate_in_chaos();
      if (Descriptor* const thread = scheduler_.injected().pop(); thread != nullptr) return thread;
      if (Descriptor* const thread = queue_.pop(); thread != nullptr) return thread;
      if (Descriptor* const thread = event_ready_.pop(); thread != nullptr) return thread;
      if (Descriptor* const thread = steal_round(&Worker::give_to_thief); thread != nullptr) {
        return thread;
      }
      for (int pause = waiting.pauses(); pause > 0; --pause) cpu_pause();
    }
    if (Descriptor* const thread = poll_all_instances(); thread != nullptr) return thread;
    if (waiting.gives_core_away(scheduler_.surroundings())) give_core_away();
    now = Clock::now();
    if (now < patience) continue;
    // Whoever has been asked for so long is in a long computation.
    if (Descriptor* const thread = steal_round(&Worker::give_by_force); thread != nullptr) {
      return thread;
    }
    patience = now + tunables::kPatience;
  } while (forever ? scheduler_.never_sleeps() : now < deadline);
  // What a poll has begun anew (a wait that was woken for nothing, the next in a queue) is still to
  // be handed to the system; nobody would do it while this worker sleeps.
  while (has_unsubmitted_) {
    if (Descriptor* const thread = poll_own_instances(); thread != nullptr) return thread;
  }
  return steal_round(&Worker::give_by_force);
}

/// Asks the other workers, in the order that policy::NearFirst has: near are those that were last
/// seen below the same last-level cache, where the machine has several.
Descriptor* Worker::steal_round(Descriptor* (Worker::*give)() noexcept) noexcept {
  Descriptor* stolen = nullptr;
  const auto ask = [&](std::size_t victim) {
    stolen = steal_from(scheduler_.worker(victim), give);
    return stolen != nullptr;
  };
  const policy::NearFirst victims(static_cast<std::size_t>(index_), scheduler_.worker_count());
  if (!scheduler_.has_distances()) {
    victims.round(policy::NoDistances{}, random_, ask);
    return stolen;
  }
  const auto here = place_.load(std::memory_order_relaxed);
  const auto is_near = [&](std::size_t victim) {
    const auto there = scheduler_.worker(victim).place_.load(std::memory_order_relaxed);
    return Topology::distance(here, there) == Topology::Distance::kSameCache;
  };
  victims.round(is_near, random_, ask);
  return stolen;
}

Descriptor* Worker::steal_from(Worker& victim, Descriptor* (Worker::*give)() noexcept) noexcept {
  Descriptor* const thread = (victim.*give)();
  if (thread == nullptr) {
    failed_steals_.increment();
    return nullptr;
  }
  steals_.increment();
  if (observer_ != nullptr) observer_->stole(victim.index());
  return thread;
}

void Worker::hesitate_in_chaos() noexcept {
  if ((requests.load(std::memory_order_relaxed) & request::kChaos) == 0) return;
  for (std::uint32_t pause = random_() % tunables::kMostChaosPauses; pause > 0; --pause)
    cpu_pause();
}

}  // namespace kumiko::runtime::detail
