// Contract: every backend calls every task once, reports failures alike, and gives the same bits.
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/diagnostics.hpp>

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

TEST(MakeBackend, GivenAWrongRequestThenItIsRefusedByName) {
  EXPECT_THROW(make_backend("mpi", 1), std::invalid_argument);
  EXPECT_THROW(make_backend("threads", -1), std::invalid_argument);
  EXPECT_THROW(make_backend("serial", 2), std::invalid_argument);
  EXPECT_GE(make_backend("pthread", 0)->workers(), 1);
}

}  // namespace
}  // namespace kumiko::amr
