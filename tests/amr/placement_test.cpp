// Contract: by each rule of placement every slot has one worker, in the order of the slots; chunks
// and homes differ by one slot at most; the backends deal out patches by these rules.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/hierarchy.hpp>
#include <kumiko/amr/placement.hpp>

#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

/// One of the two rules that give every worker as much as any other.
struct EqualParts {
  std::size_t (*begin)(int worker, std::size_t slots, int workers);
  int (*of)(std::size_t slot, std::size_t slots, int workers);
};

class EqualPartsTest : public ::testing::TestWithParam<EqualParts> {};
INSTANTIATE_TEST_SUITE_P(Placement, EqualPartsTest,
                         ::testing::Values(EqualParts{chunk_begin, chunk_of},
                                           EqualParts{home_begin, home_of}));

TEST_P(EqualPartsTest, GivenAnyCountsThenPartsFollowOneAnotherAndDifferByOneAtMost) {
  const EqualParts& rule = GetParam();
  for (const int workers : {1, 2, 3, 5, 7, 16, 64}) {
    for (std::size_t slots = 0; slots < 150; ++slots) {
      ASSERT_EQ(rule.begin(0, slots, workers), 0U);
      ASSERT_EQ(rule.begin(workers, slots, workers), slots);
      const std::size_t least = slots / static_cast<std::size_t>(workers);
      for (int worker = 0; worker < workers; ++worker) {
        const std::size_t begin = rule.begin(worker, slots, workers);
        const std::size_t end = rule.begin(worker + 1, slots, workers);
        ASSERT_GE(end, begin + least) << worker << " of " << workers << ", slots " << slots;
        ASSERT_LE(end, begin + least + 1) << worker << " of " << workers << ", slots " << slots;
      }
    }
  }
}

TEST_P(EqualPartsTest, GivenASlotThenItsWorkerIsTheOneWhosePartHoldsIt) {
  const EqualParts& rule = GetParam();
  for (const int workers : {1, 2, 3, 5, 7, 16, 64}) {
    for (std::size_t slots = 1; slots < 150; ++slots) {
      for (std::size_t slot = 0; slot < slots; ++slot) {
        const int worker = rule.of(slot, slots, workers);
        ASSERT_LE(rule.begin(worker, slots, workers), slot) << slots << " to " << workers;
        ASSERT_GT(rule.begin(worker + 1, slots, workers), slot) << slots << " to " << workers;
      }
    }
  }
}

TEST(WeightedHomes, GivenWeightsThenHomesFollowOneAnotherAndShareTheWeight) {
  for (const int workers : {1, 2, 3, 7, 16}) {
    for (const std::size_t slots : {std::size_t{1}, std::size_t{10}, std::size_t{150}}) {
      std::vector<double> weights;
      for (std::size_t slot = 0; slot < slots; ++slot) {
        weights.push_back(slot < slots / 4 ? 5.0 : 1.0 + static_cast<double>(slot % 3));
      }
      const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
      std::vector<double> shares(static_cast<std::size_t>(workers));
      double before = 0.0;
      int last = 0;
      for (const double weight : weights) {
        const int home = weighted_home_of(before, weight, all, workers);
        ASSERT_GE(home, last);
        ASSERT_LT(home, workers);
        shares[static_cast<std::size_t>(home)] += weight;
        before += weight;
        last = home;
      }
      for (const double share : shares) {
        EXPECT_NEAR(share, all / workers, 5.0 + 1e-9) << workers << " workers, " << slots;
      }
    }
  }
}

template <class WorkerOf>
std::vector<int> workers_of(std::size_t slots, WorkerOf worker_of) {
  std::vector<int> workers;
  for (std::size_t slot = 0; slot < slots; ++slot) workers.push_back(worker_of(slot));
  return workers;
}

TEST(Placement, GivenARemainderThenChunksGiveItToTheFirstAndHomesSpreadIt) {
  EXPECT_EQ(workers_of(7, [](std::size_t slot) { return chunk_of(slot, 7, 4); }),
            (std::vector{0, 0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(workers_of(6, [](std::size_t slot) { return chunk_of(slot, 6, 4); }),
            (std::vector{0, 0, 1, 1, 2, 3}));
  EXPECT_EQ(workers_of(6, [](std::size_t slot) { return home_of(slot, 6, 4); }),
            (std::vector{0, 1, 1, 2, 3, 3}));
}

TEST(Placement, GivenFewerSlotsThanWorkersThenChunksAreOfTheFirst) {
  EXPECT_EQ(workers_of(2, [](std::size_t slot) { return chunk_of(slot, 2, 4); }),
            (std::vector{0, 1}));
  EXPECT_EQ(workers_of(2, [](std::size_t slot) { return home_of(slot, 2, 4); }),
            (std::vector{1, 3}));
}

TEST(Placement, GivenRowsOfPatchesThenAStripHoldsThoseWithTheirCentreInIt) {
  for (const int strips : {1, 2, 3, 7, 16, 100}) {
    for (const int rows : {1, 4, 5, 32, 96}) {
      for (int j = 0; j < rows; ++j) {
        const int strip = strip_of(j, rows, strips);
        // The centre lies at (j + 1/2) / rows of the height, a strip from strip / strips on.
        EXPECT_LE(strip * 2 * rows, (2 * j + 1) * strips);
        EXPECT_GT((strip + 1) * 2 * rows, (2 * j + 1) * strips);
      }
    }
  }
}

TEST(Placement, GivenTheFinestMeshThenTheLastRowIsInTheLastStrip) {
  constexpr int kRows = (kMostBasePoints / kPatchSize) << (kLargestLevelCount - 1);
  EXPECT_EQ(strip_of(0, kRows, 100'000), 0);
  EXPECT_EQ(strip_of(kRows - 1, kRows, 100'000), 99'999);
}

/// Who does each slot of a level whose 24 patches lie in four rows.
std::vector<int> done_by(const std::string& backend_name, int workers) {
  Hierarchy hierarchy(Geometry(96, 64, {1.5, 1.0}, {}), 1, {1, 2, 0});
  const Level& level = hierarchy.level(0);
  std::vector<std::atomic<int>> done(level.size());
  const auto backend = make_backend(backend_name, workers);
  backend->run([&] {
    backend->for_each(level, [&](std::size_t slot, int worker) { done[slot] = worker; });
  });
  return {done.begin(), done.end()};
}

TEST(Placement, GivenALevelThatTheCacheHoldsThenItsBlocksAreNotOfTime) {
  EXPECT_FALSE(blocks_in_time(4096, 64, 48'000'000, 48'000'000, 2));
  // Two steps of rows of 750 kB take 3 MB of each worker's part.
  EXPECT_FALSE(blocks_in_time(4096, 64, 48'000'000, 5'900'000, 2));
  EXPECT_TRUE(blocks_in_time(4096, 64, 48'000'000, 6'000'000, 2));
}

TEST(Placement, GivenALargerLevelThenRowsTakeAsManyStepsAsTheCacheHoldsTwice) {
  const auto dealt = [](std::size_t cache, int workers) {
    const auto in_time = blocks_in_time(4096, 64, 48'000'000, cache, workers);
    return in_time ? std::pair(in_time->blocks, in_time->steps) : std::pair<std::size_t, int>{};
  };
  EXPECT_EQ(dealt(47'000'000, 1), std::pair(std::size_t{64}, 8));
  EXPECT_EQ(dealt(16'000'000, 2), std::pair(std::size_t{64}, 5));
  EXPECT_EQ(dealt(16'000'000, 4), std::pair(std::size_t{64}, 2));
  // Enough for idle workers to take.
  EXPECT_EQ(dealt(47'000'000, 15), std::pair(std::size_t{120}, 2));
}

TEST(Placement, GivenMoreRowsThanPatchesThenNoBlockInTimeIsEmpty) {
  const auto in_time = blocks_in_time(2, 8, 16'000, 15'000, 1);
  ASSERT_TRUE(in_time.has_value());
  EXPECT_EQ(in_time->blocks, 2U);
}

/// One number of workers for each process: LLVM's OpenMP leaks what it grows out of.
class PlacementByOpenMp : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(With, PlacementByOpenMp, testing::Values(1, 3, 5));

TEST_P(PlacementByOpenMp, GivenAnyNumberOfWorkersThenTheyDoTheirChunks) {
  if (!test::kOpenMpIsTestable) GTEST_SKIP() << "not with ThreadSanitizer";
  const int workers = GetParam();
  EXPECT_EQ(done_by("openmp", workers),
            workers_of(24, [&](std::size_t slot) { return chunk_of(slot, 24, workers); }));
}

TEST(Placement, GivenBackendPthreadThenWorkersDoTheirStrips) {
  for (const int workers : {1, 3, 5}) {
    EXPECT_EQ(done_by("pthread", workers), workers_of(24, [&](std::size_t slot) {
                return strip_of(static_cast<int>(slot / 6), 4, workers);
              }));
  }
}

}  // namespace
}  // namespace kumiko::amr
