// Contract: the CPU quota is the smallest of the process's control group and its ancestors, rounded
// up; whatever is missing or strange counts as no quota.
#include <optional>

#include <kumiko/runtime/cpu_budget.hpp>

#include "made_up_system.hpp"

namespace kumiko::runtime::test {
namespace {

class CpuBudget : public MadeUpSystem {
 protected:
  std::optional<int> cores() const { return cgroup_cores(root_); }
};

TEST_F(CpuBudget, GivenNothingWhenReadThenNoQuota) { EXPECT_EQ(cores(), std::nullopt); }

TEST_F(CpuBudget, GivenVersion2MaxWhenReadThenNoQuota) {
  mount_version2("/a");
  write("sys/fs/cgroup/a/cpu.max", "max 100000");
  EXPECT_EQ(cores(), std::nullopt);
}

TEST_F(CpuBudget, GivenVersion2FractionWhenReadThenRoundedUp) {
  mount_version2("/a");
  write("sys/fs/cgroup/a/cpu.max", "250000 100000");
  EXPECT_EQ(cores(), 3);
  write("sys/fs/cgroup/a/cpu.max", "1000 100000");
  EXPECT_EQ(cores(), 1);
}

TEST_F(CpuBudget, GivenVersion2AncestorsWhenReadThenTheSmallestCounts) {
  mount_version2("/a/b/c");
  write("sys/fs/cgroup/a/cpu.max", "200000 100000");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000");
  write("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000");
  EXPECT_EQ(cores(), 2);
}

TEST_F(CpuBudget, GivenVersion2InANamespaceWhenReadThenTheMountedGroupIsTheTop) {
  mount_version2("/");
  write("sys/fs/cgroup/cpu.max", "400000 100000");
  EXPECT_EQ(cores(), 4);
}

TEST_F(CpuBudget, GivenAMountOfASubtreeWhenReadThenThePathBelowItCounts) {
  mount_version2("/pod/box", "/pod");
  write("sys/fs/cgroup/box/cpu.max", "500000 100000");
  EXPECT_EQ(cores(), 5);
}

TEST_F(CpuBudget, GivenAGroupOutsideTheMountWhenReadThenTheMountPointCounts) {
  mount_version2("/../sibling");
  write("sys/fs/cgroup/cpu.max", "600000 100000");
  EXPECT_EQ(cores(), 6);
}

TEST_F(CpuBudget, GivenVersion1QuotaWhenReadThenRoundedUp) {
  mount_version1("/box");
  write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "150000");
  write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000");
  EXPECT_EQ(cores(), 2);
}

TEST_F(CpuBudget, GivenVersion1WithoutQuotaWhenItsAncestorHasOneThenThatCounts) {
  mount_version1("/pod/box");
  write("sys/fs/cgroup/cpu/pod/box/cpu.cfs_quota_us", "-1");
  write("sys/fs/cgroup/cpu/pod/box/cpu.cfs_period_us", "100000");
  write("sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us", "700000");
  write("sys/fs/cgroup/cpu/pod/cpu.cfs_period_us", "100000");
  EXPECT_EQ(cores(), 7);
}

TEST_F(CpuBudget, GivenGarbageWhenReadThenNoQuota) {
  mount_version2("/a");
  write("sys/fs/cgroup/a/cpu.max", "many");
  EXPECT_EQ(cores(), std::nullopt);
  write("proc/self/cgroup", "no colons here");
  write("proc/self/mountinfo", "short");
  EXPECT_EQ(cores(), std::nullopt);
}

TEST(AvailableCores, GivenThisMachineWhenAskedThenAtLeastOne) { EXPECT_GE(available_cores(), 1); }

}  // namespace
}  // namespace kumiko::runtime::test
