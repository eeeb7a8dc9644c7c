#include "exchange/exchange.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <kumiko/runtime/this_thread.hpp>

#include "core/or_end.hpp"
#include "exchange/exchange_source.hpp"
#include "exchange/part_types.hpp"

namespace kumiko::search::detail {

namespace {

using namespace std::chrono_literals;
using runtime::SearchCore;
using runtime::SearchPart;

/// So long no worker of its own has had anything for one that asks.
constexpr auto kIdleBefore = 50us;
/// Polls of idle workers follow each other sooner than this.
constexpr auto kIdleGap = 20us;
/// The first pause after a refusal, doubled up to the longest of a process that expects to find
/// something soon.
constexpr auto kAfterRefusal = 20us;
constexpr auto kLongestAfterRefusal = 20ms;
/// Later pauses take this part of the time for which all asks were in vain: so they lengthen that
/// time by this part at most. Up to the longest, a rest.
constexpr int kPausesPerVainTime = 8;
constexpr auto kLongestRest = 1s;
/// So many who rest are told when there is something.
constexpr std::size_t kMostResting = 1024;
/// After so long those who ask are sent to somebody else.
constexpr auto kAsksExpire = 10ms;
/// An ask that was not answered in so long is taken for lost: longer than any part travels.
constexpr auto kAnswerWithin = 10s;
/// So many refusals in a row make those who are near be asked no more often than others.
constexpr std::size_t kNearAsks = 3;
/// Parts that were given away more recently are not asked for.
constexpr auto kLeastAge = 100ms;

/// How long workers have had nothing to do, together.
std::chrono::nanoseconds idle_time(const runtime::Runtime& runtime) {
  const runtime::WorkerStatistics all = runtime.statistics().total();
  return all.parked + all.polling + all.searching;
}

std::shared_ptr<const Frame> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return std::make_shared<const Frame>(bytes.begin(), bytes.end());
}

}  // namespace

// --- SearchPlace
// ---------------------------------------------------------------------------------------

void SearchPlace::add(SearchCore& search) {
  {
    const std::lock_guard lock(exchange_.lock_);
    exchange_.searches_.push_back(&search);
    if (run == 0) exchange_.log_.search_began(Exchange::Clock::now().time_since_epoch());
    if (exchange_.resting_.empty()) return;
  }
  or_end([this] { exchange_.wake_resting(); });
}

void SearchPlace::remove(SearchCore& search) noexcept {
  const std::lock_guard lock(exchange_.lock_);
  std::erase(exchange_.searches_, &search);
  if (run != 0) return;
  or_end([&] { exchange_.log_.search_ended(Exchange::Clock::now().time_since_epoch()); });
}

bool SearchPlace::has_asks() const noexcept {
  return exchange_.has_asks_.load(std::memory_order_relaxed);
}

bool SearchPlace::claim_ask() noexcept {
  const std::lock_guard lock(exchange_.lock_);
  const bool claimed = exchange_.state_.claim();
  exchange_.has_asks_.store(exchange_.state_.has_open_asks(), std::memory_order_relaxed);
  return claimed;
}

void SearchPlace::decline() noexcept {
  or_end([this] {
    exchange_.change([&](Exchange::Effects& effects) { exchange_.state_.decline(effects); });
  });
}

void SearchPlace::search_stopped(const SearchCore& search) noexcept {
  const auto stop = [&](Exchange::Effects& effects) {
    exchange_.state_.stop(
        [&](const std::shared_ptr<Delivery>& part) { return part->search == &search; }, effects);
    if (run != 0) exchange_.state_.stop_all(run, effects);
  };
  or_end([&] { exchange_.change(stop); });
}

void SearchPlace::givers_stopped(const SearchCore& search) noexcept {
  const auto stop = [&](Exchange::Effects& effects) {
    exchange_.state_.stop(
        [&](const std::shared_ptr<Delivery>& part) {
          return part->search == &search && part->giver->is_stopped();
        },
        effects);
  };
  or_end([&] { exchange_.change(stop); });
}

std::shared_ptr<Delivery> SearchPlace::give(SearchPart& giver, const PartType& type,
                                            unsigned divisions, Frame bytes) const {
  return exchange_.give(*this, giver,
                        {type.hash(), divisions, std::make_shared<const Frame>(std::move(bytes))});
}

// --- Exchange ------------------------------------------------------------------------------------

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
  // A worker that fell asleep while the source was closed does not watch it: whoever is awake for
  // this thread does, when it lies down again.
  runtime_.submit([] {});
}

void Exchange::wait_for_ends() {
  runtime::Future<void> all_ended;
  {
    const std::lock_guard lock(lock_);
    all_ended_.emplace();
    all_ended = all_ended_->get_future();
  }
  change([&](Effects& effects) {
    for (const std::uint16_t peer : peers_->neighbours()) {
      ExchangeEffects::Send& send = effects.sends.emplace_back();
      send.to = {peer};
      send.message.kind = ExchangeMessage::Says::kEnd;
    }
  });
  all_ended.get();
}

void Exchange::end() {
  std::vector<std::stop_source> stops;
  change([&](Effects& effects) {
    is_ending_.store(true, std::memory_order_relaxed);
    effects.wakes = true;
    // Whoever has given them does them again when this process has left.
    state_.drop_results();
    for (const auto& [run, stop] : runs_) stops.push_back(stop);
  });
  for (std::stop_source& stop : stops) stop.request_stop();
  auto ended = threads_ended_.get_future();
  end_thread();
  ended.get();
  if (has_begun_.load(std::memory_order_relaxed)) ExchangeSource::of(runtime_)->remove(*this);
}

void Exchange::receive(const Way& from, const ExchangeMessage& message) {
  const Use use(*this);
  if (!use) return;
  bool asks_begin = false;
  change([&](Effects& effects) {
    if (is_ending_.load(std::memory_order_relaxed)) return;
    if (message.kind == ExchangeMessage::Says::kEnd && from.size() == 1) {
      std::erase(not_ended_, from.front());
    }
    if (state_.is_answered_by(message)) {
      round_trips_.answered(from, asked_at_.time_since_epoch(), Clock::now().time_since_epoch(),
                            std::chrono::nanoseconds(message.sent_at));
    }
    const bool is_ask = message.kind == ExchangeMessage::Says::kAsk;
    if (is_ask && message.rests && !is_busy() && resting_.size() < kMostResting) {
      resting_.insert(from);
    }
    state_.receive(from, message, is_busy(), is_ask ? onward(from) : std::nullopt, effects);
    asks_begin = effects.asked && !std::exchange(asks_expire_, asks_expire_ || effects.asked);
  });
  if (asks_begin) start_thread([this] { let_asks_expire(); });
}

void Exchange::lost(const Way& way) {
  const Use use(*this);
  if (!use) return;
  change([&](Effects& effects) {
    if (way.size() == 1) std::erase(not_ended_, way.front());
    state_.lost(way, effects);
    std::erase_if(resting_, [&](const Way& each) { return leads_through(each, way); });
    if (!peers_->has_others_behind()) return;
    for (const std::uint16_t peer : peers_->neighbours()) {
      if (peer == way.front()) continue;
      ExchangeEffects::Send& send = effects.sends.emplace_back();
      send.to = {peer};
      send.message.kind = ExchangeMessage::Says::kGone;
      send.message.way = way;
    }
  });
}

void Exchange::joined() {
  const Use use(*this);
  if (use) change([](Effects& effects) { effects.wakes = true; });
}

/// Tells those who rest that there is something here.
void Exchange::wake_resting() {
  change([this](Effects& effects) {
    for (const Way& way : resting_) {
      effects.sends.push_back({way, {.kind = ExchangeMessage::Says::kBegun}});
    }
    resting_.clear();
  });
}

std::shared_ptr<Delivery> Exchange::give(const SearchPlace& place, SearchPart& giver, Task task) {
  auto part = std::make_shared<Delivery>(Delivery{this, &giver.core(), &giver, place.run});
  if (place.store != nullptr) {
    const PartKey key = key_of(task);
    if (auto result = place.store->find(key); result != nullptr) {
      part->promise.set_value({Outcome::kDone, std::move(result)});
      return part;
    }
    part->store = place.store;
    part->key = key;
  }
  try {
    change([&](Effects& effects) {
      part->slot = (place.store != nullptr ? state_.offer(std::move(task), part, effects)
                                           : state_.give(std::move(task), part, effects))
                       .slot;
    });
  } catch (...) {
    withdraw(part);  // the caller keeps it
    throw;
  }
  return part;
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
    log = log_.log(now.time_since_epoch(), round_trips_);
  }
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  log.host = host.data();
  log.id = getpid();
  log.workers = runtime_.workers();
  log.worked = std::max((log.workers * (now - began_) - idle).count(), std::int64_t{0});
  log.counts = statistics();
  return log;
}

template <class Change>
void Exchange::change(Change change) {
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
      refusals_ = 0;
      is_alone_ = false;
      rest.swap(rest_);
    }
  }
  if (rest) rest->set_value();
  perform(std::move(effects), was_answered);
}

/// What has to be done before anybody else changes the state. Under the lock.
void Exchange::settle(Effects& effects) {
  // From the end on nothing is awaited any more, nor is anything begun.
  if (is_ending_.load(std::memory_order_relaxed)) {
    state_.decline_all(effects);
    state_.withdraw_all(effects);
  }
  // A search that is stopped stops what it has given away, and whoever gave it away.
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
  for (const ExchangeEffects::Start& start : effects.starts) runs_.try_emplace(start.run);
  if (!effects.starts.empty()) refusals_ = 0;
  has_asks_.store(state_.has_open_asks(), std::memory_order_relaxed);
  if (effects.asked) {
    for (SearchCore* const search : searches_) search->tell_of_asks();
  }
}

/// Keeps a result, if it is whole. Whatever ends a part early has asked its giver to end before.
/// The giver is there, and so is the store: it waits for what follows, or for the lock to withdraw.
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
  for (const std::uint64_t run : effects.stops) {
    std::optional<std::stop_source> stop;
    {
      const std::lock_guard lock(lock_);
      if (const auto found = runs_.find(run); found != runs_.end()) stop = found->second;
    }
    if (stop) stop->request_stop();
  }
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
  threads_.fetch_add(1, std::memory_order_relaxed);
  try {
    runtime_.submit([self = shared_from_this(), function = std::move(function)]() mutable {
      function();
      self->end_thread();
    });
  } catch (...) {
    end_thread();
    throw;
  }
}

void Exchange::end_thread() noexcept {
  // acq_rel: who ends sees all that the threads have done.
  if (threads_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  or_end([this] { threads_ended_.set_value(); });
}

Exchange::Use::Use(Exchange& of) noexcept : exchange_(of) {
  // relaxed: what the exchange has is behind its lock.
  int threads = of.threads_.load(std::memory_order_relaxed);
  while (threads > 0 && !began_) {
    began_ = of.threads_.compare_exchange_weak(threads, threads + 1, std::memory_order_relaxed);
  }
}

Exchange::Use::~Use() {
  if (began_) exchange_.end_thread();
}

// --- Asking --------------------------------------------------------------------------------------

int Exchange::poll(bool idle, Clock::time_point now) noexcept {
  const Use use(*this);
  if (!use || is_ending_.load(std::memory_order_relaxed)) return 0;
  or_end([&] { look_after(now); });
  if (!idle || is_seeking_.load(std::memory_order_relaxed)) return 0;
  if (!is_idle_long(now)) return 0;
  begin_to_seek();
  return 1;
}

bool Exchange::has_news(Clock::time_point now) noexcept {
  if (is_ending_.load(std::memory_order_relaxed)) return false;
  is_sleepy_ = !is_seeking_.load(std::memory_order_relaxed);
  return is_sleepy_ || (needs_looks() && now - looked_after_ >= kLookEvery);
}

/// Not while this rests: nothing is under way then, and the end of the rest wakes a worker.
bool Exchange::needs_looks() const noexcept {
  return peers_->finds_losses() || !is_resting_.load(std::memory_order_relaxed);
}

/// Whether idle workers have polled one after the other for so long that nobody here has anything
/// for them; or one wants to sleep.
bool Exchange::is_idle_long(Clock::time_point now) noexcept {
  if (now - std::exchange(last_idle_, now) > kIdleGap) idle_since_ = now;
  return std::exchange(is_sleepy_, false) || now - idle_since_ >= kIdleBefore;
}

void Exchange::begin_to_seek() noexcept {
  is_seeking_.store(true, std::memory_order_relaxed);
  or_end([this] { start_thread([this] { seek(); }); });
}

void Exchange::seek() {
  bool found_own = false;
  bool asks = false;
  change([&](Effects& effects) {
    if (is_ending_.load(std::memory_order_relaxed)) return;
    found_own = state_.take_back(effects);
    if (found_own) return;
    // Who has nothing lets nobody wait for it.
    if (!is_busy()) state_.decline_all(effects);
    const auto whom = whom_to_ask();
    is_alone_ = !whom;
    if (!whom) return;
    asks = true;
    asked_at_ = Clock::now();
    state_.ask(whom->first, whom->second, effects);
    effects.sends.back().message.rests = is_about_to_rest(asked_at_);
  });
  if (found_own) {
    is_seeking_.store(false, std::memory_order_release);
  } else if (!asks) {
    pause();
  }
}

/// Until there may be something, or for the time after which it is worth another ask.
void Exchange::pause() {
  runtime::Future<void> woken;
  std::chrono::nanoseconds longest{};
  {
    const std::lock_guard lock(lock_);
    woken = rest_.emplace().get_future();
    if (!is_ending_.load(std::memory_order_relaxed)) longest = next_pause();
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
  // The worker of this thread may compute next, and the others sleep without a limit.
  if (ExchangeSource* const source = source_.load(std::memory_order_acquire); rests && source) {
    source->wake();
  }
}

/// Counts a refusal. Under the lock.
std::chrono::nanoseconds Exchange::next_pause() {
  if (is_alone_) return kLongestRest;
  const auto now = Clock::now();
  if (refusals_ == 0) refused_since_ = now;
  const std::chrono::nanoseconds doubled = std::min<std::chrono::nanoseconds>(
      kAfterRefusal * (1U << std::min(refusals_, 16U)), kLongestAfterRefusal);
  ++refusals_;
  return std::clamp<std::chrono::nanoseconds>((now - refused_since_) / kPausesPerVainTime, doubled,
                                              kLongestRest);
}

/// Whether the pause after one more refusal is a long one. Under the lock.
bool Exchange::is_about_to_rest(Clock::time_point now) const {
  return refusals_ > 0 && now - refused_since_ > kPausesPerVainTime * kLongestAfterRefusal;
}

/// In turn one who has a part of this process's own, and any other: near before far.
std::optional<std::pair<Way, std::optional<PartName>>> Exchange::whom_to_ask() {
  if (refusals_ % 2 == 0) {
    if (const auto holder = state_.holder(kLeastAge); holder)
      return std::pair(holder->first, std::optional(holder->second));
  }
  const std::vector<std::uint16_t> peers = peers_->neighbours();
  if (peers.empty()) return std::nullopt;
  const std::vector<std::uint16_t> near = near_ones(peers);
  const bool asks_near = refusals_ / 2 < std::min(near.size(), kNearAsks);
  return std::pair(Way{any_of(asks_near ? near : peers)}, std::optional<PartName>());
}

std::vector<std::uint16_t> Exchange::near_ones(const std::vector<std::uint16_t>& peers) const {
  return round_trips_.near(peers, [&](std::uint16_t peer) { return peers_->is_here(peer); });
}

std::uint16_t Exchange::any_of(const std::vector<std::uint16_t>& peers) {
  return peers[random_() % peers.size()];
}

/// Whom an ask is passed on to, on another side than where it came from: as a rule where the
/// largest part is known to be, else near or anywhere, as it falls. What is answered to asks that
/// were passed on is not seen here, so nobody is always the first.
std::optional<Way> Exchange::onward(const Way& from) {
  if (!peers_->has_others_behind()) return std::nullopt;
  std::vector<std::uint16_t> peers = peers_->neighbours();
  std::erase(peers, from.front());
  if (peers.empty()) return std::nullopt;
  const std::optional<std::uint16_t> largest = state_.largest_behind(peers);
  if (largest && random_() % (peers.size() + 1) != 0) return Way{*largest};
  return Way{any_of(random_() % 2 == 0 ? near_ones(peers) : peers)};
}

/// Sees who is lost, and which ask is not answered. By the poller.
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
  std::stop_token stop;
  {
    const std::lock_guard lock(lock_);
    stop = runs_.at(run).get_token();
  }
  auto outcome = Outcome::kFailed;
  std::shared_ptr<const Frame> bytes;
  try {
    const PartType* const type = part_type(task.type);
    if (type == nullptr) throw std::runtime_error("this kind of part is not known to this process");
    SearchPlace place(*this, run);
    Reader reader(*task.bytes);
    Frame result;
    type->run({place, std::move(stop), task.divisions}, reader, result);
    bytes = std::make_shared<const Frame>(std::move(result));
    outcome = Outcome::kDone;
  } catch (const std::exception& exception) {
    bytes = bytes_of(exception.what());
  } catch (...) {
    bytes = bytes_of("something that is not a std::exception");
  }
  change([&](Effects& effects) {
    runs_.erase(run);
    state_.end(run, outcome, std::move(bytes), effects);
  });
}

/// Whether something runs here that may be divided. Under the lock.
bool Exchange::is_busy() const {
  return std::any_of(searches_.begin(), searches_.end(),
                     [](const SearchCore* search) { return search->is_busy(); });
}

/// Answers those whom nobody here has made a part for in time.
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
