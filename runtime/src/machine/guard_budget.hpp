// Limits how many stacks have a guard page, since each takes two of the kernel's few mappings.
#pragma once

#include <atomic>
#include <cstddef>

namespace kumiko::runtime::detail {

/// How many stacks of this process may have a guard page: each costs the kernel two mappings, of
/// which vm.max_map_count allows 65,530 by default. A tenth is left to everybody else.
class GuardBudget {
 public:
  /// The process's.
  static GuardBudget& process();

  /// \param max_map_count what the kernel allows, in mappings.
  explicit GuardBudget(std::size_t max_map_count) noexcept;

  /// Takes `stacks` from the budget, all or none.
  bool take(std::size_t stacks) noexcept;
  void give_back(std::size_t stacks) noexcept;

  /// The number of stacks that it started with.
  std::size_t total() const noexcept { return total_; }

 private:
  const std::size_t total_;
  std::atomic<std::size_t> left_;
};

}  // namespace kumiko::runtime::detail
