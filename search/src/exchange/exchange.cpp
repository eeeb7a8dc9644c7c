#include "exchange/exchange.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "core/or_end.hpp"
#include "exchange/exchange_source.hpp"
#include "exchange/part_types.hpp"

namespace kumiko::search::detail {

namespace {

using namespace std::chrono_literals;
using runtime::SearchCore;

/// The largest number of resting processes that are notified when there is work.
constexpr std::size_t kMostResting = 1024;
/// After this time, asks without an answer are refused or passed on.
constexpr auto kAsksExpire = 10ms;
/// After this time, an ask without an answer is taken for lost. Longer than any part travels.
constexpr auto kAnswerWithin = 10s;

/// The sum of the times for which the workers have been idle.
std::chrono::nanoseconds idle_time(const runtime::Runtime& runtime) {
  const runtime::WorkerStatistics all = runtime.statistics().total();
  return all.parked + all.polling + all.searching;
}

}  // namespace

Exchange::Exchange(runtime::Runtime& runtime, std::unique_ptr<Peers> peers)
    : runtime_(runtime),
      peers_(std::move(peers)),
      idle_before_(idle_time(runtime)),
      not_ended_(peers_->neighbours()) {}

void Exchange::begin() {
  if (has_begun_.exchange(true, std::memory_order_relaxed)) return;
  const std::shared_ptr<ExchangeSource> source = ExchangeSource::of(runtime_);
  source_.store(source.get(), std::memory_order_release);  // pairs with the acquire in pause()
  source->add(shared_from_this());
  // A worker that fell asleep while the source was closed does not watch it. The worker that wakes
  // for this thread does so when it falls asleep again.
  runtime_.submit([] {});
}

void Exchange::wait_for_ends() {
  runtime::Future<void> all_ended;
  {
    const std::lock_guard lock(lock_);
    all_ended = all_ended_.emplace().get_future();
  }
  change([&](Effects& effects) { tell_neighbours(Says::kEnd, {}, effects); });
  all_ended.get();
}

void Exchange::end() {
  change([&](Effects& effects) {
    is_ending_.store(true, std::memory_order_relaxed);
    effects.wakes = true;
    // Their givers do these parts again when this process has left.
    state_.drop_results();
  });
  runs_.stop_all();
  uses_.end_and_wait();
  if (has_begun_.load(std::memory_order_relaxed)) ExchangeSource::of(runtime_)->remove(*this);
}

void Exchange::receive(const Way& from, const ExchangeMessage& message) {
  const Use use(uses_);
  if (!use) return;
  bool asks_begin = false;
  change([&](Effects& effects) {
    if (is_ending_.load(std::memory_order_relaxed)) return;
    if (message.kind == Says::kEnd && from.size() == 1) {
      std::erase(not_ended_, from.front());
    }
    if (state_.is_answered_by(message)) {
      targets_.answered(from, asked_at_.time_since_epoch(), Clock::now().time_since_epoch(),
                        std::chrono::nanoseconds(message.sent_at));
    }
    const bool is_ask = message.kind == Says::kAsk;
    if (is_ask && message.rests && !is_busy() && resting_.size() < kMostResting) {
      resting_.insert(from);
    }
    state_.receive(from, message, is_busy(), is_ask ? targets_.onward(from, state_) : std::nullopt,
                   effects);
    asks_begin = effects.asked && !std::exchange(asks_expire_, asks_expire_ || effects.asked);
  });
  if (asks_begin) start_thread([this] { let_asks_expire(); });
}

void Exchange::lost(const Way& way) {
  const Use use(uses_);
  if (!use) return;
  change([&](Effects& effects) {
    if (way.size() == 1) std::erase(not_ended_, way.front());
    state_.lost(way, effects);
    std::erase_if(resting_, [&](const Way& each) { return leads_through(each, way); });
    if (peers_->has_others_behind()) tell_neighbours(Says::kGone, way, effects);
  });
}

void Exchange::tell_neighbours(Says kind, const Way& way, Effects& effects) const {
  for (const std::uint16_t peer : peers_->neighbours()) {
    if (!way.empty() && peer == way.front()) continue;
    ExchangeEffects::Send& send = effects.sends.emplace_back();
    send.to = {peer};
    send.message.kind = kind;
    send.message.way = way;
  }
}

void Exchange::joined() {
  const Use use(uses_);
  if (use) change([](Effects& effects) { effects.wakes = true; });
}

/// Notifies the processes that rest that there is work here.
void Exchange::wake_resting() {
  change([this](Effects& effects) {
    for (const Way& way : resting_) {
      effects.sends.push_back({way, {.kind = Says::kBegun}});
    }
    resting_.clear();
  });
}

void Exchange::give(const std::shared_ptr<Delivery>& part, Task task) {
  try {
    change([&](Effects& effects) {
      part->slot = (part->store != nullptr ? state_.offer(std::move(task), part, effects)
                                           : state_.give(std::move(task), part, effects))
                       .slot;
    });
  } catch (...) {
    withdraw(part);  // the caller keeps the part
    throw;
  }
}

void Exchange::withdraw(const std::shared_ptr<Delivery>& part) {
  change([&](Effects& effects) { state_.withdraw(part->slot, part.get(), effects); });
}

bool Exchange::is_searching() const {
  const std::lock_guard lock(lock_);
  return state_.has_given([](const std::shared_ptr<Delivery>& part) { return part->run == 0; });
}

ExchangeStatistics Exchange::statistics() const {
  const std::lock_guard lock(lock_);
  const ExchangeState::Counts& counts = state_.counts();
  return {.asks = counts.asks,
          .refusals = counts.refusals,
          .given = counts.given,
          .taken = counts.taken,
          .again = counts.again,
          .late = counts.late,
          .bytes = counts.bytes,
          .seconds = std::chrono::duration<double>(Clock::now() - began_).count()};
}

ProcessLog Exchange::log() const {
  const std::chrono::nanoseconds idle = idle_time(runtime_) - idle_before_;
  const auto now = Clock::now();
  ProcessLog log;
  {
    const std::lock_guard lock(lock_);
    log = log_.log(now.time_since_epoch(), targets_.round_trips());
  }
  log.host = runtime::io::host_name();
  log.id = getpid();
  log.workers = runtime_.workers();
  log.worked = std::max((log.workers * (now - began_) - idle).count(), std::int64_t{0});
  log.counts = statistics();
  return log;
}

void Exchange::change(runtime::FunctionRef<void(Effects&)> change) {
  Effects effects;
  bool was_answered = false;
  std::optional<runtime::Promise<void>> rest;
  {
    const std::lock_guard lock(lock_);
    const bool was_asking = state_.is_asking();
    const auto now = Clock::now().time_since_epoch();
    state_.set_time(std::chrono::duration_cast<ExchangeState::Moment>(now));
    change(effects);
    settle(effects);
    for (const ExchangeEffects::Note& note : effects.notes) log_.note(note, now);
    was_answered = was_asking && !state_.is_asking();
    if (effects.wakes) {
      pace_.begin_again();
      pace_.set_alone(false);
      rest.swap(rest_);
    }
  }
  if (rest) rest->set_value();
  perform(std::move(effects), was_answered);
}

/// Does what must be done before the next change of the state. Under the lock.
void Exchange::settle(Effects& effects) {
  // After end(), no result is awaited any more, and nothing begins.
  if (is_ending_.load(std::memory_order_relaxed)) {
    state_.decline_all(effects);
    state_.withdraw_all(effects);
  }
  // A search that is stopped stops the parts that it has given away, and the search of its giver.
  while (!effects.stop_searches.empty()) {
    const std::shared_ptr<Delivery> part = std::move(effects.stop_searches.back());
    effects.stop_searches.pop_back();
    if (std::find(searches_.begin(), searches_.end(), part->search) == searches_.end()) continue;
    part->search->stop_here();
    state_.stop(
        [&](const std::shared_ptr<Delivery>& other) { return other->search == part->search; },
        effects);
    if (part->run != 0) state_.stop_all(part->run, effects);
  }
  for (const ExchangeEffects::Finish& finish : effects.finishes) keep(finish);
  for (const ExchangeEffects::Start& start : effects.starts) runs_.add(start.run);
  if (!effects.starts.empty()) pace_.begin_again();
  has_asks_.store(state_.has_open_asks(), std::memory_order_relaxed);
  if (effects.asked) {
    for (SearchCore* const search : searches_) search->announce_asks();
  }
}

/// Keeps a result in its store if it is whole. A part that has ended early has a giver that was
/// stopped before. The giver and the store still exist, since the giver waits for the result, or
/// for the lock to withdraw the part.
void Exchange::keep(const ExchangeEffects::Finish& finish) {
  const Delivery& part = *finish.delivery;
  if (part.store == nullptr || finish.outcome != Outcome::kDone || part.giver->is_stopped()) return;
  part.store->keep(part.key, finish.bytes);
}

void Exchange::perform(Effects effects, bool was_answered) {
  for (ExchangeEffects::Finish& finish : effects.finishes) {
    finish.delivery->promise.set_value({finish.outcome, std::move(finish.bytes)});
  }
  for (ExchangeEffects::Send& send : effects.sends) {
    start_thread([this, send = std::move(send)]() mutable {
      send.message.sent_at = Clock::now().time_since_epoch().count();
      peers_->send(send.to, send.message, send.on_behalf_of);
    });
  }
  for (const std::uint64_t run : effects.stops) runs_.stop(run);
  for (ExchangeEffects::Start& start : effects.starts) {
    start_thread([this, start = std::move(start)] { do_part(start.run, start.task); });
  }
  std::optional<runtime::Promise<void>> all_ended;
  {
    const std::lock_guard lock(lock_);
    if (not_ended_.empty()) all_ended = std::exchange(all_ended_, std::nullopt);
  }
  if (all_ended) all_ended->set_value();
  if (effects.refused) {
    start_thread([this] { pause(); });
  } else if (was_answered) {
    is_seeking_.store(false, std::memory_order_release);
  }
}

template <class Function>
void Exchange::start_thread(Function function) {
  uses_.begin();
  try {
    runtime_.submit([self = shared_from_this(), function = std::move(function)]() mutable {
      function();
      self->uses_.end();
    });
  } catch (...) {
    uses_.end();
    throw;
  }
}

// --- Asking --------------------------------------------------------------------------------------

int Exchange::poll(bool idle, Clock::time_point now) noexcept {
  const Use use(uses_);
  if (!use || is_ending_.load(std::memory_order_relaxed)) return 0;
  or_end([&] { look_after(now); });
  if (!idle || is_seeking_.load(std::memory_order_relaxed)) return 0;
  if (!idle_watch_.is_idle_long(now)) return 0;
  is_seeking_.store(true, std::memory_order_relaxed);
  or_end([this] { start_thread([this] { seek(); }); });
  return 1;
}

bool Exchange::has_news(Clock::time_point now) noexcept {
  if (is_ending_.load(std::memory_order_relaxed)) return false;
  idle_watch_.set_sleepy(!is_seeking_.load(std::memory_order_relaxed));
  return idle_watch_.is_sleepy() || (needs_looks() && now - looked_after_ >= kLookEvery);
}

/// Not while this rests: then no ask is unanswered, and the end of the rest wakes a worker.
bool Exchange::needs_looks() const noexcept {
  return peers_->finds_losses() || !is_resting_.load(std::memory_order_relaxed);
}

void Exchange::seek() {
  bool found_own = false;
  bool asks = false;
  change([&](Effects& effects) {
    if (is_ending_.load(std::memory_order_relaxed)) return;
    found_own = state_.take_back(effects);
    if (found_own) return;
    // A process without work lets no other one wait for it.
    if (!is_busy()) state_.decline_all(effects);
    const std::optional<AskTargets::Target> target = targets_.next(state_, pace_.refusals());
    pace_.set_alone(!target);
    if (!target) return;
    asks = true;
    asked_at_ = Clock::now();
    state_.ask(target->way, target->waits_for, effects);
    effects.sends.back().message.rests = pace_.is_about_to_rest(asked_at_);
  });
  if (found_own) {
    is_seeking_.store(false, std::memory_order_release);
  } else if (!asks) {
    pause();
  }
}

/// Waits until there may be a part, or until it is time for the next ask.
void Exchange::pause() {
  runtime::Future<void> woken;
  std::chrono::nanoseconds longest{};
  {
    const std::lock_guard lock(lock_);
    woken = rest_.emplace().get_future();
    if (!is_ending_.load(std::memory_order_relaxed)) longest = pace_.next_pause(Clock::now());
  }
  const bool rests = longest > kLookEvery;
  is_resting_.store(rests, std::memory_order_relaxed);
  woken.wait_for(longest);
  {
    const std::lock_guard lock(lock_);
    rest_.reset();
  }
  is_resting_.store(false, std::memory_order_relaxed);
  is_seeking_.store(false, std::memory_order_release);
  // The worker of this thread may compute next while the others sleep without a time limit.
  if (ExchangeSource* const source = source_.load(std::memory_order_acquire); rests && source) {
    source->wake();
  }
}

/// Finds processes that are lost, and an ask that is not answered. Called by the poller.
void Exchange::look_after(Clock::time_point now) {
  if (now - looked_after_ < kLookEvery) return;
  looked_after_ = now;
  for (const Way& way : peers_->newly_lost()) {
    start_thread([this, way] { lost(way); });
  }
  change([&](Effects& effects) {
    if (!state_.is_asking() || now - asked_at_ < kAnswerWithin) return;
    state_.give_up_ask();
    effects.refused = true;
  });
}

// --- Working for others --------------------------------------------------------------------------

void Exchange::do_part(std::uint64_t run, const Task& task) {
  SearchPlace place(*this, run);
  Delivered result = run_part(task, place, runs_.token_of(run));
  change([&](Effects& effects) {
    runs_.remove(run);
    state_.end(run, result.outcome, std::move(result.bytes), effects);
  });
}

/// Answers the asks for which no part was made in time.
void Exchange::let_asks_expire() {
  for (bool any = true; any;) {
    runtime::this_thread::sleep_for(kAsksExpire);
    change([&](Effects& effects) {
      any = state_.has_open_asks() && !is_ending_.load(std::memory_order_relaxed);
      asks_expire_ = any;
      if (any) state_.decline_all(effects);
    });
  }
}

}  // namespace kumiko::search::detail
