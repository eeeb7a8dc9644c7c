#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <sched.h>

#include <kumiko/runtime/cpu_budget.hpp>

namespace kumiko::runtime {

namespace {

namespace fs = std::filesystem;

/// One hierarchy of control groups as this process sees it: where it is mounted, which of its
/// groups the mount point shows, and which group the process is in.
struct Hierarchy {
  bool version2 = false;
  fs::path mount_point;
  fs::path mounted_group;
  fs::path own_group;
};

bool names_cpu(const std::string& comma_separated) {
  std::istringstream names(comma_separated);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

/// A mountinfo field: the kernel writes space, tab, newline and backslash as \ooo.
fs::path unescape(std::string_view field) {
  std::string plain;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 3 < field.size()) {
      plain += static_cast<char>((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 +
                                 (field[i + 3] - '0'));
      i += 3;
    } else {
      plain += field[i];
    }
  }
  return plain;
}

/// The mounts that carry a CPU controller. A line of mountinfo (proc(5)):
///     id parent major:minor root mount_point options [tags]... - type source super_options
std::vector<Hierarchy> find_mounts(const fs::path& root) {
  std::vector<Hierarchy> mounts;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string skipped, group, mount_point, type, super_options;
    fields >> skipped >> skipped >> skipped >> group >> mount_point;
    while (fields >> skipped && skipped != "-") continue;
    fields >> type >> skipped >> super_options;
    if (type == "cgroup2" || (type == "cgroup" && names_cpu(super_options))) {
      mounts.push_back({type == "cgroup2", unescape(mount_point), unescape(group), {}});
    }
  }
  return mounts;
}

/// Fills in own_group. A line of /proc/self/cgroup: id:controllers:group; version 2 is "0::group".
void find_own_groups(const fs::path& root, std::vector<Hierarchy>& hierarchies) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    if (!version2 && !names_cpu(controllers)) continue;
    for (Hierarchy& hierarchy : hierarchies) {
      if (hierarchy.version2 == version2) hierarchy.own_group = line.substr(second + 1);
    }
  }
}

/// The quota of one group as a number of cores, if it has one.
std::optional<double> read_quota(const fs::path& folder, bool version2) {
  std::string quota;
  double period = 0;
  if (version2) {
    std::ifstream(folder / "cpu.max") >> quota >> period;
  } else {
    std::ifstream(folder / "cpu.cfs_quota_us") >> quota;
    std::ifstream(folder / "cpu.cfs_period_us") >> period;
  }
  double allowed = 0;
  std::istringstream(quota) >> allowed;  // stays 0 for "max", and is -1 for none in version 1
  if (allowed <= 0 || period <= 0) return std::nullopt;
  return allowed / period;
}

/// The smallest quota from the process's group up to the mount point.
std::optional<double> smallest_quota(const fs::path& root, const Hierarchy& hierarchy) {
  fs::path group = hierarchy.own_group.lexically_relative(hierarchy.mounted_group);
  // A group outside of what is mounted (another namespace's) shows as "..": look at the mount.
  if (group.empty() || *group.begin() == "..") group = ".";
  const fs::path top = root / hierarchy.mount_point.relative_path();
  std::optional<double> smallest;
  for (;; group = group.parent_path()) {
    if (const auto quota = read_quota(top / group, hierarchy.version2)) {
      smallest = smallest ? std::min(*smallest, *quota) : *quota;
    }
    if (group.empty()) return smallest;
  }
}

int affine_cores() {
  // The kernel refuses a set that is too small for its number of cores.
  for (int cores = 1024; cores <= (1 << 20); cores *= 2) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(cores));
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(cores));
    const int status = sched_getaffinity(0, size, set);
    const int error = errno;
    const int count = status == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (status == 0) return std::max(count, 1);
    if (error != EINVAL) break;
  }
  return 1;
}

}  // namespace

std::optional<int> cgroup_cores(const fs::path& root) {
  std::vector<Hierarchy> hierarchies = find_mounts(root);
  find_own_groups(root, hierarchies);
  std::optional<double> smallest;
  for (const Hierarchy& hierarchy : hierarchies) {
    if (const auto quota = smallest_quota(root, hierarchy)) {
      smallest = smallest ? std::min(*smallest, *quota) : *quota;
    }
  }
  if (!smallest) return std::nullopt;
  return std::max(1, static_cast<int>(std::ceil(std::min(*smallest, 1e6))));
}

int available_cores() {
  const int cores = affine_cores();
  return std::min(cores, cgroup_cores("/").value_or(cores));
}

}  // namespace kumiko::runtime
