#include "machine/cpu_groups.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <sched.h>

namespace kumiko::runtime::detail {

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

/// Appends the groups from the process's own up to the mount point.
void append_groups(const fs::path& root, const Hierarchy& hierarchy, std::vector<CpuGroup>& all) {
  fs::path group = hierarchy.own_group.lexically_relative(hierarchy.mounted_group);
  // A group outside of what is mounted (another namespace's) shows as "..": look at the mount.
  if (group.empty() || *group.begin() == "..") group = ".";
  const fs::path top = root / hierarchy.mount_point.relative_path();
  for (;; group = group.parent_path()) {
    all.push_back({top / group, hierarchy.version2});
    if (group.empty() || group == ".") return;
  }
}

}  // namespace

std::vector<CpuGroup> cpu_groups(const fs::path& root) {
  std::vector<Hierarchy> hierarchies = find_mounts(root);
  find_own_groups(root, hierarchies);
  std::vector<CpuGroup> groups;
  for (const Hierarchy& hierarchy : hierarchies) append_groups(root, hierarchy, groups);
  return groups;
}

std::vector<int> affine_cpus() {
  std::vector<int> cpus;
  // The kernel refuses a set that is too small for its number of cores.
  for (int most = 1024; most <= (1 << 20) && cpus.empty(); most *= 2) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(most));
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
    const int error = sched_getaffinity(0, size, set) == 0 ? 0 : errno;
    for (int cpu = 0; error == 0 && cpu < most; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set)) cpus.push_back(cpu);
    }
    CPU_FREE(set);
    if (error != EINVAL) break;
  }
  return cpus;
}

}  // namespace kumiko::runtime::detail
