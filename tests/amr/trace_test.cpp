// Contract: whoever steps in whichever order, a trace has the same pieces and edges, says of each
// piece who did it when, and agrees with the run's books; times respect the edges. What the run
// does between windows is there too. A trace that contradicts itself is found out.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>

#include "trace_runs.hpp"

namespace kumiko::amr {
namespace {

using test::run_options;
using test::Scheme;
using test::TracedRun;
using test::Way;

/// Readings of different cores' clocks may be a little apart.
constexpr std::int64_t kClocks_ns = 2000;

const Scheme kLinear = {"Linear", "semi_lagrangian_cubic", TimeInterpolation::kLinear};
const Way kDataflow = {"threads", 2, Schedule::kDataflow};

class EveryWayTraced : public ::testing::TestWithParam<Way> {
 protected:
  static bool is_dataflow() { return GetParam().schedule == Schedule::kDataflow; }
};

TEST_P(EveryWayTraced, GivenARunThenPiecesAndEdgesAreThoseOfTheSerialOne) {
  for (const Scheme& scheme : test::traced_schemes()) {
    const Trace one = TracedRun({"serial", 1, Schedule::kLevel}, scheme).trace();
    const Trace other = TracedRun(GetParam(), scheme).trace();
    EXPECT_EQ(other.patches, one.patches);
    ASSERT_EQ(other.phases.size(), one.phases.size());
    for (std::size_t at = 0; at < one.phases.size(); ++at) {
      const auto key = [&](const Trace& trace) {
        const TracePhase& phase = trace.phases[at];
        return std::tuple(phase.base_step, phase.level, phase.number, phase.kind, phase.end_piece);
      };
      ASSERT_EQ(key(other), key(one));
    }
    ASSERT_EQ(other.pieces.size(), one.pieces.size());
    for (std::size_t at = 0; at < one.pieces.size(); ++at) {
      ASSERT_EQ(other.pieces[at].patch, one.pieces[at].patch);
    }
    EXPECT_EQ(other.successors_begin, one.successors_begin);
    EXPECT_EQ(other.successors, one.successors);
  }
}

TEST_P(EveryWayTraced, GivenEverySchemeThenNoPieceBeginsBeforeWhatItWaitsForHasEnded) {
  for (const Scheme& scheme : test::traced_schemes()) {
    const Trace trace = TracedRun(GetParam(), scheme).trace();
    for (std::uint32_t piece = 0; piece < trace.pieces.size(); ++piece) {
      for (const std::uint32_t later : trace.successors_of(piece)) {
        ASSERT_LE(trace.pieces[piece].end_ns, trace.pieces[later].begin_ns + kClocks_ns)
            << scheme.name;
      }
    }
  }
}

TEST_P(EveryWayTraced, GivenAWorkerThenItsPiecesDoNotOverlap) {
  const Trace trace = TracedRun(GetParam(), kLinear).trace();
  std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> by_worker;
  for (const TracePiece& piece : trace.pieces) {
    by_worker[piece.worker].emplace_back(piece.begin_ns, piece.end_ns);
  }
  for (auto& [worker, pieces] : by_worker) {
    std::sort(pieces.begin(), pieces.end());
    for (std::size_t at = 1; at < pieces.size(); ++at) {
      // A lightweight thread may have gone on at once; the clock may not have ticked.
      ASSERT_GE(pieces[at].first, pieces[at - 1].second) << "worker " << worker;
    }
  }
}

TEST_P(EveryWayTraced, GivenTheBooksThenTheTraceAgrees) {
  TracedRun run(GetParam(), kLinear);
  const Trace trace = run.trace();
  std::vector<double> seconds(static_cast<std::size_t>(trace.workers));
  std::map<int, std::uint64_t> updates;
  for (const TracePiece& piece : trace.pieces) {
    const TracePhase& phase = trace.phases[piece.phase];
    seconds[static_cast<std::size_t>(piece.worker)] +=
        static_cast<double>(piece.end_ns - piece.begin_ns) * 1e-9;
    if (phase.kind == PieceKind::kAdvance) updates[phase.base_step] += kPatchPoints;
  }
  std::vector<double> busy(seconds.size());
  for (const BaseStepLoad& step : run.simulation().recent_steps()) {
    std::uint64_t counted = 0;
    for (std::size_t worker = 0; worker < busy.size(); ++worker) {
      if (step.step >= 2) busy[worker] += step.workers[worker].busy_s;
      counted += step.workers[worker].updates;
    }
    if (step.step >= 2) {
      EXPECT_EQ(updates[step.step], counted) << step.step;
    }
  }
  EXPECT_EQ(updates.size(), 7u);
  for (std::size_t worker = 0; worker < busy.size(); ++worker) {
    // Phases of level-synchronous stepping are also called for patches that need none of it.
    EXPECT_LE(seconds[worker], 1.001 * busy[worker]);
    if (is_dataflow()) {
      EXPECT_NEAR(seconds[worker], busy[worker], 1e-3 * busy[worker]);
    }
  }
}

TEST_P(EveryWayTraced, GivenAWaitThenItsCauseFitsWhatWasAwaited) {
  const Trace trace = TracedRun(GetParam(), kLinear).trace();
  const auto predecessors = test::predecessors_of(trace);
  std::size_t waits = 0;
  for (std::uint32_t at = 0; at < trace.pieces.size(); ++at) {
    const TracePiece& piece = trace.pieces[at];
    if (piece.awaited == kNoPiece) continue;
    ++waits;
    const PatchId& own = trace.patches[piece.patch];
    const PatchId& other = trace.patches[trace.pieces[piece.awaited].patch];
    if (!is_dataflow()) {
      EXPECT_EQ(piece.cause, WaitCause::kLevel);
      EXPECT_EQ(trace.pieces[piece.awaited].phase + 1, piece.phase);
      EXPECT_NE(trace.pieces[piece.awaited].worker, piece.worker);
      continue;
    }
    EXPECT_THAT(predecessors[at], ::testing::Contains(piece.awaited));
    switch (piece.cause) {
      case WaitCause::kSibling:
        EXPECT_TRUE(other.level == own.level && std::abs(other.i - own.i) <= 1 &&
                    std::abs(other.j - own.j) <= 1);
        break;
      case WaitCause::kCoarser:
        EXPECT_EQ(other.level, own.level - 1);
        break;
      case WaitCause::kParent:
        EXPECT_EQ(other, own.parent());
        break;
      case WaitCause::kChild:
        EXPECT_EQ(other.level, own.level + 1);
        break;
      case WaitCause::kLevel:
        ADD_FAILURE();
    }
  }
  if (is_dataflow()) {
    EXPECT_GT(waits, 0u);
  } else if (GetParam().workers == 1) {
    EXPECT_EQ(waits, 0u);
  }
}

TEST_P(EveryWayTraced, GivenDataflowThenABlocksPiecesOfAPhaseAreOneWorkers) {
  const Trace trace = TracedRun(GetParam(), kLinear).trace();
  if (!is_dataflow()) {
    EXPECT_TRUE(trace.blocks.empty());
    return;
  }
  ASSERT_EQ(trace.blocks.size(), trace.patches.size());
  for (std::size_t phase = 0; phase < trace.phases.size(); ++phase) {
    std::map<std::int32_t, std::int32_t> workers;
    std::int32_t latest = 0;
    for (auto at = trace.phases[phase].first_piece; at < trace.phases[phase].end_piece; ++at) {
      const std::int32_t block = trace.blocks[trace.pieces[at].patch];
      EXPECT_GE(block, latest) << "patches of a block follow one another";
      latest = block;
      const auto known = workers.emplace(block, trace.pieces[at].worker).first;
      EXPECT_EQ(known->second, trace.pieces[at].worker) << "phase " << phase << " block " << block;
    }
  }
}

TEST_P(EveryWayTraced, GivenRegridsAndPausesThenTheyAreSpansBetweenTheWindows) {
  TracedRun run(GetParam(), kLinear);
  const Trace trace = run.trace();
  std::vector<std::pair<std::string, int>> spans;
  for (const TraceSpan& span : trace.spans) {
    spans.emplace_back(span.what, span.base_step);
    EXPECT_LE(span.loops_ns, span.end_ns - span.begin_ns);
    EXPECT_EQ(span.loops_ns > 0, span.what != "output");
    for (const TraceWindow& window : trace.windows) {
      EXPECT_TRUE(span.end_ns <= window.begin_ns || span.begin_ns >= window.end_ns);
    }
  }
  const std::vector<std::pair<std::string, int>> expected = {
      {"regrid", 3}, {"output", 5}, {"check", 5}, {"regrid", 6}};
  EXPECT_EQ(spans, expected);
}

TEST_P(EveryWayTraced, GivenARunThenThePiecesSayWhatTheSchedulerKnows) {
  const Trace trace = TracedRun(GetParam(), kLinear).trace();
  const bool threads = GetParam().backend == "threads";
  EXPECT_EQ(trace.backend, GetParam().backend);
  EXPECT_EQ(trace.schedule, is_dataflow() ? "dataflow" : "level");
  EXPECT_EQ(trace.workers, GetParam().workers);
  std::int32_t most = -1;
  for (const TracePiece& piece : trace.pieces) {
    EXPECT_EQ(piece.runnable >= 0, threads);
    EXPECT_EQ(piece.io_in_flight, threads ? 0 : -1);
    EXPECT_TRUE(GetParam().workers > 1 || piece.steals == 0);
    most = std::max(most, piece.runnable);
  }
  EXPECT_EQ(most > 0, threads);
}

INSTANTIATE_TEST_SUITE_P(With, EveryWayTraced, ::testing::ValuesIn(test::traced_ways()),
                         ::testing::PrintToStringParamName());

TEST(Trace, GivenTooLittleRoomThenItEndsWithTheWindowBeforeAndTheRunGoesOn) {
  const Trace whole = TracedRun(kDataflow, kLinear).trace();
  TracedRun run(kDataflow, kLinear);
  run.simulation().advance(2);
  run.simulation().start_trace(whole.pieces.size() * 60);
  run.simulation().advance(3);
  run.simulation().advance(4);
  EXPECT_TRUE(run.simulation().trace_is_full());
  const Trace trace = run.simulation().stop_trace();
  check(trace);
  ASSERT_FALSE(trace.windows.empty());
  EXPECT_LT(trace.windows.size(), whole.windows.size());
  TracedRun untraced(kDataflow, kLinear);
  untraced.simulation().advance(9);
  EXPECT_EQ(state_hash(run.simulation().hierarchy()),
            state_hash(untraced.simulation().hierarchy()));
}

TEST(Trace, GivenATraceThatWasTakenThenTheNextIsNewAndWithoutOneItIsEmpty) {
  TracedRun run(kDataflow, kLinear);
  EXPECT_TRUE(run.simulation().stop_trace().pieces.empty());
  const Trace first = run.trace();
  run.simulation().advance(1);
  run.simulation().start_trace();
  run.simulation().advance(1);
  const Trace second = run.simulation().stop_trace();
  check(second);
  ASSERT_EQ(second.windows.size(), 1u);
  EXPECT_EQ(second.windows.front().first_step, 10);
  EXPECT_TRUE(run.simulation().stop_trace().pieces.empty());
}

TEST(Trace, GivenATraceThenTheRunUsesAsMuchMemoryAsWithoutOne) {
  for (const Schedule schedule : {Schedule::kDataflow, Schedule::kLevel}) {
    TracedRun traced({"threads", 2, schedule}, kLinear);
    traced.trace();
    TracedRun untraced({"threads", 2, schedule}, kLinear);
    untraced.simulation().advance(9);
    const MemoryUse without = untraced.simulation().memory_use();
    // An untraced run keeps the largest graph that it has had.
    EXPECT_NEAR(static_cast<double>(traced.simulation().memory_use().metadata_bytes),
                static_cast<double>(without.metadata_bytes),
                0.2 * static_cast<double>(without.metadata_bytes));
  }
}

/// A flow whose velocity is a function of time, and which looks in on whoever asks for it.
struct WatchedCase : test::FunctionCase {
  std::function<double(Points, double)> speed;

  WatchedCase() {
    steady = false;
    u = [](double x, double y) { return std::hypot(x - 0.5, y - 0.5) < 0.2 ? 1.0 : 0.0; };
  }
  void velocity(Points points, double time, Vectors velocity) const override {
    const double now = speed(points, time);
    for (std::size_t at = 0; at < points.size(); ++at) {
      velocity.x[at] = now;
      velocity.y[at] = 0.0;
    }
  }
};

TEST(Trace, GivenARunThatFailsThenTheTraceHasTheWindowsBefore) {
  WatchedCase problem;
  problem.speed = [](Points, double time) { return time < 0.045 ? 0.1 : 1e3; };
  const auto solver = test::cubic_solver();
  const auto backend = make_backend("threads", 2);
  SimulationOptions options = run_options(64, 2, 100);
  options.refinement.interval = 2;
  Simulation simulation(problem, *solver, *backend, options);
  simulation.start_trace();
  EXPECT_THROW(simulation.advance(20), CflError);
  const Trace trace = simulation.stop_trace();
  check(trace);
  EXPECT_EQ(trace.windows.size(), 2u);
}

TEST(Activity, GivenAWorkerAtAPieceThenAnotherThreadSeesWhichAndAfterwardsThatItIsIdle) {
  WatchedCase problem;
  const Simulation* watched = nullptr;
  std::size_t seen = 0;
  problem.speed = [&](Points points, double time) {
    if (watched == nullptr) return 0.1;
    std::vector<WorkerActivity> activity;
    std::thread([&] { activity = watched->activity(); }).join();
    EXPECT_EQ(activity.size(), 1u);
    EXPECT_TRUE(activity[0].is_busy);
    EXPECT_EQ(activity[0].kind, PieceKind::kAdvance);
    EXPECT_EQ(activity[0].base_step, static_cast<int>(std::floor(time * 100.0 + 1e-9)));
    const double width = 0.25 / (1 << activity[0].patch.level);  // of a patch, on 64 points
    const auto is_of = [&](double coordinate, int place) {
      // A quarter for the ghosts.
      return coordinate > (place - 0.25) * width && coordinate < (place + 1.25) * width;
    };
    for (std::size_t at = 0; at < points.size(); ++at) {
      EXPECT_TRUE(is_of(points.x[at], activity[0].patch.i));
      EXPECT_TRUE(is_of(points.y[at], activity[0].patch.j));
    }
    EXPECT_LT(activity[0].seconds, 10.0);
    ++seen;
    return 0.1;
  };
  const auto solver = test::cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = run_options(64, 2, 100);
  options.refinement.interval = 9;
  Simulation simulation(problem, *solver, *backend, options);
  EXPECT_FALSE(simulation.activity()[0].is_busy);
  watched = &simulation;
  simulation.advance(2);
  EXPECT_GE(seen, simulation.counters().updates() / kPatchPoints);
  EXPECT_FALSE(simulation.activity()[0].is_busy);
}

TEST(Activity, GivenARunOnSeveralWorkersThenWhatIsSeenAtAnyTimeBelongsTogether) {
  TracedRun run({"threads", 3, Schedule::kDataflow}, kLinear);
  std::atomic<bool> ends = false;
  std::thread watcher([&] {
    while (!ends.load()) {
      for (const WorkerActivity& worker : run.simulation().activity()) {
        ASSERT_GE(worker.seconds, 0.0);
        if (!worker.is_busy) continue;
        ASSERT_LT(worker.base_step, 12);
        ASSERT_LT(worker.patch.level, 3);
        ASSERT_LT(worker.patch.i, 4 << worker.patch.level);
        ASSERT_LT(worker.patch.j, 4 << worker.patch.level);
        // Of the finest level there is nothing to blend or finish.
        ASSERT_TRUE(worker.patch.level < 2 || worker.kind == PieceKind::kAdvance);
      }
    }
  });
  run.simulation().advance(12);
  ends.store(true);
  watcher.join();
}

TEST(TraceCheck, GivenATraceThatContradictsItselfThenItIsRefused) {
  const Trace whole = TracedRun(kDataflow, kLinear).trace();
  const std::vector<std::pair<const char*, std::function<void(Trace&)>>> faults = {
      {"worker", [](Trace& trace) { trace.pieces[7].worker = 2; }},
      {"worker", [](Trace& trace) { trace.pieces[7].worker = -1; }},
      {"workers", [](Trace& trace) { trace.workers = 0; }},
      {"piece 7", [](Trace& trace) { trace.pieces[7].end_ns = trace.pieces[7].begin_ns - 1; }},
      {"piece 7", [](Trace& trace) { trace.pieces[7].begin_ns = -1; }},
      {"piece 7", [](Trace& trace) { trace.pieces[7].awaited = 7; }},
      {"piece 7", [](Trace& trace) { trace.pieces[7].patch = 1U << 30U; }},
      {"piece 7", [](Trace& trace) { trace.pieces[7].phase = 1U << 30U; }},
      {"phase 1", [](Trace& trace) { trace.phases[1].level = 3; }},
      {"phase 1", [](Trace& trace) { ++trace.phases[1].first_piece; }},
      {"phase", [](Trace& trace) { trace.phases.back().end_piece = 1U << 30U; }},
      {"window 1", [](Trace& trace) { trace.windows[1].begin_ns = 0; }},
      {"window", [](Trace& trace) { trace.windows.back().end_phase = 1U << 30U; }},
      {"belong", [](Trace& trace) { trace.windows.clear(); }},
      {"patch 3", [](Trace& trace) { trace.patches[3].level = -1; }},
      {"patch 3", [](Trace& trace) { trace.patches[3].j = -1; }},
      {"patch 3", [](Trace& trace) { trace.patches[3].i = 1 << 30; }},
      {"patch 3", [](Trace& trace) { trace.patches[3].j = std::numeric_limits<int>::max(); }},
      {"patch 3", [](Trace& trace) { trace.patches[3].rank = -2; }},
      {"patch 3", [](Trace& trace) { std::swap(trace.patches[2], trace.patches[3]); }},
      {"patch 3", [](Trace& trace) { trace.patches[3] = trace.patches[2]; }},
      {"patch",
       [](Trace& trace) {
         std::swap(trace.patches[0], trace.patches[trace.windows[0].end_patch - 1]);
       }},
      {"blocks", [](Trace& trace) { trace.blocks.pop_back(); }},
      {"patch 3", [](Trace& trace) { trace.blocks[3] = -1; }},
      {"points", [](Trace& trace) { trace.points_y = 0; }},
      {"points", [](Trace& trace) { trace.points_y = -16; }},
      {"points", [](Trace& trace) { trace.points_x += 1; }},
      {"levels", [](Trace& trace) { trace.levels = 1 << 20; }},
      {"base steps",
       [](Trace& trace) { trace.windows[0].steps = std::numeric_limits<int>::max(); }},
      {"piece 1", [](Trace& trace) { trace.pieces[1].patch = trace.pieces[0].patch; }},
      {"piece 1", [](Trace& trace) { std::swap(trace.pieces[0].patch, trace.pieces[1].patch); }},
      {"span 0", [](Trace& trace) { trace.spans[0].what = "<img>"; }},
      {"span 0", [](Trace& trace) { trace.spans[0].end_ns = trace.end_ns + 1; }},
      {"waited for", [](Trace& trace) { trace.successors[0] = 0; }},
      {"waited for", [](Trace& trace) { trace.successors[0] = 1U << 30U; }},
      {"edges", [](Trace& trace) { trace.successors.pop_back(); }},
      {"edges", [](Trace& trace) { trace.successors_begin[2] = ~std::uint64_t{0}; }},
      {"edges", [](Trace& trace) { trace.successors_begin.clear(); }}};
  for (std::size_t at = 0; at < faults.size(); ++at) {
    Trace broken = whole;
    faults[at].second(broken);
    try {
      check(broken);
      ADD_FAILURE() << "fault " << at << " was not found";
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(faults[at].first));
    }
  }
}

}  // namespace
}  // namespace kumiko::amr
