#include <stdexcept>
#include <string>
#include <utility>

#include <kumiko/runtime/group.hpp>
#include <kumiko/runtime/runtime.hpp>

#include "core/aggregation.hpp"
#include "core/scheduler.hpp"
#include "core/worker.hpp"

namespace kumiko::runtime {

namespace {

constexpr int kLargestBonus = 1'000'000'000;
constexpr int kLargestLimit = 1'000'000;

void check(const std::string& name, const std::string& what, int turns, int most) {
  if (turns >= 0 && turns <= most) return;
  throw std::invalid_argument("Group '" + name + "': " + what + " of " + std::to_string(turns) +
                              " turns; give a number from 0, for never, to " +
                              std::to_string(most));
}

}  // namespace

Group::Group(const Runtime& runtime, GroupOptions options) {
  check(options.name, "a bonus", options.bonus, kLargestBonus);
  check(options.name, "a limit", options.limit, kLargestLimit);
  const std::shared_ptr<detail::Aggregations>& records = runtime.scheduler_->aggregations();
  record_ = {&records->take(std::move(options.name)), GiveBack{records}};
  record_->bonus.store(options.bonus, std::memory_order_relaxed);
  record_->limit.store(options.limit, std::memory_order_relaxed);
  record_->on.store(options.on, std::memory_order_relaxed);
  record_->published.store(options.published, std::memory_order_relaxed);
}

void Group::GiveBack::operator()(detail::Aggregation* record) const noexcept {
  records->give(*record);
}

const std::string& Group::name() const noexcept { return record_->name; }

void Group::set_bonus(int turns) {
  check(name(), "a bonus", turns, kLargestBonus);
  record_->bonus.store(turns, std::memory_order_relaxed);
}

void Group::set_limit(int turns) {
  check(name(), "a limit", turns, kLargestLimit);
  record_->limit.store(turns, std::memory_order_relaxed);
}

void Group::set_on(bool on) noexcept { record_->on.store(on, std::memory_order_relaxed); }

void Group::set_published(bool published) noexcept {
  record_->published.store(published, std::memory_order_relaxed);
}

int Group::bonus() const noexcept { return record_->bonus.load(std::memory_order_relaxed); }
int Group::limit() const noexcept { return record_->limit.load(std::memory_order_relaxed); }
bool Group::is_on() const noexcept { return record_->on.load(std::memory_order_relaxed); }
bool Group::is_published() const noexcept {
  return record_->published.load(std::memory_order_relaxed);
}

namespace detail {

void check_group(const Group& group) {
  if (group.record_ == nullptr) {
    throw std::invalid_argument(
        "this Group has been moved from; spawn threads with the Group that it was moved to");
  }
  const Worker* const worker = current_worker();
  if (worker == nullptr ||
      worker->scheduler().aggregations() == group.record_.get_deleter().records)
    return;
  throw std::invalid_argument(
      "Group '" + group.name() +
      "' belongs to another Runtime than the spawning thread; make a Group for each Runtime");
}

void admit(Descriptor& thread, const Group& group) noexcept { join_group(thread, *group.record_); }

}  // namespace detail

}  // namespace kumiko::runtime
