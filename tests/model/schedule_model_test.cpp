// Contract: the model's schedules are those that one gets by hand, and hold what is known of all
// schedules: no less than the bounds, for greedy ones no more than Graham's (1969), and on one
// worker the whole work.
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/placement.hpp>
#include <kumiko/model/schedule_model.hpp>

#include "trace_builder.hpp"

namespace kumiko::model {
namespace {

using test::no_overheads;
using test::TraceBuilder;

constexpr double kMicrosecond = 1e-6;

Prediction predict(const amr::Trace& trace, ScheduleKind kind, int workers,
                   const Overheads& overheads = no_overheads()) {
  return ScheduleModel(trace, overheads).predict(kind, workers);
}

double microseconds(const Prediction& prediction) { return prediction.seconds / kMicrosecond; }

std::vector<double> random_costs(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> costs(count);
  for (double& cost : costs) cost = 1.0 + static_cast<double>(random() % 1000) / 50.0;
  return costs;
}

amr::Trace random_stencil(int patches, int steps) {
  TraceBuilder builder(patches);
  for (int step = 0; step < steps; ++step) {
    builder.step(random_costs(static_cast<std::size_t>(patches), static_cast<std::uint32_t>(step)));
  }
  return builder.stencil().trace();
}

// --- bounds --------------------------------------------------------------------------------------

TEST(ScheduleModel, GivenAChainThenNoWorkerHelps) {
  const amr::Trace trace = TraceBuilder(1).step({3.0}).step({4.0}).step({5.0}).stencil().trace();
  const ScheduleModel model(trace, no_overheads());
  EXPECT_NEAR(model.bounds().work, 12.0 * kMicrosecond, 1e-12);
  EXPECT_NEAR(model.bounds().critical_path, 12.0 * kMicrosecond, 1e-12);
  EXPECT_NEAR(model.bounds().parallelism(), 1.0, 1e-9);
  for (const int workers : {1, 2, 64}) {
    for (const ScheduleKind kind : kScheduleKinds) {
      EXPECT_NEAR(microseconds(model.predict(kind, workers)), 12.0, 1e-6) << to_string(kind);
    }
  }
}

TEST(ScheduleModel, GivenWindowsAndSpansThenTheirPathsAddUp) {
  // Of a regrid of 10 us, 6 are in parallel loops.
  const amr::Trace trace = TraceBuilder(2).step({3.0, 5.0}).span(10.0, 6.0).trace();
  const ScheduleModel model(trace, no_overheads());
  EXPECT_NEAR(model.bounds().work, 18.0 * kMicrosecond, 1e-12);
  EXPECT_NEAR(model.bounds().critical_path, (5.0 + 4.0) * kMicrosecond, 1e-12);
  EXPECT_NEAR(model.bounds().at(1), 18.0 * kMicrosecond, 1e-12);
  EXPECT_NEAR(model.bounds().at(100), 9.0 * kMicrosecond, 1e-12);
  EXPECT_NEAR(microseconds(model.predict(ScheduleKind::kDataflow, 2)), 5.0 + 4.0 + 3.0, 1e-6);
  EXPECT_NEAR(model.predict(ScheduleKind::kDataflow, 2).utilisation, (8.0 + 6.0) / 24.0, 1e-9);
}

TEST(ScheduleModel, GivenLoopsThatSeveralWorkersRanThenTheirWorkIsThatOfAll) {
  // Of 10 us, 6 are in parallel loops of two workers: 12 us of work.
  amr::Trace trace = TraceBuilder(2).step({3.0, 5.0}).span(10.0, 6.0).trace();
  trace.workers = 2;
  const ScheduleModel model(trace, no_overheads());
  EXPECT_NEAR(model.bounds().work, (8.0 + 4.0 + 12.0) * kMicrosecond, 1e-12);
  EXPECT_NEAR(model.bounds().critical_path, (5.0 + 4.0) * kMicrosecond, 1e-12);
  for (const ScheduleKind kind : kScheduleKinds) {
    EXPECT_NEAR(microseconds(model.predict(kind, 1)), 8.0 + 4.0 + 12.0, 1e-6);
    EXPECT_NEAR(model.predict(kind, 1).utilisation, 20.0 / 24.0, 1e-9);
    EXPECT_NEAR(microseconds(model.predict(kind, 2)), 5.0 + 10.0, 1e-6);
    EXPECT_NEAR(model.predict(kind, 2).utilisation, 20.0 / 30.0, 1e-9);
    EXPECT_NEAR(microseconds(model.predict(kind, 4)), 5.0 + 4.0 + 3.0, 1e-6);
  }
}

TEST(ScheduleModel, GivenOneWorkerThenEveryScheduleTakesTheWorkAndItsOverheads) {
  const amr::Trace trace = random_stencil(12, 7);
  Overheads overheads;
  overheads.barrier = overheads.steal = {1e6};
  const ScheduleModel model(trace, overheads);
  for (const ScheduleKind kind : kScheduleKinds) {
    const double expected = model.bounds().work + 1e-9 * (12 * 7 * overheads.piece_of(kind).ns +
                                                          7 * overheads.phase_of(kind).ns);
    const Prediction prediction = model.predict(kind, 1);
    EXPECT_NEAR(prediction.seconds, expected, 1e-12) << to_string(kind);
    EXPECT_NEAR(prediction.utilisation, model.bounds().work / expected, 1e-9);
    EXPECT_DOUBLE_EQ(prediction.imbalance, 1.0);
    EXPECT_EQ(prediction.steals, 0u);
  }
}

TEST(ScheduleModel, GivenIndependentPiecesThenStealingKeepsGrahamsBound) {
  const amr::Trace trace = TraceBuilder(101).step(random_costs(101, 3)).trace();
  const ScheduleModel model(trace, no_overheads());
  const double path = model.bounds().critical_path;
  for (const ScheduleKind kind : {ScheduleKind::kDataflow, ScheduleKind::kLevel}) {
    for (const int workers : {1, 2, 3, 7, 16, 100, 101, 1000}) {
      const double seconds = model.predict(kind, workers).seconds;
      EXPECT_GE(seconds, model.bounds().at(workers) * (1.0 - 1e-9)) << workers;
      // What is done in one go: of dataflow, a block.
      const double most = kind == ScheduleKind::kDataflow
                              ? path * static_cast<double>(100 / amr::block_count(101, workers) + 1)
                              : path;
      EXPECT_LE(seconds,
                (model.bounds().work / workers + most * (1.0 - 1.0 / workers)) * (1.0 + 1e-9))
          << to_string(kind) << ' ' << workers;
    }
  }
}

TEST(ScheduleModel, GivenAStencilThenDataflowKeepsGrahamsBoundAndTheOthersTheLower) {
  const amr::Trace trace = random_stencil(40, 12);
  const ScheduleModel model(trace, no_overheads());
  const double path = model.bounds().critical_path;
  for (const int workers : {1, 2, 4, 8, 16, 32, 64}) {
    for (const ScheduleKind kind : kScheduleKinds) {
      const Prediction prediction = model.predict(kind, workers);
      EXPECT_GE(prediction.seconds, model.bounds().at(workers) * (1.0 - 1e-9)) << to_string(kind);
      EXPECT_LE(prediction.utilisation, 1.0 + 1e-9);
      EXPECT_GE(prediction.imbalance, 1.0);
    }
    EXPECT_LE(model.predict(ScheduleKind::kDataflow, workers).seconds,
              (model.bounds().work / workers + path * (1.0 - 1.0 / workers)) * (1.0 + 1e-9));
  }
}

TEST(ScheduleModel, GivenTwiceTheWorkersThenNoScheduleIsMuchSlower) {
  // More workers may lose a little (Graham's anomalies), never much.
  const amr::Trace trace = random_stencil(64, 10);
  const ScheduleModel model(trace, no_overheads());
  for (const ScheduleKind kind : kScheduleKinds) {
    double before = model.predict(kind, 1).seconds;
    for (int workers = 2; workers <= 256; workers *= 2) {
      const double seconds = model.predict(kind, workers).seconds;
      EXPECT_LE(seconds, 1.05 * before) << to_string(kind) << ' ' << workers;
      before = seconds;
    }
  }
}

TEST(ScheduleModel, GivenTheSameSeedThenThePredictionIsTheSame) {
  const amr::Trace trace = random_stencil(50, 20);
  for (const ScheduleKind kind : kScheduleKinds) {
    const Prediction first = ScheduleModel(trace, Overheads(), 7).predict(kind, 13);
    const Prediction second = ScheduleModel(trace, Overheads(), 7).predict(kind, 13);
    EXPECT_EQ(first.seconds, second.seconds);
    EXPECT_EQ(first.steals, second.steals);
    EXPECT_EQ(first.imbalance, second.imbalance);
  }
}

// --- schedules by hand ---------------------------------------------------------------------------

TEST(DataflowModel, GivenIndependentPiecesThenTheIdleWorkerStealsTheOldest) {
  // Homes: patches 0 and 1 with worker 0, 2 and 3 with worker 1.
  //   worker 0: 0 0 0 0
  //   worker 1: 2 3 1
  const amr::Trace trace = TraceBuilder(4).step({4.0, 1.0, 1.0, 1.0}).trace();
  const Prediction prediction = predict(trace, ScheduleKind::kDataflow, 2);
  EXPECT_NEAR(microseconds(prediction), 4.0, 1e-6);
  EXPECT_EQ(prediction.steals, 1u);
  EXPECT_DOUBLE_EQ(prediction.imbalance, 3.0 / 2.0);
  EXPECT_NEAR(prediction.utilisation, 7.0 / 8.0, 1e-9);
}

TEST(DataflowModel, GivenOverheadsThenPiecesAndStealsArePaid) {
  // Worker 0: piece 0 until 0.1 + 9. Worker 1: 2 and 3 until 2.2, and after the steal 1, of 0.1
  // + 2.
  const amr::Trace trace = TraceBuilder(4).step({9.0, 2.0, 1.0, 1.0}).trace();
  Overheads overheads = no_overheads();
  overheads.piece[0].ns = 100.0;
  overheads.steal.ns = 3000.0;
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kDataflow, 2, overheads)), 9.1, 1e-6);
  overheads.steal.ns = 8000.0;
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kDataflow, 2, overheads)),
              2.2 + 8.0 + 0.1 + 2.0, 1e-6);
}

TEST(DataflowModel, GivenAStencilThenReadyPiecesGoHome) {
  //   worker 0: 0 0 0 0 0'1'     0' and 1' come when worker 1 has done 1, at 4; 1' waits for its
  //   worker 1: 2 3 3'1 2'       turn in worker 0's queue
  const amr::Trace trace =
      TraceBuilder(4).step({4.0, 1.0, 1.0, 1.0}).step({1.0, 1.0, 1.0, 1.0}).stencil().trace();
  const ScheduleModel model(trace, no_overheads());
  EXPECT_NEAR(model.bounds().critical_path, 5.0 * kMicrosecond, 1e-12);
  const Prediction prediction = model.predict(ScheduleKind::kDataflow, 2);
  EXPECT_NEAR(microseconds(prediction), 6.0, 1e-6);
  EXPECT_EQ(prediction.steals, 1u);
  // First step: 0 by worker 0, three by worker 1. Second step: two each.
  EXPECT_DOUBLE_EQ(prediction.imbalance, (3.0 + 2.0) / (2.0 + 2.0));
}

TEST(DataflowModel, GivenABlockThenOthersWaitForItsStateUntilItsLastTaskOfTheStep) {
  // Of 32 patches two workers have blocks of two. Patch 2 waits for patch 1, which has no last
  // piece, but whose block has one, of patch 0.
  //   worker 0: 0 1 0f 0f 0f 0f 0'1'
  //   worker 1:                 2'2'2'2'2'
  const amr::Trace trace = TraceBuilder(32)
                               .phase({0, 0, 0, amr::PieceKind::kAdvance}, 0, {1.0, 1.0})
                               .phase({0, 0, 0, amr::PieceKind::kFinish}, 0, {4.0})
                               .phase({1, 0, 1, amr::PieceKind::kAdvance}, 0, {1.0, 1.0, 5.0})
                               .edge(0, 2)
                               .edge(2, 3)
                               .edge(1, 4)
                               .edge(1, 5)
                               .trace();
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kDataflow, 2)), 2.0 + 4.0 + 5.0, 1e-6);
}

TEST(DataflowModel, GivenFinerPatchesThenTheyBeginWithinTheStepThatWaitsForThem) {
  // The finer patch F reads ghosts of patch 0, and takes two steps until patch 0 takes them over;
  // patch 2 waits for that.
  //   worker 0: 0 1            0f 0'1'
  //   worker 1:     F F F F'F'F'  2'2'2'2'2'
  const amr::Trace trace = TraceBuilder(32)
                               .finer_patch()
                               .phase({0, 0, 0, amr::PieceKind::kAdvance}, 0, {1.0, 1.0})
                               .phase({0, 1, 0, amr::PieceKind::kAdvance}, 32, {3.0})
                               .phase({0, 1, 1, amr::PieceKind::kAdvance}, 32, {3.0})
                               .phase({0, 0, 0, amr::PieceKind::kFinish}, 0, {1.0})
                               .phase({1, 0, 1, amr::PieceKind::kAdvance}, 0, {1.0, 1.0, 5.0})
                               .edge(0, 2)
                               .edge(2, 3)
                               .edge(0, 4)
                               .edge(3, 4)
                               .edge(4, 5)
                               .edge(1, 6)
                               .edge(1, 7)
                               .trace();
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kDataflow, 2)), 2.0 + 6.0 + 1.0 + 5.0,
              1e-6);
}

TEST(LevelModel, GivenAPhaseThenEachHasAPartAndWhoIsDoneStealsOfTheOthers) {
  //   worker 0: 0 0 0 0
  //   worker 1: 2 3 1 1 1 1    has stolen patch 1
  const amr::Trace trace = TraceBuilder(4).step({4.0, 4.0, 1.0, 1.0}).trace();
  const Prediction prediction = predict(trace, ScheduleKind::kLevel, 2);
  EXPECT_NEAR(microseconds(prediction), 6.0, 1e-6);
  EXPECT_EQ(prediction.steals, 1u);
  EXPECT_DOUBLE_EQ(prediction.imbalance, 1.5);
}

TEST(LevelModel, GivenOverheadsThenEachPhaseEndsWithItsOwn) {
  const amr::Trace trace =
      TraceBuilder(4).step({4.0, 4.0, 1.0, 1.0}).step({4.0, 4.0, 1.0, 1.0}).trace();
  Overheads overheads = no_overheads();
  overheads.steal.ns = 500.0;
  overheads.phase[1].ns = 200.0;
  overheads.piece[1].ns = 10.0;
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kLevel, 2, overheads)),
              2.0 * (1.0 + 1.0 + 0.5 + 4.0 + 0.03 + 0.2), 1e-6);
}

TEST(LevelModel, GivenAPhaseThenNobodyBeginsTheNextBeforeItsEnd) {
  const amr::Trace trace = TraceBuilder(2).step({5.0, 1.0}).step({1.0, 5.0}).trace();
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kLevel, 2)), 10.0, 1e-6);
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kDataflow, 2)), 6.0, 1e-6);
}

TEST(StaticModel, GivenStripsThenAPatchBelongsToThatOfItsCentre) {
  // Centres at 1/8, 3/8, 5/8, 7/8 of the height; of three strips the middle one has two.
  const amr::Trace trace = TraceBuilder(4).step({4.0, 1.0, 1.5, 1.0}).trace();
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kStatic, 2)), 5.0, 1e-6);
  const Prediction three = predict(trace, ScheduleKind::kStatic, 3);
  EXPECT_NEAR(microseconds(three), 4.0, 1e-6);
  EXPECT_DOUBLE_EQ(three.imbalance, 2.0 / (4.0 / 3.0));
  EXPECT_EQ(three.steals, 0u);
}

TEST(StaticModel, GivenAFinerLevelThenItsStripsAreThoseOfTheDomain) {
  // Four of eight rows of the finer level, from its fourth to its seventh: one below the middle.
  TraceBuilder builder(4);
  builder.step({1.0, 1.0, 1.0, 1.0});
  amr::Trace trace = builder.trace();
  trace.levels = 2;
  amr::TracePhase finer{0, 1, 0, amr::PieceKind::kAdvance, 4, 8};
  for (int j = 3; j < 7; ++j) {
    const std::int64_t begin = trace.end_ns;
    const auto patch = static_cast<std::uint32_t>(trace.patches.size());
    trace.patches.push_back({{1, 0, j}});
    trace.pieces.push_back({begin, trace.end_ns += 3000, patch, 1, 0});
    trace.successors_begin.push_back(0);
  }
  trace.phases.push_back(finer);
  trace.windows[0].end_phase = 2;
  trace.windows[0].end_patch = 8;
  trace.windows[0].end_ns = trace.end_ns;
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kStatic, 2)), 2.0 + 3 * 3.0, 1e-6);
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kOpenMp, 2)), 2.0 + 2 * 3.0, 1e-6);
  EXPECT_DOUBLE_EQ(predict(trace, ScheduleKind::kStatic, 2).imbalance, 5.0 / 4.0);
}

TEST(OpenMpModel, GivenALevelThenTheFirstGetOneMore) {
  const amr::Trace trace = TraceBuilder(5).step({1.0, 1.0, 1.5, 1.0, 7.0}).trace();
  // 0 1 2 | 3 4
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kOpenMp, 2)), 8.0, 1e-6);
  // 0 1 | 2 3 | 4
  const Prediction three = predict(trace, ScheduleKind::kOpenMp, 3);
  EXPECT_NEAR(microseconds(three), 7.0, 1e-6);
  EXPECT_DOUBLE_EQ(three.imbalance, 2.0 / (5.0 / 3.0));
  EXPECT_NEAR(microseconds(predict(trace, ScheduleKind::kOpenMp, 9)), 7.0, 1e-6);
}

TEST(StaticModel, GivenOverheadsThenTheBarrierGrowsWithTheDoublingsOfTheWorkers) {
  const amr::Trace trace = TraceBuilder(4).step({1.0, 1.0, 1.0, 1.0}).trace();
  Overheads overheads = no_overheads();
  overheads.piece[2].ns = overheads.piece[3].ns = 100.0;
  overheads.phase[2].ns = overheads.phase[3].ns = 10.0;
  overheads.barrier.ns = 2000.0;
  for (const ScheduleKind kind : {ScheduleKind::kStatic, ScheduleKind::kOpenMp}) {
    EXPECT_NEAR(microseconds(predict(trace, kind, 1, overheads)), 4 * 1.1 + 0.01, 1e-6);
    EXPECT_NEAR(microseconds(predict(trace, kind, 2, overheads)), 2 * 1.1 + 2.01, 1e-6);
    EXPECT_NEAR(microseconds(predict(trace, kind, 4, overheads)), 1.1 + 4.01, 1e-6);
  }
}

TEST(StaticModel, GivenAPatchWithoutAPieceThenItIsPassedOverAtNoCost) {
  const amr::Trace trace = TraceBuilder(4)
                               .step({1.0, 1.0, 1.0, 1.0})
                               .phase({0, 0, 0, amr::PieceKind::kFinish}, 1, {2.0})
                               .trace();
  Overheads overheads = no_overheads();
  overheads.piece[2].ns = overheads.piece[3].ns = 100.0;
  for (const ScheduleKind kind : {ScheduleKind::kStatic, ScheduleKind::kOpenMp}) {
    EXPECT_NEAR(microseconds(predict(trace, kind, 1, overheads)), 4 * 1.1 + 2.1, 1e-6);
  }
}

// --- overheads from the trace --------------------------------------------------------------------

TEST(Overheads, GivenADataflowTraceThenTheGapsArePiecesOverhead) {
  const amr::Trace trace =
      TraceBuilder(3).step({1.0, 1.0, 1.0}, 0.3).step({1.0, 1.0, 1.0}, 0.3).trace();
  const Overheads overheads = estimate_overheads(trace);
  EXPECT_NEAR(overheads.piece_of(ScheduleKind::kDataflow).ns, 300.0, 1e-9);
  EXPECT_TRUE(overheads.piece_of(ScheduleKind::kDataflow).measured);
  EXPECT_FALSE(overheads.piece_of(ScheduleKind::kStatic).measured);
  EXPECT_FALSE(overheads.steal.measured);
  EXPECT_FALSE(overheads.barrier.measured);
}

TEST(Overheads, GivenAPauseOfTheSystemThenItIsNoOverhead) {
  TraceBuilder builder(1);
  for (int step = 0; step < 400; ++step) builder.step({1.0}, step == 200 ? 5000.0 : 0.2);
  EXPECT_NEAR(estimate_overheads(builder.trace()).piece_of(ScheduleKind::kDataflow).ns, 200.0,
              1e-6);
}

TEST(Overheads, GivenPhasesThenTheirGapsAreTheirOwn) {
  amr::Trace trace = TraceBuilder(3).step({1.0, 1.0, 1.0}, 0.2).step({1.0, 1.0, 1.0}, 0.2).trace();
  trace.schedule = "level";
  for (std::size_t piece = 3; piece < 6; ++piece) {
    trace.pieces[piece].begin_ns += 9000;
    trace.pieces[piece].end_ns += 9000;
  }
  const Overheads overheads = estimate_overheads(trace);
  EXPECT_NEAR(overheads.piece_of(ScheduleKind::kLevel).ns, 200.0, 1e-9);
  EXPECT_NEAR(overheads.phase_of(ScheduleKind::kLevel).ns, 9000.0, 1e-9);
  EXPECT_FALSE(overheads.piece_of(ScheduleKind::kDataflow).measured);
  trace.backend = "pthread";
  trace.workers = 4;
  const Overheads strips = estimate_overheads(trace);
  EXPECT_NEAR(strips.barrier.ns, (9000.0 - strips.phase_of(ScheduleKind::kStatic).ns) / 2.0, 1e-9);
}

TEST(Overheads, GivenAStolenPieceThenItsDelayIsTheStealsOverhead) {
  // Worker 1 has done nothing since 1 us; what it steals is ready at 2 us and begins at 2.7 us.
  amr::Trace trace = TraceBuilder(2).step({1.0, 1.0}).step({1.0, 1.0}).edge(0, 2).trace();
  const auto set = [&](std::size_t piece, std::int64_t begin, std::int64_t end, int worker) {
    trace.pieces[piece].begin_ns = begin;
    trace.pieces[piece].end_ns = end;
    trace.pieces[piece].worker = worker;
  };
  set(0, 0, 2000, 0);
  set(1, 0, 1000, 1);
  set(2, 2700, 3700, 1);
  set(3, 2100, 3100, 0);
  trace.pieces[2].steals = 1;
  const Overheads overheads = estimate_overheads(trace);
  EXPECT_NEAR(overheads.steal.ns, 700.0, 1e-9);
  EXPECT_NEAR(overheads.piece_of(ScheduleKind::kDataflow).ns, 100.0, 1e-9);
}

TEST(Overheads, GivenABlockThatOthersWaitForThenThatIsNoOverhead) {
  // Worker 1 waits from 1 us on for patch 0's last piece, whose block patch 1 is in, until 6 us.
  amr::Trace trace = TraceBuilder(32)
                         .phase({0, 0, 0, amr::PieceKind::kAdvance}, 0, {1.0, 1.0, 1.0})
                         .phase({0, 0, 0, amr::PieceKind::kFinish}, 0, {4.0})
                         .phase({1, 0, 1, amr::PieceKind::kAdvance}, 2, {5.0})
                         .edge(0, 3)
                         .edge(1, 4)
                         .edge(2, 4)
                         .trace();
  trace.workers = 2;
  const auto set = [&](std::size_t piece, std::int64_t begin, std::int64_t end, int worker) {
    trace.pieces[piece].begin_ns = begin;
    trace.pieces[piece].end_ns = end;
    trace.pieces[piece].worker = worker;
  };
  set(0, 0, 1000, 0);
  set(1, 1200, 2000, 0);
  set(2, 0, 2100, 1);
  set(3, 2200, 6000, 0);
  set(4, 6300, 8000, 1);
  EXPECT_NEAR(estimate_overheads(trace).piece_of(ScheduleKind::kDataflow).ns, 200.0, 1e-9);
}

TEST(Overheads, GivenItsOwnGapsThenOneWorkerTakesWhatWasRecorded) {
  TraceBuilder builder(8);
  for (int step = 0; step < 5; ++step) builder.step(random_costs(8, 5), 0.25);
  const amr::Trace trace = builder.stencil().trace();
  const ScheduleModel model(trace, estimate_overheads(trace));
  EXPECT_NEAR(model.predict(ScheduleKind::kDataflow, 1).seconds,
              1e-9 * static_cast<double>(trace.end_ns), 1e-12);
}

// --- what several workers cost each other --------------------------------------------------------

TEST(PieceTimes, GivenTracesOfOneAndOfTwoThenTheDifferenceIsPaidBesideOthersOnly) {
  // Alone a piece takes 1 us and 0.25 us until the next one, beside a second worker 1.2 and 0.35.
  const amr::Trace alone = TraceBuilder(2).step({1.0, 1.0}, 0.25).step({1.0, 1.0}, 0.25).trace();
  amr::Trace several = TraceBuilder(2).step({1.2, 1.2}, 0.35).step({1.2, 1.2}, 0.35).trace();
  several.workers = 2;
  Overheads overheads = estimate_overheads(alone);
  const PieceTimes times = compare_pieces(alone, several, overheads);
  EXPECT_EQ(times.kind, ScheduleKind::kDataflow);
  EXPECT_NEAR(times.alone_ns, 1250.0, 1e-9);
  EXPECT_NEAR(times.beside_ns, 1550.0, 1e-9);
  EXPECT_NEAR(overheads.beside_of(ScheduleKind::kDataflow).ns, 300.0, 1e-9);
  EXPECT_TRUE(overheads.beside_of(ScheduleKind::kDataflow).measured);
  EXPECT_FALSE(overheads.beside_of(ScheduleKind::kOpenMp).measured);
  EXPECT_NEAR(microseconds(predict(alone, ScheduleKind::kDataflow, 1, overheads)), 4 * 1.25, 1e-6);
  EXPECT_NEAR(microseconds(predict(alone, ScheduleKind::kDataflow, 2, overheads)), 2 * 1.55, 1e-6);
  // In the pieces of the other trace it is already; 0.1 us are what it took before the first one.
  EXPECT_NEAR(microseconds(predict(several, ScheduleKind::kDataflow, 2, overheads)),
              0.1 + 2 * (1.2 + 0.25), 1e-6);
}

TEST(PieceTimes, GivenTracesThatDoNotCompareThenTheyAreRefused) {
  const amr::Trace alone = TraceBuilder(2).step({1.0, 1.0}).trace();
  amr::Trace several = alone;
  Overheads overheads;
  EXPECT_THROW(compare_pieces(alone, several, overheads), std::invalid_argument);
  several.workers = 2;
  EXPECT_NO_THROW(compare_pieces(alone, several, overheads));
  EXPECT_THROW(compare_pieces(several, several, overheads), std::invalid_argument);
  several.windows.front().first_step = 1;
  EXPECT_THROW(compare_pieces(alone, several, overheads), std::invalid_argument);
}

TEST(Overheads, GivenAPieceThatTookFarTooLongThenItsShareIsDisturbed) {
  std::vector<double> costs(50, 2.0);
  EXPECT_EQ(disturbed_share(TraceBuilder(50).step(costs).trace()), 0.0);
  costs[7] = 100.0;
  EXPECT_NEAR(disturbed_share(TraceBuilder(50).step(costs).trace()), 100.0 / (49 * 2.0 + 100.0),
              1e-9);
}

// --- wrong input ---------------------------------------------------------------------------------

TEST(ScheduleModel, GivenNothingToReplayThenItSaysSo) {
  EXPECT_THROW(ScheduleModel(amr::Trace(), Overheads()), std::invalid_argument);
}

TEST(ScheduleModel, GivenImpossibleWorkersThenTheyAreRefused) {
  const amr::Trace trace = TraceBuilder(1).step({1.0}).trace();
  const ScheduleModel model(trace, Overheads());
  EXPECT_THROW(model.predict(ScheduleKind::kLevel, 0), std::invalid_argument);
  EXPECT_THROW(model.predict(ScheduleKind::kLevel, ScheduleModel::kMostWorkers + 1),
               std::invalid_argument);
}

TEST(ScheduleKind, GivenAKindThenItHasItsName) {
  EXPECT_EQ(to_string(ScheduleKind::kDataflow), "dataflow");
  EXPECT_EQ(to_string(ScheduleKind::kOpenMp), "openmp");
}

}  // namespace
}  // namespace kumiko::model
