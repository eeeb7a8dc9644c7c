// Contract: every backend calls every task once, reports failures alike, and gives the same bits.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/runtime/cpu_budget.hpp>

#include "backend/spin_barrier.hpp"
#include "fixtures.hpp"

namespace kumiko::amr {
namespace {

using test::cubic_solver;
using test::run_options;
using test::zalesak;

class EveryBackend : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  void SetUp() override {
    if (name() == "openmp" && !test::kOpenMpIsTestable) GTEST_SKIP() << "not with ThreadSanitizer";
    backend_ = make_backend(name(), std::get<1>(GetParam()));
  }
  std::string name() const { return std::get<0>(GetParam()); }

  std::unique_ptr<Backend> backend_;
};

TEST_P(EveryBackend, GivenALevelThenEachPatchIsDoneOnceByAKnownWorker) {
  Hierarchy hierarchy(Geometry(256, 128, {2.0, 1.0}, {}), 1, {1, 2, 0});
  const Level& level = hierarchy.level(0);
  std::vector<std::atomic<int>> done(level.size());
  std::atomic<bool> known = true;
  backend_->run([&] {
    for (int repeat = 0; repeat < 50; ++repeat) {
      backend_->for_each(level, [&](std::size_t slot, int worker) {
        done[slot].fetch_add(1);
        if (worker < 0 || worker >= backend_->workers()) known.store(false);
      });
    }
  });
  for (const auto& count : done) ASSERT_EQ(count.load(), 50);
  EXPECT_TRUE(known.load());
}

TEST_P(EveryBackend, GivenTasksThatThrowThenTheOthersRunAndTheLowestSlotsExceptionIsPassedOn) {
  Hierarchy hierarchy(Geometry(128, 128, {1.0, 1.0}, {}), 1, {1, 2, 0});
  std::atomic<int> ran = 0;
  const auto work = [&] {
    backend_->for_each(hierarchy.level(0), [&](std::size_t slot, int) {
      ran.fetch_add(1);
      if (slot == 17 || slot == 40) throw std::runtime_error(std::to_string(slot));
    });
  };
  try {
    backend_->run(work);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "17");
  }
  EXPECT_EQ(ran.load(), 64);
}

TEST_P(EveryBackend, GivenZalesakWithThreeLevelsThenTheStateHashIsTheSerialOne) {
  const auto problem = zalesak();
  const auto solver = cubic_solver();
  for (const TimeInterpolation time :
       {TimeInterpolation::kCharacteristic, TimeInterpolation::kLinear}) {
    SimulationOptions options = run_options(64, 3, 640);
    options.time_interpolation = time;
    const auto hash = [&](Backend& backend) {
      Simulation run(*problem, *solver, backend, options);
      run.advance(9);
      EXPECT_TRUE(error_norms(run.hierarchy(), *problem, run.time(), backend).has_value());
      return state_hash(run.hierarchy());
    };
    const auto serial = make_backend("serial", 1);
    EXPECT_EQ(hash(*backend_), hash(*serial));
  }
}

TEST_P(EveryBackend, GivenLoopsThenTheirTimeIsCounted) {
  Hierarchy hierarchy(Geometry(64, 32, {2.0, 1.0}, {}), 1, {1, 2, 0});
  EXPECT_EQ(backend_->loop_time().count(), 0);
  const auto begin = std::chrono::steady_clock::now();
  backend_->run([&] {
    backend_->for_each(hierarchy.level(0), [](std::size_t, int) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  const std::chrono::nanoseconds all = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(backend_->loop_time().count(), 0);
  EXPECT_LE(backend_->loop_time(), all - std::chrono::milliseconds(20));
}

INSTANTIATE_TEST_SUITE_P(All, EveryBackend,
                         ::testing::Combine(::testing::Values("threads", "pthread", "openmp"),
                                            ::testing::Values(1, 2, 3, 8)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

TEST(PthreadBackend, GivenStripsThenAPatchIsDoneByTheStripOfItsCentre) {
  Hierarchy hierarchy(Geometry(96, 96, {1.0, 1.0}, {}), 1, {1, 2, 0});
  const auto backend = make_backend("pthread", 4);
  // Six rows of patches in four strips of 1.5 rows: centres at 0.5, 1.5, ... 5.5 rows.
  const std::vector<int> strip_of_row = {0, 1, 1, 2, 3, 3};
  std::vector<int> owner(36, -1);
  backend->run([&] {
    backend->for_each(hierarchy.level(0),
                      [&](std::size_t slot, int worker) { owner[slot] = worker; });
  });
  for (std::size_t slot = 0; slot < owner.size(); ++slot) {
    EXPECT_EQ(owner[slot], strip_of_row[slot / 6]) << "slot " << slot;
  }
}

/// As if the program had started with OMP_SCHEDULE set, which OpenMP reads once.
class Scheduled {
 public:
  Scheduled(const char* name, omp_sched_t kind) {
    omp_get_schedule(&before_, &chunk_);
    omp_set_schedule(kind, 0);
    setenv("OMP_SCHEDULE", name, 1);
  }
  ~Scheduled() {
    unsetenv("OMP_SCHEDULE");
    omp_set_schedule(before_, chunk_);
  }
  Scheduled(const Scheduled&) = delete;
  Scheduled& operator=(const Scheduled&) = delete;

 private:
  omp_sched_t before_ = omp_sched_static;
  int chunk_ = 0;
};

TEST(OpenMpBackend, GivenAStaticScheduleInTheEnvironmentThenWorkersHaveEqualParts) {
  if (!test::kOpenMpIsTestable) GTEST_SKIP() << "not with ThreadSanitizer";
  const Scheduled scheduled("static", omp_sched_static);
  const auto backend = make_backend("openmp", 2);
  Hierarchy hierarchy(Geometry(128, 128, {1.0, 1.0}, {}), 1, {1, 2, 0});
  const Level& level = hierarchy.level(0);
  std::vector<std::size_t> lists(2);
  backend->for_each(level, [&](Slots slots, int worker) {
    lists.at(static_cast<std::size_t>(worker)) = slots.size();
  });
  EXPECT_EQ(lists, std::vector<std::size_t>(2, level.size() / 2));
}

TEST(OpenMpBackend, GivenADynamicScheduleInTheEnvironmentThenWorkersTakePatchesOneByOne) {
  if (!test::kOpenMpIsTestable) GTEST_SKIP() << "not with ThreadSanitizer";
  const Scheduled scheduled("dynamic", omp_sched_dynamic);
  const auto backend = make_backend("openmp", 2);
  Hierarchy hierarchy(Geometry(128, 128, {1.0, 1.0}, {}), 1, {1, 2, 0});
  const Level& level = hierarchy.level(0);
  std::atomic<std::size_t> left = level.size();
  std::vector<std::size_t> lists(level.size());
  backend->for_each(level, [&](Slots slots, int worker) {
    lists[slots.front()] = slots.size();
    // Who has the first patch is at it until the other worker has done the rest.
    if (--left > 0 && slots.front() == 0) {
      while (left > 0) std::this_thread::yield();
    }
    EXPECT_LT(worker, 2);
  });
  EXPECT_EQ(lists, std::vector<std::size_t>(level.size(), 1));
}

/// How often a thread of this process has gone to sleep.
long sleeps() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

TEST(PthreadBackend, GivenCoresForAllStripsThenNobodySleepsThroughAShortWait) {
  if (runtime::available_cores() < 2) GTEST_SKIP() << "takes two cores";
  Hierarchy hierarchy(Geometry(64, 64, {1.0, 1.0}, {}), 1, {1, 2, 0});
  const auto backend = make_backend("pthread", 2);
  constexpr int kPhases = 200;
  const long before = sleeps();
  for (int phase = 0; phase < kPhases; ++phase) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (std::chrono::steady_clock::now() < end) continue;
    backend->for_each(hierarchy.level(0), [](std::size_t, int) {});
  }
  // A few where somebody else takes a core for as long as they are ready to spin.
  EXPECT_LT(sleeps() - before, kPhases / 2);
}

/// Threads, and whether they spin. More than most machines that test this have cores.
class EverySpinBarrier : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  int threads() const { return std::get<0>(GetParam()); }
  SpinBarrier barrier_{threads(), std::get<1>(GetParam())};
};

TEST_P(EverySpinBarrier, GivenPhasesThenEachThreadSeesWhatAllDidBefore) {
  constexpr int kPhases = 25;
  std::vector<int> done(static_cast<std::size_t>(threads()));  // not atomic, for ThreadSanitizer
  std::atomic<int> wrong = 0;
  const auto work = [&](int own) {
    for (int phase = 1; phase <= kPhases; ++phase) {
      done[static_cast<std::size_t>(own)] = phase;
      barrier_.arrive_and_wait();
      for (const int count : done) wrong += count != phase;
      barrier_.arrive_and_wait();
    }
  };
  std::vector<std::jthread> others;
  for (int own = 1; own < threads(); ++own) others.emplace_back(work, own);
  work(0);
  others.clear();
  EXPECT_EQ(wrong.load(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, EverySpinBarrier,
                         ::testing::Combine(::testing::Values(1, 2, 5), ::testing::Bool()));

TEST(SpinBarrier, GivenOneWhoIsLateThenTheOthersSleepAndAreWoken) {
  SpinBarrier barrier(2, true);
  timespec used{};
  std::jthread early([&] {
    barrier.arrive_and_wait();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  });
  constexpr auto kLate = 50 * SpinBarrier::kSpinTime;
  std::this_thread::sleep_for(kLate);
  barrier.arrive_and_wait();
  early.join();
  EXPECT_LT(std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec), kLate / 2);
}

TEST(MakeBackend, GivenAWrongRequestThenItIsRefusedByName) {
  EXPECT_THROW(make_backend("mpi", 1), std::invalid_argument);
  EXPECT_THROW(make_backend("threads", -1), std::invalid_argument);
  EXPECT_THROW(make_backend("serial", 2), std::invalid_argument);
  EXPECT_GE(make_backend("pthread", 0)->workers(), 1);
}

}  // namespace
}  // namespace kumiko::amr
