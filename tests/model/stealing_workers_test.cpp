// Contract: a virtual worker that has nothing asks the others in the order in which the runtime's
// workers do, and pays for each that it asks.
#include "schedule/stealing_workers.hpp"

#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace kumiko::model {
namespace {

constexpr int kWorkers = 5;
constexpr std::uint32_t kShortPiece = kWorkers;  ///< those below are long, one for each worker
constexpr std::uint32_t kWaitingPiece = kWorkers + 1;
constexpr double kShort = 10.0;
constexpr double kLong = 1e6;
constexpr double kSteal = 1000.0;
constexpr double kLook = 1.0;

Bundle alone(std::uint32_t piece) { return {piece, piece + 1}; }

class Pieces {
 public:
  template <class Push>
  std::uint32_t open(Bundle bundle, Push) const {
    return bundle.begin;
  }
  double cost(std::uint32_t piece) const { return piece == kShortPiece ? kShort : kLong; }
  template <class Send>
  Bundle done(int worker, std::uint32_t piece, Send) {
    if (piece == kWaitingPiece) waiting_done_by = worker;
    return {};
  }

  int waiting_done_by = -1;
};

/// What the thief's looks take: it ends first, when only the last worker has something for others.
double time_to_find(int thief, std::uint64_t seed) {
  StealingWorkers workers(kWorkers, {0.0, kSteal, kLook}, seed);
  for (int worker = 0; worker < kWorkers; ++worker) {
    workers.put(worker, alone(worker == thief ? kShortPiece : static_cast<std::uint32_t>(worker)));
  }
  workers.put(kWorkers - 1, alone(kWaitingPiece));
  Pieces pieces;
  const double end = workers.run(0.0, pieces);
  EXPECT_EQ(pieces.waiting_done_by, thief);
  EXPECT_EQ(workers.steals(), 1U);
  return end - kShort - kSteal - kLong;
}

TEST(StealingWorkers, GivenOneThatHasWorkThenAThiefPaysForTheOthersBeforeItButNotForItself) {
  for (const int thief : {0, 2, 3}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto start = static_cast<int>(std::mt19937_64(seed)() % kWorkers);
      const int before = kWorkers - 1 - start - (start <= thief ? 1 : 0);
      EXPECT_NEAR(time_to_find(thief, seed), before * kLook, 1e-6) << thief << ' ' << seed;
    }
  }
}

}  // namespace
}  // namespace kumiko::model
