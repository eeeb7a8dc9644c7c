#include <cstddef>
#include <iterator>
#include <numeric>

#include <kumiko/amr/statistics.hpp>

namespace kumiko::amr {

WorkerLoad& WorkerLoad::operator+=(const WorkerLoad& other) {
  updates += other.updates;
  busy_s += other.busy_s;
  wait_s += other.wait_s;
  steals += other.steals;
  return *this;
}

WorkerLoad& WorkerLoad::operator-=(const WorkerLoad& other) {
  updates -= other.updates;
  busy_s -= other.busy_s;
  wait_s -= other.wait_s;
  steals -= other.steals;
  return *this;
}

std::string_view to_string(WaitCause cause) {
  constexpr const char* kNames[] = {"sibling", "coarser", "parent", "child", "level"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(WaitCause::kLevel) + 1);
  return kNames[static_cast<std::size_t>(cause)];
}

std::uint64_t WorkCounters::updates() const {
  return std::accumulate(updates_per_level.begin(), updates_per_level.end(), std::uint64_t{0});
}

WorkerLoad WorkCounters::total() const {
  WorkerLoad total;
  for (const WorkerLoad& load : workers) total += load;
  return total;
}

double WorkCounters::imbalance() const {
  return sum_of_means > 0.0 ? static_cast<double>(sum_of_largest) / sum_of_means : 1.0;
}

}  // namespace kumiko::amr
