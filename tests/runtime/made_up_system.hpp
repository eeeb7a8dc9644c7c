// A fixture: a temporary folder that stands for "/", with made-up files of the kernel.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace kumiko::runtime::test {

/// A temporary folder that stands for "/".
class MadeUpSystem : public testing::Test {
 protected:
  MadeUpSystem() {
    std::string name = (std::filesystem::temp_directory_path() / "kumiko-cgroup-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~MadeUpSystem() override { std::filesystem::remove_all(root_); }

  void write(const std::filesystem::path& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }

  void mount_version2(const std::string& own_group, const std::string& mounted_group = "/") const {
    write("proc/self/cgroup", "0::" + own_group);
    write("proc/self/mountinfo", "24 1 0:22 / / rw - ext4 /dev/sda rw\n35 24 0:30 " +
                                     mounted_group +
                                     " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw");
  }

  void mount_version1(const std::string& own_group) const {
    write("proc/self/cgroup", "3:memory:/other\n2:cpu,cpuacct:" + own_group);
    write("proc/self/mountinfo",
          "31 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
          "32 24 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct");
  }

  std::filesystem::path root_;
};

}  // namespace kumiko::runtime::test
