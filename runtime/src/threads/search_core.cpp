#include <algorithm>
#include <mutex>
#include <utility>

#include <kumiko/runtime/search_core.hpp>

namespace kumiko::runtime {

namespace {

void add_counts(SearchStatistics& sum, const SearchStatistics& counts) noexcept {
  sum.parts += counts.parts;
  sum.sent += counts.sent;
  sum.undos += counts.undos;
  sum.redos += counts.redos;
  sum.refusals += counts.refusals;
}

}  // namespace

SearchCore::SearchCore(std::stop_token stop, Outside* outside, unsigned divisions)
    : outside_(outside),
      in_advance_(outside == nullptr ? 0 : outside->divisions_in_advance()),
      divisions_(divisions),
      on_stop_(std::move(stop), StopAll{*this}) {
  if (outside_ != nullptr) outside_->add(*this);
}

SearchCore::~SearchCore() {
  if (outside_ != nullptr) outside_->remove(*this);
}

void SearchCore::stop_all() noexcept {
  stop_here();
  if (outside_ != nullptr) outside_->search_stopped(*this);
}

void SearchCore::stop_here() noexcept {
  const std::lock_guard guard(lock_);
  stopped_ = true;
  for (SearchPart* part = live_.front(); part != nullptr; part = part->next_) {
    part->attention_.fetch_or(SearchPart::kStop, std::memory_order_relaxed);
  }
}

void SearchCore::announce_asks() noexcept {
  const std::lock_guard guard(lock_);
  for (SearchPart* part = live_.front(); part != nullptr; part = part->next_) {
    // release: pairs with the acquire in answer_outside(). The ask has been counted before.
    part->attention_.fetch_or(SearchPart::kAsked, std::memory_order_release);
  }
}

bool SearchCore::is_busy() const noexcept {
  const std::lock_guard guard(lock_);
  return statistics_.live > waiting_.load(std::memory_order_relaxed);
}

void SearchCore::stop_from(const SearchPart& ancestor) noexcept {
  {
    const std::lock_guard guard(lock_);
    for (SearchPart* part = live_.front(); part != nullptr; part = part->next_) {
      const SearchPart* above = part;
      // A giver lives at least as long as the parts that it has given away.
      while (above != nullptr && above != &ancestor) above = above->giver_;
      if (above != nullptr) {
        part->attention_.fetch_or(SearchPart::kStop, std::memory_order_relaxed);
      }
    }
  }
  if (outside_ != nullptr) outside_->givers_stopped(*this);
}

void SearchCore::add(SearchPart& part) noexcept {
  const std::lock_guard guard(lock_);
  // relaxed: the part begins later, in a thread that gets it under a lock.
  const bool giver_is_stopped = part.giver_ != nullptr && part.giver_->is_stopped();
  if (stopped_ || giver_is_stopped) {
    part.attention_.fetch_or(SearchPart::kStop, std::memory_order_relaxed);
  }
  // announce_asks() does this in the other order, so under the lock one of the two sees the other.
  if (outside_ != nullptr && outside_->has_asks()) {
    part.attention_.fetch_or(SearchPart::kAsked, std::memory_order_relaxed);
  }
  live_.append(part);
  part.is_live_ = true;
  statistics_.most_live = std::max(statistics_.most_live, ++statistics_.live);
  statistics_.generations = std::max(statistics_.generations, part.generation_);
}

void SearchCore::remove(SearchPart& part) noexcept {
  const std::lock_guard guard(lock_);
  live_.remove(part);
  part.is_live_ = false;
  --statistics_.live;
  add_counts(statistics_, part.counts_);
}

SearchStatistics SearchCore::statistics_with(const SearchStatistics& counts) const noexcept {
  const std::lock_guard guard(lock_);
  SearchStatistics sum = statistics_;
  add_counts(sum, counts);
  return sum;
}

}  // namespace kumiko::runtime
