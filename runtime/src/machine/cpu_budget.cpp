#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include <kumiko/runtime/cpu_budget.hpp>

#include "machine/cpu_groups.hpp"

namespace kumiko::runtime {

namespace {

namespace fs = std::filesystem;

/// The quota of one group as a number of cores, if it has one.
std::optional<double> read_quota(const detail::CpuGroup& group) {
  std::string quota;
  double period = 0;
  if (group.version2) {
    std::ifstream(group.folder / "cpu.max") >> quota >> period;
  } else {
    std::ifstream(group.folder / "cpu.cfs_quota_us") >> quota;
    std::ifstream(group.folder / "cpu.cfs_period_us") >> period;
  }
  double allowed = 0;
  std::istringstream(quota) >> allowed;  // stays 0 for "max", and is -1 for none in version 1
  if (allowed <= 0 || period <= 0) return std::nullopt;
  return allowed / period;
}

}  // namespace

std::optional<int> cgroup_cores(const fs::path& root) {
  std::optional<double> smallest;
  for (const detail::CpuGroup& group : detail::cpu_groups(root)) {
    if (const auto quota = read_quota(group)) {
      smallest = smallest ? std::min(*smallest, *quota) : *quota;
    }
  }
  if (!smallest) return std::nullopt;
  return std::max(1, static_cast<int>(std::ceil(std::min(*smallest, 1e6))));
}

int available_cores() {
  const int cores = std::max(1, static_cast<int>(detail::affine_cpus().size()));
  return std::min(cores, cgroup_cores("/").value_or(cores));
}

}  // namespace kumiko::runtime
