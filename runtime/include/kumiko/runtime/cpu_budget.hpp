// The number of cores that this process may use, from its affinity and its control group's quota.
#pragma once

#include <filesystem>
#include <optional>

namespace kumiko::runtime {

/// The number of cores this process may keep busy: the smaller of its CPU affinity and the CPU
/// quota of its control group and all ancestors (version 1 and 2), rounded up, and at least 1.
/// Reads a few small files. Does not throw if it cannot read or parse one of them.
int available_cores();

/// The quota part of available_cores(), in whole cores; nothing without a quota.
/// \param root folder in which proc/self/cgroup, proc/self/mountinfo and the mount points that
/// these name are looked up: "/", or a copy of such a tree.
std::optional<int> cgroup_cores(const std::filesystem::path& root);

}  // namespace kumiko::runtime
