#include "core/idling.hpp"

#include <algorithm>
#include <optional>

#include <sched.h>

#include <kumiko/runtime/policy/waiting.hpp>

#include "core/pollers.hpp"
#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "machine/cpu_pause.hpp"
#include "machine/ticks.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

std::uint64_t nanoseconds_since(std::chrono::steady_clock::time_point begin) noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
}

}  // namespace

Descriptor* Idling::search() noexcept {
  Scheduler& scheduler = self_.scheduler();
  Idle& idle = scheduler.idle();
  idle.begin_search();
  for (;;) {
    if (Descriptor* const thread = search_and_count(); thread != nullptr) {
      ask_.withdraw();
      idle.end_search();
      return thread;
    }
    const auto begin = Clock::now();
    scheduler.note_lying_down(begin);
    const Idle::Lying lying = idle.lie_down(
        sleeper_, [this] { watches_ = begin_watch(); },
        [&scheduler] { return scheduler.has_ended(); },
        [&scheduler] { return scheduler.has_visible_work(); });
    if (lying == Idle::Lying::kEnded) return nullptr;
    if (lying == Idle::Lying::kUp) {
      if (watches_) scheduler.pollers()->end_watch();
      continue;
    }
    sleep_and_count(begin);
  }
}

/// Polls, and the core's time while others have it, do not count as searching.
Descriptor* Idling::search_and_count() noexcept {
  const auto spent_otherwise = [this] {
    return self_.polling().nanoseconds().read() + given_away_nanoseconds_;
  };
  const auto begin = Clock::now();
  const std::uint64_t before = spent_otherwise();
  auto now = begin;
  Descriptor* const thread = search_for_a_while(now);
  const std::chrono::nanoseconds taken = now - begin;
  searching_nanoseconds_.increment(static_cast<std::uint64_t>(taken.count()) -
                                   (spent_otherwise() - before));
  return thread;
}

/// Sets `now`, when it begins, to the latest time that it knows: whoever waits for a thread that is
/// found does not wait for the clock.
Descriptor* Idling::search_for_a_while(Clock::time_point& now) noexcept {
  Scheduler& scheduler = self_.scheduler();
  const policy::AnyWaiting& waiting = scheduler.waiting();
  const std::chrono::nanoseconds longest = waiting.search_time(scheduler.surroundings());
  const bool forever = longest == policy::kForever;
  const auto deadline = now + std::min(longest, policy::kLongestSearch);
  const int pauses = waiting.pauses();
  auto patience = now + tunables::kPatience;
  // Some source, if there is any, is to be asked as often as possible.
  const Pollers* const pollers = scheduler.pollers();
  const int rounds = pollers != nullptr && pollers->has_shared() ? 1 : tunables::kRoundsPerClock;
  self_.thief().note_place();
  do {
    for (int round = 0; round < rounds; ++round) {
      if (Descriptor* const thread = look_around(); thread != nullptr) return thread;
      for (int pause = pauses; pause > 0; --pause) cpu_pause();
    }
    // Sets `now`, as each look at the clock takes as long as a look at a queue.
    if (Descriptor* const thread = self_.polling().poll_all_and_take(now); thread != nullptr) {
      return thread;
    }
    if (waiting.gives_core_away(scheduler.surroundings())) now = give_core_away(now);
    if (now < patience) continue;
    // Whoever has been asked for so long is in a long computation.
    if (Descriptor* const thread = self_.thief().last_round(); thread != nullptr) return thread;
    patience = now + tunables::kPatience;
  } while (forever ? scheduler.never_sleeps() : now < deadline);
  // What a poll has begun anew (a wait that was woken for nothing, the next in a queue) is still to
  // be handed to the system; nobody would do it while this worker sleeps.
  while (self_.polling().has_unsubmitted()) {
    if (Descriptor* const thread = self_.polling().hand_over_and_take(); thread != nullptr) {
      return thread;
    }
  }
  return self_.thief().last_round();
}

/// Looks once at all places where there may be a thread.
Descriptor* Idling::look_around() noexcept {
  if (Diversion* const diversion = self_.diversion(); diversion != nullptr) diversion->hesitate();
  if (Descriptor* const thread = self_.scheduler().injected().pop(); thread != nullptr) {
    return thread;
  }
  if (Descriptor* const thread = self_.ready().queue.pop(); thread != nullptr) return thread;
  if (Descriptor* const thread = self_.ready().events.pop(); thread != nullptr) return thread;
  if (Descriptor* const thread = self_.thief().round(&Worker::give_to_thief); thread != nullptr) {
    return thread;
  }
  // Nothing is in any queue: now somebody is to divide what he is doing.
  if (self_.scheduler().worker_count() == 1 || !ask_.raise()) return nullptr;
  asks_.increment();
  return self_.thief().round(&Worker::give_to_asker);
}

void Idling::sleep_and_count(Clock::time_point begin) noexcept {
  parks_.increment();
  const std::uint64_t begin_ticks = read_ticks();
  awake_.store(false, std::memory_order_relaxed);
  sleep();
  awake_.store(true, std::memory_order_relaxed);
  parked_nanoseconds_.increment(nanoseconds_since(begin));
  // Only now: a worker among the sleepers must not touch what Scheduler::while_quiet() lets
  // others change.
  if (self_.observer() != nullptr) self_.observer()->slept(begin_ticks);
}

/// Sleeps until woken. The last worker to lie down sees to it that threads which wait for each
/// other do not do so in silence.
void Idling::sleep() noexcept {
  if (watches_) return watch();
  Scheduler& scheduler = self_.scheduler();
  if (const std::optional<Deadline> limit = scheduler.patience_with_blocked_threads()) {
    if (sleeper_.park_until(*limit)) return;
    scheduler.report_if_blocked();
  }
  sleeper_.park();
}

/// Tries to become the watcher, after the worker has announced to sleep.
bool Idling::begin_watch() noexcept {
  Pollers* const pollers = self_.scheduler().pollers();
  return pollers != nullptr && pollers->has_waits() && pollers->begin_watch();
}

/// Sleeps until woken, or until there is an event. The worker is a searcher then, and sees to it
/// that another takes its place if it finds something (see Pollers).
void Idling::watch() noexcept {
  Pollers& pollers = *self_.scheduler().pollers();
  const bool woken = pollers.watch(sleeper_);
  // If somebody has taken us for awake meanwhile, his signal is there or about to come.
  if (!woken && !self_.scheduler().idle().retract(sleeper_)) sleeper_.park();
  pollers.end_watch();
}

/// Gives the core to other OS threads. They may run for long, which does not count as our time.
/// Returns the time afterwards.
Idling::Clock::time_point Idling::give_core_away(Clock::time_point begin) noexcept {
  sched_yield();
  const auto end = Clock::now();
  given_away_nanoseconds_ +=
      static_cast<std::uint64_t>(std::chrono::nanoseconds(end - begin).count());
  return end;
}

}  // namespace kumiko::runtime::detail
