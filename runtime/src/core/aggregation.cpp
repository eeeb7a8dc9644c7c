#include "core/aggregation.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/worker.hpp"
#include "record/descriptor.hpp"

namespace kumiko::runtime::detail {

namespace {

Aggregation::Place& here(const Aggregation& group) noexcept {
  return group.place(static_cast<std::size_t>(current_worker()->index()));
}

}  // namespace

bool Aggregation::is_deserted() const noexcept {
  std::uint64_t left = 0;
  std::uint64_t joined = 0;
  for (std::size_t worker = 0; worker < workers_; ++worker) left += place(worker).left.read();
  for (std::size_t worker = 0; worker < workers_; ++worker) joined += place(worker).joined.read();
  return left == joined;
}

EpochTurns Aggregation::turns() const noexcept {
  EpochTurns all;
  for (std::size_t worker = 0; worker < workers_; ++worker) {
    all.turns += place(worker).turns.read();
    all.ticks += place(worker).ticks.read();
  }
  return all;
}

void join_group(Descriptor& thread, Aggregation& group) noexcept {
  thread.aggregation = &group;
  here(group).joined.increment();
}

void inherit_group(Descriptor& thread, const Descriptor& creator) noexcept {
  if (creator.aggregation != nullptr && thread.aggregation == nullptr) {
    join_group(thread, *creator.aggregation);
  }
}

void leave_group(Descriptor& thread) noexcept {
  here(*std::exchange(thread.aggregation, nullptr)).left.increment();
}

Aggregation& Aggregations::take(std::string name) {
  const std::lock_guard lock(mutex_);
  const auto free =
      keeps_names_ ? given_.end() : std::ranges::find_if(given_, &Aggregation::is_deserted);
  if (free != given_.end()) {
    Aggregation& record = **free;
    *free = given_.back();
    given_.pop_back();
    record.name = std::move(name);
    return record;
  }
  if (given_.capacity() == all_.size()) given_.reserve(2 * all_.size() + 1);
  all_.push_back(std::make_unique<Aggregation>(workers_, static_cast<int>(all_.size())));
  all_.back()->name = std::move(name);
  return *all_.back();
}

void Aggregations::give(Aggregation& record) noexcept {
  const std::lock_guard lock(mutex_);
  given_.push_back(&record);
}

void Aggregations::keep_names(bool keep) noexcept {
  const std::lock_guard lock(mutex_);
  keeps_names_ = keep;
}

std::vector<std::string> Aggregations::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  names.reserve(all_.size());
  for (const std::unique_ptr<Aggregation>& record : all_) names.push_back(record->name);
  return names;
}

}  // namespace kumiko::runtime::detail
