#include "core/thief.hpp"

#include <cstddef>

#include <kumiko/runtime/policy/near_first.hpp>

#include "core/scheduler.hpp"
#include "core/worker.hpp"

namespace kumiko::runtime::detail {

Thief::Thief(Worker& self) noexcept
    : self_(self), random_(static_cast<std::uint64_t>(self.index())) {}

void Thief::note_place() noexcept {
  // relaxed: a hint, here and in round().
  const int cache = self_.scheduler().topology().here();
  cache_.store(cache, std::memory_order_relaxed);
  self_.ready().queue.note_place(self_.scheduler().published_group(cache));
}

Descriptor* Thief::round(Give give) noexcept {
  const policy::AnyStealing& chosen = self_.scheduler().stealing();
  if (chosen) [[unlikely]]
    return round_by(chosen, give);
  return round_by(policy::NearFirst(), give);
}

Descriptor* Thief::last_round() noexcept {
  if (self_.scheduler().stealing()) [[unlikely]] {
    if (Descriptor* const thread = round_by(policy::NearFirst(), &Worker::give_to_thief)) {
      return thread;
    }
  }
  return round_by(policy::NearFirst(), &Worker::give_by_force);
}

/// Near are those that were last seen below the same last-level cache, where the machine has
/// several.
template <class Policy>
Descriptor* Thief::round_by(const Policy& policy, Give give) noexcept {
  Scheduler& scheduler = self_.scheduler();
  const auto thief = static_cast<std::size_t>(self_.index());
  const std::size_t workers = scheduler.worker_count();
  if (workers == 1) return nullptr;
  Descriptor* stolen = nullptr;
  const auto visit = [&](std::size_t victim) {
    // A policy that goes on after a find, or visits nobody that there is, loses no thread by that.
    if (stolen == nullptr && victim < workers && victim != thief) {
      stolen = ask(scheduler.worker(victim), give);
    }
    return stolen != nullptr;
  };
  const int here = cache_.load(std::memory_order_relaxed);
  const auto same_cache = [&](std::size_t victim) {
    return scheduler.worker(victim).thief().cache_.load(std::memory_order_relaxed) == here;
  };
  const policy::Others::IsNear is_near(same_cache);
  const policy::Others others{thief, workers, scheduler.has_distances() ? &is_near : nullptr};
  policy.round(others, random_, visit);
  return stolen;
}

Descriptor* Thief::ask(Worker& victim, Give give) noexcept {
  Descriptor* const thread = (victim.*give)();
  if (thread == nullptr) {
    failed_.increment();
    return nullptr;
  }
  steals_.increment();
  if (self_.observer() != nullptr) self_.observer()->stole(victim.index());
  return thread;
}

}  // namespace kumiko::runtime::detail
