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

std::string_view to_string(WaitCause cause) {
  switch (cause) {
    case WaitCause::kSibling:
      return "sibling";
    case WaitCause::kCoarser:
      return "coarser";
    case WaitCause::kParent:
      return "parent";
    case WaitCause::kChild:
      return "child";
    case WaitCause::kLevel:
      return "level";
  }
  return "unknown";
}

std::uint64_t WorkCounters::updates() const {
  return std::accumulate(updates_per_level.begin(), updates_per_level.end(), std::uint64_t{0});
}

double WorkCounters::balance_efficiency() const {
  return sum_of_means > 0.0 ? static_cast<double>(sum_of_largest) / sum_of_means : 1.0;
}

}  // namespace kumiko::amr
