#include "exchange/search_place.hpp"

#include <mutex>
#include <utility>

#include "core/or_end.hpp"
#include "exchange/exchange.hpp"

namespace kumiko::search::detail {

using runtime::SearchCore;
using runtime::SearchPart;

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
  Task task{type.hash(), divisions, std::make_shared<const Frame>(std::move(bytes))};
  auto part = std::make_shared<Delivery>(Delivery{&exchange_, &giver.core(), &giver, run});
  if (store != nullptr) {
    part->key = key_of(task);
    if (auto result = store->find(part->key); result != nullptr) {
      part->promise.set_value({Outcome::kDone, std::move(result)});
      return part;
    }
    part->store = store;
  }
  exchange_.give(part, std::move(task));
  return part;
}

}  // namespace kumiko::search::detail
