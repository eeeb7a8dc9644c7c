// Contract: a state that the solver does not admit refuses the base step that has led to it: a run
// that chooses its steps takes it again, shorter, with the same bits on every backend and rank and
// through restarts; a run of a given number of steps ends with the patch, the point and the remedy.
// Points that finer patches cover do not count. Failures have an order in which none stands before
// what has brought it.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kumiko/amr/step_error.hpp>

#include "fixtures.hpp"
#include "loopback_ranks.hpp"
#include "stepping/first_failure.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;
using test::run_options;
using ::testing::AllOf;
using ::testing::HasSubstr;

double bell(double x, double y, double at_x, double at_y, double width) {
  const double square = (x - at_x) * (x - at_x) + (y - at_y) * (y - at_y);
  return std::exp(-square / (width * width));
}

/// du/dt = -k(x, y) u by Euler's method: a step above 1/k makes u negative, which is not admitted.
class Decay final : public Solver {
 public:
  /// \param peak  largest k, at a place
  Decay(double peak, double x, double y) : peak_(peak), x_(x), y_(y) {
    traits_.name = "decay";
    traits_.centring = Centring::kCell;
    traits_.limits_states = true;
  }
  const SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return kPatchPoints; }
  double prepare(const Case&, const PatchPoints& patch, double, double dt,
                 std::span<double> coefficients) const override {
    for (std::size_t at = 0; at < kPatchPoints; ++at) {
      const double k = 1.0 + peak_ * bell(patch.points.x[at], patch.points.y[at], x_, y_, 0.1);
      coefficients[at] = 1.0 - k * dt;
    }
    return dt;  // so that only what is admitted limits the step
  }
  void advance(ConstPatchView before, std::span<const double> coefficients,
               PatchView after) const override {
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kPatchSize; ++i) {
        const auto at = static_cast<std::size_t>(j * kPatchSize + i);
        after(i, j) = before(i, j) * coefficients[at];
      }
    }
  }
  std::optional<InnerPoint> inadmissible_point(ConstPatchView state) const override {
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kPatchSize; ++i) {
        if (!(state(i, j) > 0.0)) return InnerPoint{i, j};
      }
    }
    return std::nullopt;
  }

 private:
  double peak_;
  double x_;
  double y_;
  SolverTraits traits_;
};

/// A spot, around which the mesh is fine.
FunctionCase spot() {
  FunctionCase made;
  made.u = [](double x, double y) { return 0.1 + bell(x, y, 0.7, 0.7, 0.06); };
  made.duration = 0.8;
  return made;
}

SimulationOptions chosen(int levels) {
  SimulationOptions options = run_options(64, levels, 0);
  options.cfl = 0.9;
  return options;
}

struct Ending {
  std::string hash;
  int steps = 0;
  std::uint64_t updates = 0;
  bool operator==(const Ending&) const = default;
};

Ending take_to_end(Simulation& run, int at_once) {
  while (!run.is_over()) run.advance(at_once);
  EXPECT_EQ(run.time(), 0.8);
  EXPECT_GT(run.field_figures().minimum, 0.0);
  return {run.state_hash(), run.step(), run.counters().updates()};
}

TEST(Admission, GivenStatesThatAreNotAdmittedThenShorterStepsAreTakenWithTheSameBits) {
  const FunctionCase problem = spot();
  const Decay solver(20.0, 0.2, 0.2);
  const auto run_with = [&](const test::Way& way, int at_once) {
    const auto backend = make_backend(way.backend, way.workers);
    SimulationOptions options = chosen(3);
    options.schedule = way.schedule;
    Simulation run(problem, solver, *backend, options);
    return take_to_end(run, at_once);
  };
  const Ending expected = run_with({"serial", 1, Schedule::kLevel}, 20);
  EXPECT_GT(expected.steps, 0.8 * 20.0);
  EXPECT_LT(expected.steps, 6.0 * 0.8 * 20.0);
  EXPECT_EQ(run_with({"serial", 1, Schedule::kLevel}, 1), expected);
  EXPECT_EQ(run_with({"threads", 1, Schedule::kDataflow}, 7), expected);
  EXPECT_EQ(run_with({"threads", 3, Schedule::kDataflow}, 1000), expected);
  EXPECT_EQ(run_with({"pthread", 2, Schedule::kLevel}, 3), expected);
  test::on_loopback_ranks({.ranks = 3, .seed = 5},
                          [&](Backend& backend, Communicator& communicator) {
                            Simulation run(problem, solver, backend, chosen(3), communicator);
                            if (communicator.rank() != 0) {
                              while (run.follow()) {
                              }
                              return;
                            }
                            EXPECT_EQ(take_to_end(run, 5), expected);
                          });

  const auto backend = make_backend("serial", 1);
  Simulation undisturbed(problem, solver, *backend, chosen(3));
  std::vector<SavedRun> saved;
  while (!undisturbed.is_over()) {
    saved.push_back(undisturbed.save());
    undisturbed.advance(1);
  }
  for (std::size_t at = 0; at < saved.size(); at += test::kSanitized ? 20 : 3) {
    Simulation again(problem, solver, *backend, chosen(3), saved[at]);
    EXPECT_EQ(take_to_end(again, 20), expected) << "from base step " << at;
  }
}

TEST(Admission, GivenPointsThatFinerPatchesCoverThenTheyDoNotCount) {
  // Only on level 0 are steps of 1/20 too long; there the spot is covered.
  FunctionCase problem = spot();
  problem.duration = 2.0;  // so that the step has time to grow
  const auto backend = make_backend("threads", 2);
  const Decay covered(20.0, 0.7, 0.7);
  const Decay uncovered(20.0, 0.2, 0.2);
  const auto longest = [&](const Solver& solver) {
    SimulationOptions options = chosen(2);
    options.refinement.interval = 1000;  // what decays away from the spot stays coarse
    Simulation run(problem, solver, *backend, options);
    double dt = 0.0;
    while (!run.is_over()) {
      run.advance(1);
      dt = std::max(dt, run.dt());
    }
    return dt;
  };
  EXPECT_LT(longest(uncovered), 1.0 / 20.0);
  EXPECT_GT(longest(covered), 1.0 / 20.0);
  EXPECT_LT(longest(covered), 2.0 / 20.0);
}

TEST(Admission, GivenANumberOfStepsThenTheRunEndsWithThePointAndItsStateCanBeSaved) {
  const FunctionCase problem = spot();
  const Decay solver(20.0, 0.2, 0.2);
  const auto backend = make_backend("threads", 2);
  Simulation run(problem, solver, *backend, run_options(64, 2, 10));
  try {
    run.advance(10);
    FAIL();
  } catch (const InadmissibleState& error) {
    // 0.2 x 64 = 12.8: the spot's centre lies between cells 12 and 13.
    EXPECT_THAT(error.what(), AllOf(HasSubstr("solver 'decay' does not admit the state of"),
                                    HasSubstr("after a step in base step 0, t = 0.08"),
                                    HasSubstr("more `steps`"), HasSubstr("`cfl`")));
  }
  ASSERT_TRUE(run.is_whole());
  EXPECT_EQ(run.step(), 0);
  Simulation again(problem, solver, *backend, run_options(64, 2, 40), run.save());
  again.advance(40);
  EXPECT_GT(again.field_figures().minimum, 0.0);
}

TEST(Admission, GivenAnInitialStateThatIsNotAdmittedThenItIsToldAtOnce) {
  FunctionCase problem = spot();
  problem.u = [](double x, double) { return 0.5 - x; };
  const Decay solver(20.0, 0.2, 0.2);
  const auto backend = make_backend("serial", 1);
  try {
    const Simulation run(problem, solver, *backend, chosen(1));
    FAIL();
  } catch (const InadmissibleState& error) {
    EXPECT_STREQ(error.what(),
                 "solver 'decay' does not admit the state of level 0 patch (2, 0) at point (0, 0), "
                 "with which the run begins, t = 0; correct the case's initial(), or what the "
                 "solver does not admit");
  }
}

TEST(FailureOrder, GivenPiecesThatReadEachOthersResultsThenTheReaderComesLater) {
  const StepClock clock(Stretch(0, 0.0, 1.0, 4), true);
  const auto advance = [&](int level, int number) {
    return order_of(clock.step(0, level, number), PieceKind::kAdvance);
  };
  const auto blend = [&](int level, int number) {
    return order_of(clock.step(0, level, number), PieceKind::kBlend);
  };
  const auto finish = [&](int level, int number) {
    return order_of(clock.step(0, level, number), PieceKind::kFinish);
  };
  EXPECT_LT(advance(0, 0), blend(0, 0)) << "blends fill ghosts of what is advanced";
  EXPECT_LT(blend(0, 0), advance(1, 0)) << "finer ghosts are interpolated";
  EXPECT_LT(blend(1, 0), advance(2, 0));
  EXPECT_LT(advance(2, 3), finish(1, 1)) << "restriction reads the finer level's last step";
  EXPECT_LT(advance(1, 1), finish(0, 0));
  EXPECT_LT(finish(1, 1), finish(0, 0)) << "finer levels are restricted first";
  EXPECT_LT(finish(1, 0), advance(1, 1)) << "the next step begins from what is finished";
  EXPECT_LT(finish(1, 0), advance(2, 2));
  EXPECT_LT(finish(0, 0), advance(0, 1));
  EXPECT_LT(finish(0, 0), advance(2, 4)) << "a later base step";
  const StepClock without(Stretch(0, 0.0, 1.0, 4), false);
  EXPECT_LT(order_of(without.step(0, 2, 0), PieceKind::kAdvance),
            order_of(without.step(0, 0, 0), PieceKind::kFinish));
  EXPECT_LT(order_of(without.step(0, 0, 0), PieceKind::kFinish),
            order_of(without.step(0, 0, 1), PieceKind::kAdvance));
}

}  // namespace
}  // namespace kumiko::amr
