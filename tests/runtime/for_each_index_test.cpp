// Contract: for_each_index calls the body once for each index, each in a thread of its own, and
// takes few steals for that; it passes one exception on after all have ended.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/policy/halving.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

TEST(HalvingPoint, GivenARangeWhenCutThenTheUpperPartIsAsLargeOrLargerByOne) {
  for (int first : {-7, -2, 0, 5}) {
    for (int length = 0; length < 20; ++length) {
      EXPECT_EQ(policy::halving_point(first, first + length) - first, length / 2);
    }
  }
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(policy::halving_point(-kLargest, kLargest), 0);
  EXPECT_EQ(policy::halving_point(kLargest - 3, kLargest), kLargest - 2);
}

class ForEachIndexTest : public OnWorkers {};
KUMIKO_ON_WORKERS(ForEachIndexTest);

TEST_P(ForEachIndexTest, GivenACountWhenRunThenEachIndexIsVisitedOnceByAThreadOfItsOwn) {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 64U, 257U}) {
    std::vector<int> visits(count);
    const std::uint64_t before = runtime_.statistics().total().spawned;
    runtime_.run([&] { for_each_index(count, [&visits](std::size_t i) { ++visits[i]; }); });
    EXPECT_EQ(visits, std::vector<int>(count, 1));
    EXPECT_EQ(runtime_.statistics().total().spawned - before, count);
  }
}

TEST_P(ForEachIndexTest, GivenBodiesThatMeetWhenRunThenAllAreAliveAtOnce) {
  constexpr std::size_t kCount = 100;
  runtime_.run([] {
    Latch latch(kCount);
    for_each_index(kCount, [&latch](std::size_t) { latch.arrive_and_wait(); });
  });
}

TEST_P(ForEachIndexTest, GivenABodyThatThrowsWhenRunThenItArrivesAndNoThreadIsLeft) {
  runtime_.run([] {
    std::atomic<int> alive{0};
    const auto body = [&alive](std::size_t i) {
      ++alive;
      this_thread::yield();
      --alive;
      if (i % 10 == 3) throw std::out_of_range("index");
    };
    EXPECT_THROW(for_each_index(64, body), std::out_of_range);
    EXPECT_EQ(alive, 0);
  });
}

TEST_P(ForEachIndexTest, GivenNestedCallsWhenRunThenEachPairIsVisitedOnce) {
  constexpr std::size_t kCount = 16;
  std::vector<int> visits(kCount * kCount);
  runtime_.run([&] {
    for_each_index(kCount, [&](std::size_t i) {
      for_each_index(kCount, [&](std::size_t j) { ++visits[i * kCount + j]; });
    });
  });
  EXPECT_EQ(visits, std::vector<int>(kCount * kCount, 1));
}

}  // namespace
}  // namespace kumiko::runtime::test
