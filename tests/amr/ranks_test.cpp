// Contract: however many ranks share a mesh, a run has the bits of one: meshes, values, figures and
// what is saved.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <kumiko/amr/cluster_communicator.hpp>
#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/cluster/loopback.hpp>
#include <kumiko/plugin/registry.hpp>

#include "fixtures.hpp"
#include "loopback_ranks.hpp"

namespace kumiko::amr {
namespace {

/// A run, and how its ranks talk.
struct SharedWay {
  std::string solver;
  Schedule schedule = Schedule::kDataflow;
  TimeInterpolation interpolation = TimeInterpolation::kAuto;
  int ranks = 2;
  int workers = 1;
  std::uint64_t seed = 0;  ///< above 0: messages are late and overtake each other
  PartitionKind partition = PartitionKind::kDepthFirst;
  bool balance = true;
};

void PrintTo(const SharedWay& way, std::ostream* out) {
  *out << way.solver << (way.schedule == Schedule::kDataflow ? " by dataflow" : " by level") << ", "
       << way.ranks << " ranks of " << way.workers << ", seed " << way.seed << ", "
       << kPartitionNames[static_cast<std::size_t>(way.partition)]
       << (way.balance ? "" : ", unbalanced");
}

constexpr int kSharedSteps = 7;

SimulationOptions shared_options(const SharedWay& way) {
  SimulationOptions options = test::run_options(64, 3, 320);
  options.schedule = way.schedule;
  options.time_interpolation = way.interpolation;
  options.refinement.interval = 3;
  options.partition = way.partition;
  options.balance = way.balance;
  return options;
}

/// What a run is compared by.
struct SharedOutcome {
  std::string hash;
  FieldFigures field;
  ErrorNorms errors;
  std::vector<PatchId> mesh;
  int next_regrid = 0;
  SavedRun saved;
  MemoryUse memory;
  WorkCounters counters;
  std::vector<BaseStepLoad> steps;
};

std::size_t own_patches(const Simulation& simulation) {
  std::size_t patches = 0;
  for (int level = 0; level < simulation.hierarchy().used_levels(); ++level) {
    patches += simulation.hierarchy().level(level).own().size();
  }
  return patches;
}

/// Rank 0 takes the steps and asks; the others follow and have no outcome.
std::optional<SharedOutcome> shared_outcome(const SharedWay& way, Backend& backend,
                                            Communicator& communicator) {
  const auto problem = test::zalesak();
  const auto solver = plugin::find_solver(way.solver)->make({});
  Simulation simulation(*problem, *solver, backend, shared_options(way), communicator);
  if (communicator.rank() != 0) {
    while (simulation.follow()) {
    }
    EXPECT_EQ(simulation.step(), kSharedSteps);
    EXPECT_LT(own_patches(simulation), simulation.hierarchy().mesh().space_filling_order().size());
    return std::nullopt;
  }
  simulation.advance(4);
  simulation.advance(kSharedSteps - 4);
  simulation.check_finite();
  return SharedOutcome{simulation.state_hash(),
                       simulation.field_figures(),
                       simulation.error_norms().value(),
                       simulation.hierarchy().mesh().space_filling_order(),
                       simulation.next_regrid(),
                       simulation.save(),
                       simulation.memory_use(),
                       simulation.counters(),
                       {simulation.recent_steps().begin(), simulation.recent_steps().end()}};
}

SharedOutcome outcome_of_one(const SharedWay& way) {
  return *shared_outcome(way, *make_backend("threads", 1), single_rank());
}

void on_ranks(const SharedWay& way, const std::function<void(Backend&, Communicator&)>& ask) {
  test::on_loopback_ranks({way.ranks, way.workers, way.seed}, ask);
}

class SharedRun : public testing::TestWithParam<SharedWay> {};

TEST_P(SharedRun, ThenItHasTheBitsOfOne) {
  const SharedWay& way = GetParam();
  const SharedOutcome one = outcome_of_one(way);
  ASSERT_GT(one.mesh.size(), 40U);
  on_ranks(way, [&](Backend& backend, Communicator& communicator) {
    const auto own = shared_outcome(way, backend, communicator);
    if (!own) return;
    EXPECT_EQ(own->hash, one.hash);
    EXPECT_EQ(own->field.mass, one.field.mass);
    EXPECT_EQ(own->errors.rms, one.errors.rms);
    EXPECT_EQ(own->mesh, one.mesh);
    EXPECT_EQ(own->next_regrid, one.next_regrid);
    EXPECT_EQ(own->memory.points, one.memory.points);
    for (std::size_t level = 0; level < one.saved.levels.size(); ++level) {
      EXPECT_EQ(own->saved.levels[level].values, one.saved.levels[level].values);
      EXPECT_EQ(own->saved.levels[level].cfl, one.saved.levels[level].cfl);
    }
  });
}

TEST_P(SharedRun, ThenTheWorkOfAllIsCounted) {
  const SharedWay& way = GetParam();
  const SharedOutcome one = outcome_of_one(way);
  on_ranks(way, [&](Backend& backend, Communicator& communicator) {
    const auto own = shared_outcome(way, backend, communicator);
    if (!own) return;
    const WorkCounters& counters = own->counters;
    EXPECT_EQ(counters.workers.size(), static_cast<std::size_t>(way.ranks * way.workers));
    EXPECT_EQ(counters.updates_per_level, one.counters.updates_per_level);
    EXPECT_EQ(counters.total().updates, one.counters.updates());
    EXPECT_EQ(counters.regrids, one.counters.regrids);
    EXPECT_EQ(counters.sum_of_means * way.ranks * way.workers, one.counters.sum_of_means);
    EXPECT_LE(counters.longest_waits.size(), WorkCounters::kLongestWaits);
    ASSERT_EQ(own->steps.size(), one.steps.size());
    for (std::size_t step = 0; step < one.steps.size(); ++step) {
      std::uint64_t updates = 0;
      for (const WorkerLoad& load : own->steps[step].workers) updates += load.updates;
      EXPECT_EQ(updates, one.steps[step].workers.front().updates);
    }
  });
}

/// The trace of a short run, on rank 0.
std::optional<Trace> shared_trace(const SharedWay& way, Backend& backend,
                                  Communicator& communicator) {
  const auto problem = test::zalesak();
  const auto solver = plugin::find_solver(way.solver)->make({});
  Simulation simulation(*problem, *solver, backend, shared_options(way), communicator);
  if (communicator.rank() != 0) {
    while (simulation.follow()) {
    }
    return std::nullopt;
  }
  simulation.advance(2);
  simulation.start_trace();
  simulation.advance(kSharedSteps - 2);
  return simulation.stop_trace();
}

TEST(SharedRuns, GivenATraceThenItHasThePiecesOfAllWorkersAndTheEdgesOfOneProcess) {
  for (const SharedWay& way :
       {SharedWay{.solver = "semi_lagrangian_cubic", .ranks = 3, .workers = 2},
        SharedWay{.solver = "finite_volume_upwind3", .ranks = 2, .seed = 5},
        SharedWay{.solver = "semi_lagrangian_cubic", .schedule = Schedule::kLevel, .ranks = 2}}) {
    SCOPED_TRACE(testing::PrintToString(way));
    const auto one = *shared_trace(way, *make_backend("threads", 1), single_rank());
    ASSERT_GT(one.pieces.size(), 500U);
    for (const TracePatch& patch : one.patches) ASSERT_EQ(patch.rank, 0);
    on_ranks(way, [&](Backend& backend, Communicator& communicator) {
      const auto own = shared_trace(way, backend, communicator);
      if (!own) return;
      check(*own);
      EXPECT_EQ(own->workers, way.ranks * way.workers);
      EXPECT_EQ(own->patches, one.patches);
      EXPECT_EQ(own->successors, one.successors);
      ASSERT_EQ(own->pieces.size(), one.pieces.size());
      std::vector<std::size_t> of_ranks(static_cast<std::size_t>(way.ranks));
      for (std::uint32_t at = 0; at < own->pieces.size(); ++at) {
        const TracePiece& piece = own->pieces[at];
        EXPECT_EQ(piece.patch, one.pieces[at].patch);
        ASSERT_GE(piece.worker, 0);
        ++of_ranks.at(static_cast<std::size_t>(piece.worker / way.workers));
        EXPECT_EQ(own->patches[piece.patch].rank, piece.worker / way.workers);
        // The ranks are in one process, with one clock; a microsecond is what cores may differ by.
        for (const std::uint32_t next : own->successors_of(at)) {
          EXPECT_LE(piece.end_ns, own->pieces[next].begin_ns + 1000);
        }
      }
      for (const std::size_t pieces : of_ranks) EXPECT_GT(pieces, own->pieces.size() / 20);
    });
  }
}

TEST(SharedRuns, GivenARunSavedByThreeRanksThenTwoGoOnToTheBitsOfOne) {
  const SharedWay way{"semi_lagrangian_cubic"};
  const auto problem = test::zalesak();
  const auto solver = plugin::find_solver(way.solver)->make({});
  const SharedOutcome one = outcome_of_one(way);
  std::optional<SavedRun> saved;
  const SharedWay three{way.solver, Schedule::kLevel, TimeInterpolation::kAuto, 3};
  on_ranks(three, [&](Backend& backend, Communicator& communicator) {
    Simulation simulation(*problem, *solver, backend, shared_options(way), communicator);
    if (communicator.rank() == 0) {
      simulation.advance(5);
      saved = simulation.save_with_extras();
    }
    while (communicator.rank() != 0 && simulation.follow()) {
    }
  });
  on_ranks(way, [&](Backend& backend, Communicator& communicator) {
    Simulation simulation(*problem, *solver, backend, shared_options(way), *saved, communicator);
    if (communicator.rank() == 0) {
      simulation.advance(kSharedSteps - simulation.step());
      EXPECT_EQ(simulation.state_hash(), one.hash);
      EXPECT_EQ(simulation.next_regrid(), one.next_regrid);
    }
    while (communicator.rank() != 0 && simulation.follow()) {
    }
  });
}

TEST(SharedRuns, GivenOwnersWhoSaveTogetherThenEachHasTheRecordsOfItsRangeOnly) {
  const SharedWay way{
      "semi_lagrangian_cubic", Schedule::kDataflow, TimeInterpolation::kAuto, 3, 2, 9,
      PartitionKind::kRandom};
  const SavedRun one = outcome_of_one(way).saved;
  const auto ranges = record_ranges(one.mesh, way.ranks);
  const auto problem = test::zalesak();
  const auto solver = plugin::find_solver(way.solver)->make({});
  const auto check = [&](const SavedRecords& records, std::int32_t rank) {
    const std::vector<PatchRange>& own = ranges[static_cast<std::size_t>(rank)];
    ASSERT_EQ(records.ranges.size(), own.size());
    for (std::size_t at = 0; at < own.size(); ++at) {
      const auto& [patches, values] = records.ranges[at];
      EXPECT_EQ(patches.level, own[at].level);
      EXPECT_EQ(patches.first, own[at].first);
      ASSERT_EQ(values.size(), own[at].count * one.record_size());
      for (std::size_t patch = 0; patch < patches.count; ++patch) {
        const auto record = one.record(patches.level, patches.first + patch);
        EXPECT_TRUE(std::equal(record.begin(), record.end(),
                               values.begin() + static_cast<std::ptrdiff_t>(patch * record.size())))
            << to_string(one.mesh.ids(patches.level)[patches.first + patch]);
      }
    }
  };
  on_ranks(way, [&](Backend& backend, Communicator& communicator) {
    Simulation simulation(*problem, *solver, backend, shared_options(way), communicator);
    if (communicator.rank() == 0) {
      simulation.advance(kSharedSteps);
      const SavedShare share = simulation.save_share(false);
      check(share.records, 0);
      for (std::size_t level = 0; level < one.levels.size(); ++level) {
        EXPECT_EQ(share.run.levels[level].cfl, one.levels[level].cfl);
      }
    }
    const auto take = [&](const SavedRecords& records) { check(records, communicator.rank()); };
    while (communicator.rank() != 0 && simulation.follow(take)) {
    }
  });
}

TEST(RecordRanges, GivenAnyNumberOfOwnersThenTheyHaveAllPartsInOrderAndEvenly) {
  BaseGrid<2> base;
  base.patches = {30, 10};
  base.extent = {3.0, 1.0};
  Mesh<2> mesh(base);
  std::vector<PatchId> finer;
  for (int j = 0; j < 10; ++j) {
    for (int i = 0; i < 10; ++i) finer.push_back({1, i, j});
  }
  mesh.assign(1, finer);  // 5 parts and 2
  for (const std::int32_t ranks : {1, 2, 3, 7, 12}) {
    const auto ranges = record_ranges(mesh, ranks);
    ASSERT_EQ(ranges.size(), static_cast<std::size_t>(ranks));
    int level = 0;
    std::size_t next = 0;
    for (const std::vector<PatchRange>& own : ranges) {
      std::size_t parts = 0;
      for (const PatchRange& range : own) {
        if (range.level != level) {
          EXPECT_EQ(next, mesh.size(level));
          level = range.level;
          next = 0;
        }
        EXPECT_EQ(range.first, next);
        EXPECT_EQ(range.first % kRecordsTogether, 0U);
        next += range.count;
        parts += (range.count + kRecordsTogether - 1) / kRecordsTogether;
      }
      EXPECT_LE(parts, (7U + ranges.size() - 1) / ranges.size());
    }
    EXPECT_EQ(level, 1);
    EXPECT_EQ(next, mesh.size(1));
  }
}

TEST(SharedRuns, GivenAStepThatIsTooLongOnOneRankThenAllEndByItsError) {
  // The disk's far corner, the fastest point, is one rank's.
  const auto problem = test::zalesak();
  const auto solver = plugin::find_solver("semi_lagrangian_cubic")->make({});
  SimulationOptions options = test::run_options(64, 2, 120);
  const auto error_of = [&](Backend& backend, Communicator& communicator) {
    try {
      Simulation(*problem, *solver, backend, options, communicator).advance(1);
    } catch (const CflError& error) {
      return error;
    }
    return CflError("nothing", 0);
  };
  const CflError one = error_of(*make_backend("threads", 1), single_rank());
  ASSERT_GT(one.smallest_steps(), 120);
  std::mutex mutex;
  const SharedWay three{"", Schedule::kDataflow, TimeInterpolation::kAuto, 3};
  on_ranks(three, [&](Backend& backend, Communicator& communicator) {
    const CflError own = error_of(backend, communicator);
    const std::lock_guard lock(mutex);
    EXPECT_STREQ(own.what(), one.what()) << "rank " << communicator.rank();
    EXPECT_EQ(own.smallest_steps(), one.smallest_steps());
  });
}

TEST(SharedRuns, GivenARankThatVanishesThenAllOthersEndByAnExceptionThoseWithoutPatchesToo) {
  const auto problem = test::zalesak();
  const auto solver = plugin::find_solver("semi_lagrangian_cubic")->make({});
  const SharedWay by_level{"semi_lagrangian_cubic", Schedule::kLevel};
  const SharedWay by_dataflow{"semi_lagrangian_cubic"};
  struct Lost {
    SimulationOptions options;
    int ranks;
  };
  // The last one has four patches.
  for (const Lost& one : {Lost{shared_options(by_level), 3}, Lost{shared_options(by_dataflow), 3},
                          Lost{test::run_options(32, 1, 320), 5}}) {
    std::atomic<int> lost = 0;
    cluster::Loopback net({.ranks = one.ranks});
    std::vector<std::thread> threads;
    for (int rank = 0; rank < one.ranks; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          const auto backend = make_backend("threads", 1);
          cluster::Cluster cluster(*backend->runtime(), net.link(rank));
          ClusterCommunicator communicator(cluster);
          Simulation simulation(*problem, *solver, *backend, one.options, communicator);
          if (rank == 0) {
            for (int step = 0; step < 160; ++step) simulation.advance(1);
          }
          while (rank != 0 && simulation.follow()) {
            if (rank == 1 && simulation.step() == 4) net.vanish(1);
          }
        } catch (const cluster::RankLost&) {
          ++lost;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(lost, one.ranks);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, SharedRun,
    testing::Values(
        SharedWay{"semi_lagrangian_cubic", Schedule::kLevel}, SharedWay{"semi_lagrangian_cubic"},
        SharedWay{"semi_lagrangian_cubic", Schedule::kDataflow, TimeInterpolation::kLinear, 3, 2,
                  1},
        SharedWay{"semi_lagrangian_cubic", Schedule::kLevel, TimeInterpolation::kLinear, 3},
        SharedWay{"finite_volume_upwind3", Schedule::kLevel},
        SharedWay{"finite_volume_upwind3", Schedule::kDataflow, TimeInterpolation::kAuto, 4, 1, 2},
        SharedWay{"finite_volume_upwind3", Schedule::kDataflow, TimeInterpolation::kLinear, 2, 2,
                  3},
        SharedWay{"semi_lagrangian_cubic", Schedule::kDataflow, TimeInterpolation::kAuto, 5, 2, 4},
        SharedWay{"finite_volume_upwind3", Schedule::kDataflow, TimeInterpolation::kAuto, 3, 1, 5,
                  PartitionKind::kRandom},
        SharedWay{"semi_lagrangian_cubic", Schedule::kLevel, TimeInterpolation::kLinear, 3, 1, 6,
                  PartitionKind::kRandom, false},
        SharedWay{"semi_lagrangian_cubic", Schedule::kDataflow, TimeInterpolation::kLinear, 4, 1, 7,
                  PartitionKind::kLevel, false},
        SharedWay{"finite_volume_upwind3", Schedule::kDataflow, TimeInterpolation::kAuto, 8, 1, 8,
                  PartitionKind::kCanonical}));

/// A spot on waves that are nowhere flat, so that every ghost counts, in a flow that turns.
test::FunctionCase wavy() {
  test::FunctionCase problem;
  problem.u = [](double x, double y) {
    return (std::hypot(x - 0.4, y - 0.55) < 0.15 ? 1.0 : 0.0) +
           0.01 * std::sin(6.2831853 * x) * std::cos(6.2831853 * y);
  };
  problem.vx = [](double, double y) { return 0.6 - y; };
  problem.vy = [](double x, double) { return 0.4 + x; };
  return problem;
}

/// Five levels, of which the finest two never have a patch; the others come late, vanish and come
/// again.
struct ComingAndGoing : test::ScriptedCase {
  /// Levels that have patches while a base step is taken, if `begins_flat` from level 0 alone on.
  static int levels_at(int step, bool begins_flat) {
    constexpr std::array<int, 6> kEveryTwoSteps = {1, 2, 3, 1, 1, 3};
    if (!begins_flat && step < 2) return 3;
    return kEveryTwoSteps.at(static_cast<std::size_t>(step / 2));
  }
  static constexpr int kLastStep = 11;

  explicit ComingAndGoing(bool begins_flat) {
    static_cast<FunctionCase&>(*this) = wavy();
    vx = [](double, double y) { return 0.1 * (0.6 - y); };
    vy = [](double x, double) { return 0.1 * (0.4 + x); };
    indicator = [begins_flat](int level, int step, double x, double y) {
      const bool refines = level + 1 < levels_at(step, begins_flat);
      return refines && std::hypot(x - 0.4, y - 0.55) < 0.3 ? 1.0 : 0.0;
    };
  }

  static SimulationOptions options(Schedule schedule) {
    SimulationOptions options = test::scripted_options(5);
    options.schedule = schedule;
    options.refinement.interval = 2;
    return options;
  }
};

TEST(SharedRuns, GivenLevelsThatComeLateVanishOrAreNeverReachedThenTheBitsStay) {
  for (const bool begins_flat : {true, false}) {
    const ComingAndGoing problem(begins_flat);
    for (const char* name : {"semi_lagrangian_cubic", "finite_volume_upwind3"}) {
      const auto solver = plugin::find_solver(name)->make({});
      const SimulationOptions options =
          ComingAndGoing::options(begins_flat ? Schedule::kDataflow : Schedule::kLevel);
      const auto alone = make_backend("threads", 1);
      Simulation one(problem, *solver, *alone, options);
      std::vector<std::string> hashes;
      for (int step = 0; step < ComingAndGoing::kLastStep; ++step) {
        one.advance(1);
        ASSERT_EQ(one.hierarchy().used_levels(), ComingAndGoing::levels_at(step, begins_flat))
            << "in step " << step;
        hashes.push_back(one.state_hash());
      }
      const int ranks = solver->traits().centring == Centring::kNode ? 2 : 5;
      SCOPED_TRACE(fmt::format("{} on {} ranks{}", name, ranks, begins_flat ? ", flat" : ""));
      test::on_loopback_ranks({.ranks = ranks}, [&](Backend& backend, Communicator& communicator) {
        Simulation shared(problem, *solver, backend, options, communicator);
        if (communicator.rank() == 0) {
          for (const std::string& hash : hashes) {
            shared.advance(1);
            EXPECT_EQ(shared.state_hash(), hash) << "after step " << shared.step();
          }
        }
        while (communicator.rank() != 0 && shared.follow()) {
        }
      });
    }
  }
}

TEST(SharedRuns, GivenLevelsThatHaveGoneWhenRanksSaveThenTheyGoOnToTheBitsOfOne) {
  const ComingAndGoing problem(false);
  const SimulationOptions options = ComingAndGoing::options(Schedule::kDataflow);
  const auto solver = plugin::find_solver("semi_lagrangian_cubic")->make({});
  const auto alone = make_backend("threads", 1);
  Simulation one(problem, *solver, *alone, options);
  one.advance(ComingAndGoing::kLastStep);
  constexpr int kSavedAt = 7;
  ASSERT_EQ(ComingAndGoing::levels_at(kSavedAt - 1, false), 1);
  std::optional<SavedRun> saved;
  test::on_loopback_ranks({.ranks = 3}, [&](Backend& backend, Communicator& communicator) {
    Simulation shared(problem, *solver, backend, options, communicator);
    if (communicator.rank() == 0) {
      shared.advance(kSavedAt);
      saved = shared.save_with_extras();
    }
    while (communicator.rank() != 0 && shared.follow()) {
    }
  });
  test::on_loopback_ranks({.ranks = 2}, [&](Backend& backend, Communicator& communicator) {
    Simulation shared(problem, *solver, backend, options, *saved, communicator);
    if (communicator.rank() == 0) {
      shared.advance(ComingAndGoing::kLastStep - kSavedAt);
      EXPECT_EQ(shared.state_hash(), one.state_hash());
    }
    while (communicator.rank() != 0 && shared.follow()) {
    }
  });
}

/// Messages are late by more than a step takes, so that those of one piece come before those of the
/// pieces before it.
TEST(SharedRuns, GivenMessagesThatComeInAnyOrderThenTheBitsStay) {
  const test::FunctionCase problem = wavy();
  for (const char* name : {"semi_lagrangian_cubic", "finite_volume_upwind3"}) {
    const auto solver = plugin::find_solver(name)->make({});
    SimulationOptions options = test::run_options(64, 3, 400);
    options.time_interpolation = TimeInterpolation::kLinear;
    options.refinement.interval = 4;
    const auto alone = make_backend("threads", 1);
    Simulation one(problem, *solver, *alone, options);
    one.advance(6);
    const std::string hash = one.state_hash();
    ASSERT_GT(one.hierarchy().level(2).size(), 20U);
    for (std::uint64_t seed = 1; seed <= (test::kSanitized ? 1U : 4U); ++seed) {
      options.partition = seed % 2 == 0 ? PartitionKind::kRandom : PartitionKind::kDepthFirst;
      const test::LoopbackRanks ranks{3, 2, seed, std::chrono::milliseconds(1)};
      test::on_loopback_ranks(ranks, [&](Backend& backend, Communicator& communicator) {
        Simulation simulation(problem, *solver, backend, options, communicator);
        while (communicator.rank() != 0 && simulation.follow()) {
        }
        if (communicator.rank() != 0) return;
        simulation.advance(6);
        EXPECT_EQ(simulation.state_hash(), hash) << name << ", seed " << seed;
      });
    }
  }
}

TEST(ExpectedSeconds, GivenARunThenAPatchIsToTakeThoseOfItsStepsAndTryingItOutLeavesNoTrace) {
  const auto problem = test::zalesak();
  const auto solver = plugin::find_solver("semi_lagrangian_cubic")->make({});
  const auto backend = make_backend("serial", 1);
  Simulation simulation(*problem, *solver, *backend, test::run_options(64, 3, 320));
  const std::string before = simulation.state_hash();
  const ByPatch<double> seconds = simulation.expected_seconds().value();
  EXPECT_EQ(simulation.state_hash(), before);
  ASSERT_EQ(seconds.size(), 3U);
  const double step = seconds[0][0];
  EXPECT_GT(step, 0.0);
  EXPECT_LT(step, 1.0);
  for (std::size_t level = 0; level < seconds.size(); ++level) {
    ASSERT_EQ(seconds[level].size(), simulation.hierarchy().mesh().size(static_cast<int>(level)));
    for (const double own : seconds[level])
      EXPECT_DOUBLE_EQ(own, std::ldexp(step, static_cast<int>(level)));
  }
}

}  // namespace
}  // namespace kumiko::amr
