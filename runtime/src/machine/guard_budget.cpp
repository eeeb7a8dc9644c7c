#include "machine/guard_budget.hpp"

#include <fstream>

namespace kumiko::runtime::detail {

namespace {

constexpr std::size_t kMappingsPerStack = 2;

std::size_t max_map_count() {
  constexpr std::size_t kKernelDefault = 65530;
  std::size_t count = 0;
  std::ifstream file("/proc/sys/vm/max_map_count");
  return file >> count ? count : kKernelDefault;
}

}  // namespace

GuardBudget& GuardBudget::process() {
  static GuardBudget budget(max_map_count());
  return budget;
}

GuardBudget::GuardBudget(std::size_t max_map_count) noexcept
    : total_((max_map_count - max_map_count / 10) / kMappingsPerStack), left_(total_) {}

bool GuardBudget::take(std::size_t stacks) noexcept {
  // relaxed: nothing else depends on the number.
  std::size_t left = left_.load(std::memory_order_relaxed);
  while (left >= stacks) {
    if (left_.compare_exchange_weak(left, left - stacks, std::memory_order_relaxed)) return true;
  }
  return false;
}

void GuardBudget::give_back(std::size_t stacks) noexcept {
  left_.fetch_add(stacks, std::memory_order_relaxed);
}

}  // namespace kumiko::runtime::detail
