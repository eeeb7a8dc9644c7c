// Finds the control groups that bound this process's CPU time, and the processors it may run on.
#pragma once

#include <filesystem>
#include <vector>

namespace kumiko::runtime::detail {

/// A control group that this process is in, itself or by a descendant.
struct CpuGroup {
  std::filesystem::path folder;
  bool version2;
};

/// The groups of all hierarchies with a CPU controller, each from the process's own up to the one
/// that the mount point shows. What cannot be read or understood is left out.
/// \param root see cgroup_cores()
std::vector<CpuGroup> cpu_groups(const std::filesystem::path& root);

/// The processors that the calling thread may run on, in rising order; empty if the system does not
/// say.
std::vector<int> affine_cpus();

}  // namespace kumiko::runtime::detail
