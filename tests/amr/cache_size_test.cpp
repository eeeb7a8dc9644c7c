// Contract: the size of the largest cache is what the kernel's files say of the third level or
// above, and 0 where they say nothing of it.
#include "schedule/cache_size.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace kumiko::amr {
namespace {

class CacheSize : public testing::Test {
 protected:
  ~CacheSize() override { std::filesystem::remove_all(root_); }

  void cache(int index, int level, const std::string& size) const {
    const auto folder =
        root_ / "sys/devices/system/cpu/cpu0/cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << '\n';
    std::ofstream(folder / "size") << size;
  }

  const std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("caches_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(CacheSize, GivenThreeLevelsThenTheLastOneCounts) {
  cache(0, 1, "32K\n");
  cache(1, 1, "32K\n");
  cache(2, 2, "1024K\n");
  cache(3, 3, "32768K\n");
  EXPECT_EQ(largest_cache(root_), std::size_t{32} << 20U);
  cache(4, 4, "65536K\n");
  EXPECT_EQ(largest_cache(root_), std::size_t{64} << 20U);
}

TEST_F(CacheSize, GivenOnlyWhatEachCoreHasForItselfThenItIsNotKnown) {
  cache(0, 1, "32K\n");
  cache(1, 1, "32K\n");
  cache(2, 2, "2048K\n");
  EXPECT_EQ(largest_cache(root_), 0u);
}

TEST_F(CacheSize, GivenNothingOrNonsenseThenItIsNotKnown) {
  EXPECT_EQ(largest_cache(root_), 0u);
  cache(3, 3, "much\n");
  EXPECT_EQ(largest_cache(root_), 0u);
}

}  // namespace
}  // namespace kumiko::amr
