// Contract: a uniform thief draws each victim anew from all others, near or far, itself never, and
// ends when a visit is successful.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/runtime/policy/uniform.hpp>

namespace kumiko::runtime::test {
namespace {

using policy::Others;
using policy::Uniform;
using Workers = std::vector<std::size_t>;

TEST(Uniform, GivenNumbersThenEachNamesAVictimAndTheThiefIsLeftOut) {
  std::uint64_t number = 0;
  Workers visited;
  const bool found = Uniform().round(
      Others{2, 5}, [&] { return number++; },
      [&](std::size_t victim) {
        visited.push_back(victim);
        return false;
      });
  EXPECT_FALSE(found);
  EXPECT_EQ(visited, (Workers{0, 1, 3, 4}));
}

TEST(Uniform, GivenAVictimWithWorkThenTheRoundEndsThere) {
  int visits = 0;
  const bool found = Uniform().round(
      Others{0, 4}, [] { return 8U; },
      [&](std::size_t victim) {
        EXPECT_EQ(victim, 3U);
        return ++visits == 2;
      });
  EXPECT_TRUE(found);
  EXPECT_EQ(visits, 2);
}

TEST(Uniform, GivenOneWorkerThenNobodyIsVisited) {
  EXPECT_FALSE(Uniform().round(
      Others{0, 1}, [] { return 0U; }, [](std::size_t) { return true; }));
}

}  // namespace
}  // namespace kumiko::runtime::test
