#include "exchange/exchange_source.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "exchange/exchange.hpp"

namespace kumiko::search::detail {

std::shared_ptr<ExchangeSource> ExchangeSource::of(runtime::Runtime& runtime) {
  static std::mutex mutex;
  static std::map<const runtime::Runtime*, std::weak_ptr<ExchangeSource>> known;
  const std::lock_guard lock(mutex);
  // Only its Runtime owns a source, so a later Runtime at the same address gets its own.
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<ExchangeSource>& place = known[&runtime];
  std::shared_ptr<ExchangeSource> source = place.lock();
  if (source == nullptr) {
    source = std::make_shared<ExchangeSource>();
    runtime.attach(source);
    place = source;
  }
  return source;
}

void ExchangeSource::add(std::shared_ptr<Exchange> exchange) {
  {
    const std::lock_guard lock(guard_);
    exchanges_.push_back(std::move(exchange));
    count_.store(exchanges_.size(), std::memory_order_relaxed);
  }
  // Wakes a sleeping worker, which then knows when to poll next.
  bell_.ring();
}

void ExchangeSource::remove(const Exchange& exchange) noexcept {
  const std::lock_guard lock(guard_);
  std::erase_if(exchanges_, [&](const auto& each) { return each.get() == &exchange; });
  count_.store(exchanges_.size(), std::memory_order_relaxed);
}

template <class Ask>
void ExchangeSource::ask_all(Ask ask) noexcept {
  const auto now = Clock::now();
  bell_.silence(now);
  if (!is_open()) return;
  {
    const std::lock_guard lock(guard_);
    asked_ = exchanges_;
  }
  bool looks_again = false;
  for (const std::shared_ptr<Exchange>& exchange : asked_) {
    ask(*exchange, now);
    looks_again = looks_again || exchange->needs_looks();
  }
  // Before this returns, since the worker may sleep until then.
  if (looks_again) bell_.ring_at(now + Exchange::kLookEvery);
  asked_.clear();
}

int ExchangeSource::poll(bool idle) noexcept {
  int events = 0;
  ask_all([&](Exchange& exchange, Clock::time_point now) { events += exchange.poll(idle, now); });
  return events;
}

bool ExchangeSource::has_news() noexcept {
  bool found = false;
  ask_all(
      [&](Exchange& exchange, Clock::time_point now) { found = exchange.has_news(now) || found; });
  return found;
}

}  // namespace kumiko::search::detail
