// Contract: a solver with a kernel for lists of patches gets every patch by it, in lists as long as
// the schedule has to hand, and the state has the bits of one patch at a time.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

#include "amr/fixtures.hpp"
#include "bridge/solver_bridge.hpp"
#include "bridge/status.hpp"

namespace {

thread_local int allocations = 0;

}  // namespace

// Every form whose memory the replaced delete may be given, lest a sanitizer's own one hands it
// out. Not inlined: the compiler would take malloc() and delete for a pair that does not match.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes > 0 ? bytes : 1);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace kumiko::plugin::detail {
namespace {

/// What was asked of a solver.
struct Calls {
  std::atomic<int> single{0};  ///< advance(), advance_with_fluxes()
  std::mutex mutex;
  std::vector<std::size_t> lists;  ///< the lengths of the lists

  std::size_t longest() const {
    return lists.empty() ? 0 : *std::max_element(lists.begin(), lists.end());
  }
};

/// A shipped solver with a kernel for lists, if told so: all patches of a list are done before it
/// returns, the last one first.
class Listing final : public amr::Solver {
 public:
  Listing(const char* name, bool has_list, Calls& calls)
      : original_(find_solver(name)->make({})), traits_(original_->traits()), calls_(calls) {
    traits_.list_kernel = has_list;
  }

  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return original_->coefficients(); }
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    return original_->prepare(problem, patch, time, dt, coefficients);
  }
  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    ++calls_.single;
    original_->advance(before, coefficients, after);
  }
  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes fluxes) const override {
    ++calls_.single;
    original_->advance_with_fluxes(before, coefficients, after, fluxes);
  }
  void advance_list(std::span<const amr::PatchAdvance> list) const override {
    {
      const std::lock_guard lock(calls_.mutex);
      calls_.lists.push_back(list.size());
    }
    for (auto one = list.rbegin(); one != list.rend(); ++one) original_->advance_list({&*one, 1});
  }
  void tendency(amr::ConstPatchView state, std::span<const double> coefficients,
                const amr::PointRange& range, amr::PatchView tendency) const override {
    original_->tendency(state, coefficients, range, tendency);
  }
  void displacement(const amr::Case& problem, amr::Points points, double time, double tau,
                    amr::Vectors displacement) const override {
    original_->displacement(problem, points, time, tau, displacement);
  }

 private:
  std::unique_ptr<amr::Solver> original_;
  amr::SolverTraits traits_;
  Calls& calls_;
};

constexpr int kSteps = 8;

using amr::test::kOpenMpIsTestable;

struct Way {
  const char* backend;
  int workers;
  amr::Schedule schedule;
};

/// \return the state's hash after some steps on two levels, and the point updates they took
std::pair<std::string, std::uint64_t> run(const amr::Solver& solver, const Way& way) {
  const auto problem = find_case("zalesak")->make({});
  const auto backend = amr::make_backend(way.backend, way.workers);
  amr::SimulationOptions options;
  options.points_x = options.points_y = 64;
  options.levels = 2;
  options.steps = 1280;
  options.schedule = way.schedule;
  amr::Simulation simulation(*problem, solver, *backend, options);
  simulation.advance(kSteps);
  std::uint64_t updates = 0;
  for (const std::uint64_t of_level : simulation.counters().updates_per_level) updates += of_level;
  return {amr::state_hash(simulation.hierarchy()), updates};
}

std::pair<std::string, std::uint64_t> run_from_beyond(const char* name, bool has_list, Calls& calls,
                                                      const Way& way) {
  const SolverFromBeyond solver(give(std::make_unique<Listing>(name, has_list, calls)), name,
                                std::string("solver '") + name + "'");
  return run(solver, way);
}

class ListKernel : public testing::TestWithParam<const char*> {};

TEST_P(ListKernel, GivenAListOfPatchesThenTheBitsAreThoseOfOnePatchAtATime) {
  const Way serial{"serial", 1, amr::Schedule::kAuto};
  Calls one_by_one;
  const auto [expected, updates] = run_from_beyond(GetParam(), false, one_by_one, serial);
  EXPECT_TRUE(one_by_one.lists.empty());
  EXPECT_EQ(static_cast<std::uint64_t>(one_by_one.single) * amr::kPatchPoints, updates);
  for (const Way& way :
       {serial, Way{"pthread", 2, amr::Schedule::kAuto},
        Way{kOpenMpIsTestable ? "openmp" : "serial", kOpenMpIsTestable ? 2 : 1,
            amr::Schedule::kAuto},
        Way{"threads", 2, amr::Schedule::kLevel}, Way{"threads", 2, amr::Schedule::kDataflow}}) {
    Calls calls;
    const auto [hash, listed] = run_from_beyond(GetParam(), true, calls, way);
    EXPECT_EQ(hash, expected) << way.backend;
    EXPECT_EQ(listed, updates) << way.backend;
    EXPECT_EQ(calls.single, 0) << way.backend << ": every patch comes in a list";
    std::size_t patches = 0;
    for (const std::size_t length : calls.lists) patches += length;
    EXPECT_EQ(patches * amr::kPatchPoints, updates) << way.backend << ": each comes once";
    if (way.schedule == amr::Schedule::kDataflow) {
      EXPECT_EQ(calls.longest(), 1U);
    } else {
      EXPECT_GT(calls.longest(), 1U) << way.backend;
    }
  }
}

TEST_P(ListKernel, GivenOneWorkerOfTheSerialBackendThenEachLevelIsOneList) {
  Calls calls;
  run_from_beyond(GetParam(), true, calls, {"serial", 1, amr::Schedule::kAuto});
  // One step of level 0 and two of level 1 in each base step.
  EXPECT_EQ(calls.lists.size(), std::size_t{3} * kSteps);
  EXPECT_EQ(calls.lists.front(), 16U) << "level 0 has 4 × 4 patches";
}

INSTANTIATE_TEST_SUITE_P(Solvers, ListKernel,
                         testing::Values("semi_lagrangian_cubic", "finite_volume_upwind3"));

/// What a subclass has is its kernel for lists alone.
class ListOnly : public amr::Solver {
 public:
  ListOnly() { traits_.list_kernel = true; }
  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return 0; }
  double prepare(const amr::Case&, const amr::PatchPoints&, double, double,
                 std::span<double>) const override {
    return 0.5;
  }
  void advance(amr::ConstPatchView, std::span<const double>, amr::PatchView) const override {}

 private:
  amr::SolverTraits traits_;
};

struct Failing final : ListOnly {
  void advance_list(std::span<const amr::PatchAdvance> list) const override {
    throw std::runtime_error("the device has no room for " + std::to_string(list.size()));
  }
};

/// Writes how long the list is.
struct Counting final : ListOnly {
  void advance_list(std::span<const amr::PatchAdvance> list) const override {
    for (const amr::PatchAdvance& one : list) one.after(0, 0) = static_cast<double>(list.size());
  }
};

TEST(FailingList, GivenAListThatFailsThenTheRunEndsWithWhatTheSolverSaysOfThePatchAlone) {
  const SolverFromBeyond solver(give(std::make_unique<Failing>()), "failing", "solver 'failing'");
  for (const char* const backend : {"serial", "pthread"}) {
    try {
      run(solver, {backend, 1, amr::Schedule::kAuto});
      FAIL();
    } catch (const std::runtime_error& failure) {
      EXPECT_STREQ(
          failure.what(),
          "solver 'failing': the device has no room for 1 (level 0 patch (0, 0), base step "
          "0, t = 0)");
      EXPECT_THROW(std::rethrow_if_nested(failure), FailedBeyond);
    }
  }
}

TEST(ListOfOne, GivenAListOfOneThenItReachesAPluginWithoutTakingMemory) {
  const SolverFromBeyond solver(give(std::make_unique<Counting>()), "counting", "");
  std::vector<double> values(2 * amr::PatchView::size(1, 0));
  amr::PatchView first(values.data(), 1, 0);
  amr::PatchView second(values.data() + amr::PatchView::size(1, 0), 1, 0);
  const std::vector<amr::PatchAdvance> list = {{first, {}, first}, {second, {}, second}};
  const int before = allocations;
  solver.advance_list({&list[0], 1});
  EXPECT_EQ(allocations, before) << "of which every step under dataflow would take some";
  EXPECT_EQ(first(0, 0), 1.0);
  solver.advance_list(list);
  EXPECT_EQ(first(0, 0), 2.0);
  EXPECT_EQ(second(0, 0), 2.0);
}

}  // namespace
}  // namespace kumiko::plugin::detail
