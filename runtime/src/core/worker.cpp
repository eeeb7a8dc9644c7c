#include "core/worker.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

#include <kumiko/runtime/detail/lazy.hpp>

#include "core/completion.hpp"
#include "core/scheduler.hpp"
#include "diagnosis/fault.hpp"
#include "diagnosis/report.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::detail {

namespace {

/// A thread's outermost parallel construct of which a part can be given away; nullptr: none.
LazyFrame* outermost_with_a_part(const ThreadFront& thread) noexcept {
  LazyFrame* outermost = nullptr;
  for (LazyFrame* frame = thread.lazy_tip; frame != nullptr; frame = frame->outer) {
    if (frame->split(*frame, false)) outermost = frame;
  }
  return outermost;
}

/// Claims what some worker of this scheduler asks for; nullptr: nobody asks any more.
Ask* claim_any(Scheduler& scheduler) noexcept {
  for (std::size_t i = 0; i < scheduler.worker_count(); ++i) {
    if (Ask& ask = scheduler.worker(i).idling().ask(); ask.claim()) return &ask;
  }
  return nullptr;
}

bool has_askers(Scheduler& scheduler) noexcept {
  for (std::size_t i = 0; i < scheduler.worker_count(); ++i) {
    if (scheduler.worker(i).idling().ask().is_open()) return true;
  }
  return false;
}

}  // namespace

Worker::Worker(Scheduler& scheduler, int index, std::unique_ptr<Diversion> diversion)
    : scheduler_(scheduler),
      idle_(scheduler.idle()),
      index_(index),
      ready_(scheduler.barrier(), static_cast<std::size_t>(index),
             scheduler.published_group(kUnknownCache)),
      stacks_(scheduler.stacks(), tunables::kBatchSize),
      join_states_(scheduler.join_states(), tunables::kBatchSize),
      chooser_(scheduler.options().next.make()),
      diversion_(std::move(diversion)),
      thief_(*this),
      polling_(*this),
      idling_(*this) {
  if (diversion_ != nullptr) requests.store(request::kDivert, std::memory_order_relaxed);
}

WorkerStatistics Worker::statistics() const noexcept {
  return {spawned_.read(),
          executed_.read(),
          thief_.steals().read(),
          thief_.failed().read(),
          idling_.parks().read(),
          std::chrono::nanoseconds(idling_.parked_nanoseconds().read()),
          suspensions_.read(),
          ready_.deque.longest(),
          polling_.polls().read(),
          polling_.empty_polls().read(),
          std::chrono::nanoseconds(polling_.nanoseconds().read()),
          std::chrono::nanoseconds(idling_.searching_nanoseconds().read()),
          streak_.preferred().read(),
          streak_.limited().read(),
          idling_.asks().read(),
          divisions_.read()};
}

// --- Going from one thread to the next -----------------------------------------------------------

void Worker::suspend(After after) noexcept {
  Worker& worker = *current_worker();
  Descriptor& self = *worker.current();
  if (!self.guarded && self.has_overflown()) [[unlikely]]
    report_broken_canary(self);
  Descriptor* const next = worker.next_after_suspension();
  worker.become(next);
  switch_fiber(self.fiber, next != nullptr ? next->fiber : worker.loop(), after)();
}

Descriptor* Worker::next_after_suspension() noexcept {
  answer_share_request();
  suspensions_.increment();
  if (suspensions_.read() % tunables::kSuspensionsPerFairTurn == 0) return nullptr;
  if (polling_.has_unsubmitted() || !ready_.events.empty()) return nullptr;
  return ready_.deque.pop();
}

/// Leaves current() for the loop.
void Worker::give_way(After after) noexcept {
  Descriptor& self = *current();
  become(nullptr);
  switch_fiber(self.fiber, loop(), after)();
}

void Worker::run_loop() noexcept {
  const SignalStack for_overflows;
  take_os_thread();
  thief_.note_place();
  while (Descriptor* const thread = next_for_loop()) {
    if (polling_.has_unsubmitted()) polling_.leave_to_others();
    run_from_loop(*thread);
  }
  leave_os_thread();
}

void Worker::run_from_loop(Descriptor& thread) noexcept {
  become(&thread);
  if (thread.fiber.stack_pointer != nullptr) {
    switch_fiber(loop(), thread.fiber, {})();
  } else {
    start_fiber(loop(), thread.fiber, thread.closure, &thread_main, &thread)();
  }
}

Descriptor* Worker::next_for_loop() noexcept {
  if (Descriptor* const thread = choose(); thread != nullptr) {
    // A thief that looked at one queue before and at the other after what we have just done may
    // have seen none of what is left.
    if (!ready_.empty()) idle_.work_appeared();
    return thread;
  }
  return idling_.search();
}

// Inlined where the source is known, since a yield passes here.
[[gnu::always_inline]] inline Descriptor* Worker::take_from(policy::Source source) noexcept {
  switch (source) {
    case policy::Source::kDeque:
      return ready_.deque.pop();
    case policy::Source::kEvents:
      if (Descriptor* const thread = ready_.events.pop(); thread != nullptr) return thread;
      // What this brings comes as early as what was there before.
      return polling_.has_unsubmitted() ? polling_.hand_over_and_take() : nullptr;
    case policy::Source::kQueue:
      return ready_.queue.pop_after(group_before_loop(), streak_);
    case policy::Source::kOutside:
      return scheduler_.injected().pop();
    case policy::Source::kOthers:
      return thief_.round(&Worker::give_to_thief);
    case policy::Source::kOthersByForce:
      return thief_.round(&Worker::give_by_force);
  }
  return nullptr;
}

/// Takes a thread by the choice policy. What threads have asked for is handed over when a worker is
/// idle who could run what comes of it, and before a thread runs that does not come from an event.
Descriptor* Worker::choose() noexcept {
  // relaxed: a hint. A thread that yields without end must not keep its worker from polling.
  if ((requests.load(std::memory_order_relaxed) & request::kPoll) != 0) [[unlikely]] {
    requests.fetch_and(~request::kPoll, std::memory_order_relaxed);
    polling_.hand_over();
  }
  if (polling_.has_unsubmitted() && idle_.has_idle_workers()) polling_.hand_over();
  const bool outside_first = std::exchange(outside_first_, false);
  Choice choice;
  if (chooser_ == nullptr) [[likely]] {
    const auto take = [&](policy::Source source) __attribute__((always_inline)) {
      choice = {take_from(source), source};
      return choice.thread != nullptr;
    };
    events_first_.next(outside_first, take);
  } else {
    choice = choose_by_policy(outside_first);
  }
  if (choice.thread == nullptr) return polling_.hand_over_and_take();
  if (choice.source != policy::Source::kEvents && polling_.has_unsubmitted()) polling_.hand_over();
  return choice.thread;
}

Choice Worker::choose_by_policy(bool outside_first) {
  Choice choice;
  const auto take = [&](policy::Source source) {
    if (choice.thread == nullptr) choice = {take_from(source), source};
    return choice.thread != nullptr;
  };
  chooser_(outside_first, take);
  // Whatever the policy has looked at: this worker does not search beside threads of its own.
  static_cast<void>(take(policy::Source::kQueue) || take(policy::Source::kDeque));
  return choice;
}

// --- What becomes ready --------------------------------------------------------------------------

void Worker::make_runnable_slowly(Descriptor& thread) noexcept {
  // A push to the queue allocates nothing.
  const std::size_t places = scheduler_.worker_count() + 1;
  const std::size_t place = diversion_ == nullptr ? places - 1 : diversion_->place_among(places);
  if (place != places - 1) {
    scheduler_.worker(place).ready_.queue.push(&thread);
  } else if (!ready_.deque.push(&thread)) {
    ready_.queue.push(&thread);
  }
  answer_share_request();
  idle_.work_appeared();
}

bool Worker::make_runnable_at(Worker& other, Descriptor& thread) noexcept {
  other.ready_.queue.push(&thread);
  if (idle_.wake(other.idling_.sleeper())) return true;
  idle_.work_appeared();
  return false;
}

void Worker::make_runnable_last(Descriptor& thread) noexcept {
  ready_.queue.push(&thread);
  // If the loop runs next it looks at the queue itself.
  if (running != nullptr) idle_.work_appeared();
}

void Worker::make_event_ready(Descriptor& thread) noexcept {
  Worker& place = diversion_ == nullptr
                      ? *this
                      : scheduler_.worker(diversion_->place_among(scheduler_.worker_count()));
  place.ready_.events.push(&thread);
  // If the loop runs next it looks at the queue itself.
  if (running != nullptr || &place != this) idle_.work_appeared();
}

void Worker::make_caller_runnable_last(void* thread) noexcept {
  current_worker()->make_runnable_last(*static_cast<Descriptor*>(thread));
}

// --- What others ask for -------------------------------------------------------------------------

Descriptor* Worker::give_to_thief() noexcept {
  if (Descriptor* const thread = ready_.give_to_thief(); thread != nullptr) return thread;
  // relaxed: a request is a hint. Read first, so that idle workers leave the line alone.
  if ((requests.load(std::memory_order_relaxed) & request::kShare) == 0) {
    requests.fetch_or(request::kShare, std::memory_order_relaxed);
  }
  return nullptr;
}

Descriptor* Worker::give_to_asker() noexcept {
  // release: pairs with the acquire in divide_for_asker() (see Ask). Also where the bit is set: the
  // raise must come with it.
  requests.fetch_or(request::kShare, std::memory_order_release);
  return ready_.give_to_thief();
}

/// Makes work public if somebody asks for it. May run functions of the program's, to divide what
/// runs, and even suspend it there, so the caller must find its worker anew.
void Worker::answer_share_request() noexcept {
  // Where each part divides what it has, their number must end somewhere.
  if (diversion_ != nullptr && running != nullptr && diversion_->divides() &&
      ready_.queue.size() < tunables::kMostPartsUnasked) {
    LazyFrame* const frame = outermost_with_a_part(*running);
    if (frame != nullptr) frame->split(*frame, true);
    return;
  }
  // relaxed: thieves come by themselves; the queues' locks order what they take.
  if ((requests.load(std::memory_order_relaxed) & request::kShare) == 0) return;
  if (ready_.deque.share()) {
    requests.fetch_and(~request::kShare, std::memory_order_relaxed);
  } else if (running != nullptr && ready_.queue.empty()) {
    // What is in the queue is for whoever asks. So a worker has one part there at most.
    divide_for_asker();
  }
}

/// Makes a part of what runs, for one of those who ask. The bit stays set where there is nothing to
/// divide, or somebody else asks too.
void Worker::divide_for_asker() noexcept {
  LazyFrame* const frame = outermost_with_a_part(*running);
  if (frame == nullptr) return;
  // acquire: pairs with the release in give_to_asker(). Before the look at who asks.
  requests.fetch_and(~request::kShare, std::memory_order_acquire);
  Scheduler& scheduler = scheduler_;
  Ask* const ask = claim_any(scheduler);
  if (ask == nullptr) return;
  const bool gave = frame->split(*frame, true);
  ask->answer();
  Worker& here = *current_worker();
  if (gave) here.divisions_.increment();
  // relaxed: those who ask have set the bit after they asked, and it was taken off with acquire.
  if (has_askers(scheduler)) here.requests.fetch_or(request::kShare, std::memory_order_relaxed);
}

void Worker::answer_requests() noexcept {
  current_worker()->answer_share_request();
  Worker& worker = *current_worker();
  const std::uint32_t asked = worker.requests.load(std::memory_order_relaxed);
  const bool diverted = (asked & request::kDivert) != 0 && worker.diversion_->gives_way();
  if ((asked & request::kPoll) != 0) return worker.let_events_go_first();
  if ((asked & request::kLookOutside) == 0 && !diverted) return;
  // acquire: pairs with the release in Scheduler::inject().
  worker.requests.fetch_and(~request::kLookOutside, std::memory_order_acquire);
  if (worker.scheduler_.injected().empty() && !diverted) return;
  worker.outside_first_ = true;
  worker.give_way({&make_caller_runnable_last, worker.current()});
}

/// Other requests are answered at the next occasion. The loop goes on with the running thread when
/// the others have had their turn.
void Worker::let_events_go_first() noexcept {
  // Where a poller wants the OS thread's own stack, the loop polls, by the request that stands.
  if (!scheduler_.pollers()->has_shared()) {
    // relaxed: a hint.
    requests.fetch_and(~request::kPoll, std::memory_order_relaxed);
    polling_.hand_over();
    if (ready_.events.empty()) {
      if (polling_.has_unsubmitted()) polling_.leave_to_others();
      return;
    }
  }
  const auto make_caller_runnable = [](void* thread) noexcept {
    current_worker()->make_runnable(*static_cast<Descriptor*>(thread));
  };
  give_way({make_caller_runnable, current()});
}

}  // namespace kumiko::runtime::detail
