// Contract: ranks take what one gets by hand; one rank is a schedule without messages, and what a
// message costs is paid where it is sent and where it is received.
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/model/rank_model.hpp>

#include "trace_builder.hpp"

namespace kumiko::model {
namespace {

using test::no_overheads;
using test::TraceBuilder;

constexpr Network kNoNetwork = {.item = 0.0};
/// How often two ranks pay for a message before and after a window: a strip each way, and what all
/// are told twice.
constexpr int kBetween = 2 + 2 * 4;

amr::Trace column(int patches, int steps, double cost) {
  TraceBuilder builder(patches);
  for (int step = 0; step < steps; ++step) {
    builder.step(std::vector<double>(static_cast<std::size_t>(patches), cost));
  }
  return builder.stencil().trace();
}

double microseconds(const amr::Trace& trace, int ranks, const RankOptions& options) {
  return RankModel(trace, no_overheads()).predict(ranks, options).seconds * 1e6;
}

TEST(RankModel, GivenOneRankThenItIsDataflowWithoutMessages) {
  const amr::Trace trace = column(40, 10, 3.0);
  Overheads overheads = no_overheads();
  overheads.piece[0].ns = 40.0;
  overheads.beside[0].ns = 10.0;
  for (const int workers : {1, 2, 4}) {
    const RankPrediction one =
        RankModel(trace, overheads).predict(1, {.workers = workers, .network = kNoNetwork});
    const Prediction threads =
        ScheduleModel(trace, overheads).predict(ScheduleKind::kDataflow, workers);
    EXPECT_NEAR(one.seconds, threads.seconds, (workers == 1 ? 1e-9 : 0.05) * threads.seconds);
    EXPECT_EQ(one.messages, 0U);
    EXPECT_EQ(one.edges, 0U);
    EXPECT_NEAR(one.imbalance, 1.0, 1e-12);
  }
}

TEST(RankModel, GivenAFreeNetworkThenRanksShareTheWork) {
  const amr::Trace trace = column(64, 10, 3.0);
  for (const int ranks : {2, 4, 8}) {
    const RankPrediction shared =
        RankModel(trace, no_overheads()).predict(ranks, {.network = kNoNetwork});
    EXPECT_NEAR(shared.seconds * 1e6, 64 * 10 * 3.0 / ranks, 1e-6);
    EXPECT_NEAR(shared.utilisation, 1.0, 1e-9);
  }
}

TEST(RankModel, GivenTwoPatchesOnTwoRanksThenEachStepWaitsForAMessage) {
  const amr::Trace trace = column(2, 5, 3.0);
  // A strip of 16 × 2 numbers, a header, and one for what is in it.
  constexpr double kBytes = 256 + 56 + 16;
  const Network network{
      .overhead = 100.0, .latency = 700.0, .gap = 10.0, .per_byte = 0.5, .item = 20.0};
  const double one_way = 2 * (100.0 + 20.0) + 700.0 + 0.5 * kBytes;
  // All agree that no step has failed, and tell what their workers did.
  const double agreed = 2 * (2 * 100.0 + 700.0);
  const double told = agreed + 0.5 * 56.0 * 5 * 2 * 1.5;
  // Before the window a strip goes each way.
  const double begun = 2 * (100.0 + 20.0) + 0.5 * 256 + 700.0;
  const RankPrediction two = RankModel(trace, no_overheads()).predict(2, {.network = network});
  // What the last step sends comes to nobody.
  EXPECT_NEAR(two.seconds * 1e9, 5 * 3000.0 + 4 * one_way + agreed + told + begun, 1e-3);
  EXPECT_EQ(two.messages, 2U * 4U);
  EXPECT_EQ(two.edges, 2U * 4U);
  EXPECT_EQ(two.bytes, 2U * 4U * 256U);
}

TEST(RankModel, GivenIdleWorkersThenNoneBeginsBeforeTheMessageIsRead) {
  // Patch 0 lets all others go on, whose rank has a worker for each.
  TraceBuilder builder(5);
  builder.step({40.0, 10.0, 10.0, 10.0, 10.0}).step({1.0, 3.0, 3.0, 3.0, 3.0});
  for (std::uint32_t to = 6; to < 10; ++to) builder.edge(0, to);
  const amr::Trace trace = builder.trace();
  const auto seconds = [&](double overhead) {
    const Network network{.overhead = overhead, .item = 0.0};
    return RankModel(trace, no_overheads()).predict(2, {.workers = 4, .network = network}).seconds;
  };
  // Sent, read, and what is told between windows.
  EXPECT_NEAR(seconds(5000.0) - seconds(0.0), (2 + kBetween) * 5e-6, 1e-12);
  EXPECT_NEAR(seconds(0.0), 43e-6, 1e-12);
}

TEST(RankModel, GivenMoreThanABundleThenItIsAsManyMessages) {
  // Two coarse patches of rank 0, with their ghosts 3200 bytes each, and a finer one of rank 1.
  TraceBuilder builder(4);
  builder.finer_patch();
  builder.phase({0, 0, 0, amr::PieceKind::kAdvance}, 0, {3.0, 3.0, 3.0, 3.0});
  builder.phase({0, 1, 0, amr::PieceKind::kAdvance}, 4, {8.0});
  const amr::Trace trace = builder.edge(0, 4).edge(1, 4).trace();
  const Network network{.overhead = 1000.0, .item = 0.0};
  const RankPrediction two =
      RankModel(trace, no_overheads())
          .predict(2, {.network = network, .partition = amr::PartitionKind::kLevel});
  EXPECT_EQ(two.edges, 2U);
  EXPECT_EQ(two.bytes, 2U * 3200U);
  EXPECT_EQ(two.messages, 2U);
  // Both are sent, then both are read; and what is told between windows.
  EXPECT_NEAR(two.seconds * 1e6, 2 * 3.0 + 2 * 1.0 + 2 * 1.0 + 8.0 + kBetween, 1e-6);
}

TEST(RankModel, GivenWorkToDoThenLatencyHidesBehindIt) {
  // With 40 patches for each of two ranks the ends meet seldom.
  const amr::Trace trace = column(80, 20, 3.0);
  Network network = kNoNetwork;
  const double without = microseconds(trace, 2, {.network = network});
  network.latency = 5000.0;
  // But for what is told between windows: a strip, and there and back twice.
  EXPECT_NEAR(microseconds(trace, 2, {.network = network}), without + 5 * 5.0, 0.05 * without);
}

TEST(RankModel, GivenARestrictionThenItIsReadByTheCoarserRank) {
  TraceBuilder builder(1);
  builder.finer_patch();
  builder.phase({0, 1, 0, amr::PieceKind::kAdvance}, 1, {2.0});
  builder.phase({0, 0, 0, amr::PieceKind::kFinish}, 0, {3.0});
  const amr::Trace trace = builder.edge(0, 1).trace();
  const RankPrediction two = RankModel(trace, no_overheads()).predict(2, {.network = kNoNetwork});
  EXPECT_EQ(two.messages, 1U);
  EXPECT_EQ(two.bytes, 8U * 8U * sizeof(double));
}

TEST(RankModel, GivenPatchesDealtByChanceThenMoreIsSent) {
  const amr::Trace trace = column(64, 5, 3.0);
  const auto sent = [&](amr::PartitionKind kind) {
    return RankModel(trace, no_overheads())
        .predict(4, {.network = kNetworks[0].network, .partition = kind});
  };
  const RankPrediction compact = sent(amr::PartitionKind::kDepthFirst);
  const RankPrediction random = sent(amr::PartitionKind::kRandom);
  EXPECT_EQ(compact.edges, 2U * 3U * 4U);  // both ways over three borders, but for the last step
  EXPECT_GT(random.bytes, 4 * compact.bytes);
  EXPECT_GT(random.seconds, compact.seconds);
}

TEST(RankModel, GivenSpansBetweenWindowsThenTheirSerialPartStays) {
  const amr::Trace trace = TraceBuilder(2).step({3.0, 3.0}).span(10.0, 6.0).trace();
  const RankPrediction two = RankModel(trace, no_overheads()).predict(2, {.network = kNoNetwork});
  constexpr double kBalance = 2 * 0.1;
  EXPECT_NEAR(two.regrid_seconds * 1e6, 4.0 + 3.0 + kBalance, 1e-6);
  EXPECT_NEAR(two.seconds * 1e6, 3.0 + 4.0 + 3.0 + kBalance, 1e-6);
}

TEST(RankModel, GivenPatchesThatGrowUnequalThenTheyMoveAtTheSecondRegridAndItIsPaidFor) {
  TraceBuilder builder(8);
  builder.step(std::vector<double>(8, 1.0));
  for (int regrid = 0; regrid < 3; ++regrid) {
    builder.regrid(10.0, 6.0).step({3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0});
  }
  const amr::Trace trace = builder.trace();
  const Network network{.overhead = 1000.0, .item = 0.0};
  const RankPrediction two = RankModel(trace, no_overheads()).predict(2, {.network = network});
  // Of twelve and four to nine and seven.
  EXPECT_EQ(two.moved_patches, 1U);
  EXPECT_NEAR(two.imbalance, (1.0 + 1.5 + 1.5 + 9.0 / 8.0) / 4, 1e-12);
  // What was recorded, less its loops; what the patches have taken; the one that moves; and 0.1 us
  // a patch for the balance, twice where it deals them out.
  constexpr double kAlike = 3 * 4.0 + 4 * kBetween + 3 * 4.0 + 1.0 + (3 + 1) * 8 * 0.1;
  EXPECT_NEAR(two.alike_seconds * 1e6, kAlike, 1e-6);
  EXPECT_NEAR(two.regrid_seconds * 1e6, kAlike + 3 * 6.0 / 2, 1e-6);
  EXPECT_NEAR(two.seconds * 1e6, 4.0 + 12.0 + 12.0 + 9.0 + kAlike + 9.0, 1e-6);
}

TEST(RankModel, GivenMoreRanksThenWhatAllAreToldTakesLonger) {
  const amr::Trace trace = column(64, 1, 3.0);
  const Network network{.overhead = 1000.0, .item = 0.0};
  const RankModel model(trace, no_overheads());
  const double two = model.predict(2, {.network = network}).alike_seconds;
  // Rank 0 has 62 more to read, and to send to, twice.
  EXPECT_NEAR((model.predict(64, {.network = network}).alike_seconds - two) * 1e6,
              2 * 2 * 62 + 2 /* strips on both sides */, 1e-6);
}

TEST(RankModel, GivenThousandsOfRanksThenThoseWithoutPatchesDoNotMatter) {
  const amr::Trace trace = column(64, 5, 3.0);
  const RankPrediction all =
      RankModel(trace, no_overheads()).predict(4096, {.network = kNoNetwork});
  EXPECT_NEAR(all.seconds * 1e6, 5 * 3.0, 1e-6);
}

TEST(RankModel, GivenWhatCannotBeThenItIsRefused) {
  EXPECT_THROW(RankModel(TraceBuilder(2).trace(), no_overheads()), std::invalid_argument);
  const amr::Trace trace = column(2, 2, 1.0);
  const RankModel model(trace, no_overheads());
  EXPECT_THROW(model.predict(0, {}), std::invalid_argument);
  EXPECT_THROW(model.predict(RankModel::kMostRanks + 1, {}), std::invalid_argument);
  EXPECT_THROW(model.predict(2, {.workers = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::model
