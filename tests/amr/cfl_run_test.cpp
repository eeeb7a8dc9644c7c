// Contract: a run that chooses its steps by a CFL number has the same bits on every backend,
// schedule, number of workers and ranks, through restarts and however advance() is called; steps
// that turn out to be too long are taken again, and leave no count behind. With the CFL number that
// gives so many steps it has the bits of a run with that number of steps.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "loopback_ranks.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;
using test::Gust;
using test::options_by_cfl;
using test::run_options;

/// A steady flow and a state that makes the speed: Burgers' equation.
class Wave final : public FunctionCase {
 public:
  Wave() {
    u = [](double x, double y) { return 0.5 + 0.4 * std::sin(2.0 * std::numbers::pi * (x + y)); };
    duration = 0.4;
  }
};

class GustyWave final : public FunctionCase {
 public:
  GustyWave() {
    u = [](double x, double y) { return 0.2 + 0.2 * std::sin(2.0 * std::numbers::pi * (x - y)); };
    duration = 0.4;
    steady = false;
  }
};

std::unique_ptr<Solver> burgers() {
  const auto* const factory = plugin::find_solver("burgers");
  return factory->make(defaults(factory->parameters));
}

/// Sanitizers, which look at each access, are given a part of the restarts and of the ways.
constexpr std::size_t kStride = test::kSanitized ? 40 : 7;

struct Outcome {
  std::string hash;
  int steps = 0;
  double time = 0.0;
  std::uint64_t updates = 0;

  bool operator==(const Outcome&) const = default;
};

void PrintTo(const Outcome& outcome, std::ostream* out) {
  *out << outcome.hash << " after " << outcome.steps << " steps, t = " << outcome.time << ", "
       << outcome.updates << " updates";
}

Outcome outcome_of(const Simulation& run) {
  return {run.state_hash(), run.step(), run.time(), run.counters().updates()};
}

/// \param at_once  base steps in a call of advance()
Outcome run_to_end(Simulation& run, int at_once = 20) {
  while (!run.is_over()) run.advance(at_once);
  return outcome_of(run);
}

Outcome run_with(const Case& problem, const Solver& solver, const SimulationOptions& options,
                 const test::Way& way = {"serial", 1, Schedule::kLevel}, int at_once = 20) {
  const auto backend = make_backend(way.backend, way.workers);
  SimulationOptions own = options;
  own.schedule = way.schedule;
  Simulation run(problem, solver, *backend, own);
  return run_to_end(run, at_once);
}

struct Problem {
  std::string name;
  std::unique_ptr<Case> problem;
  std::unique_ptr<Solver> solver;
  SimulationOptions options;
};

std::vector<Problem> problems() {
  std::vector<Problem> all;
  all.push_back(
      {"gust", std::make_unique<Gust>(), test::cubic_solver(), options_by_cfl(48, 3, 0.7)});
  // So near the limit that steps of a growing wind are refused; and some end at given times.
  all.push_back(
      {"squall", std::make_unique<Gust>(), test::cubic_solver(), options_by_cfl(48, 2, 1.0)});
  all.back().options.exact_times = Times(0.09, {0.2});
  // The state makes the speed, and the wind changes.
  all.push_back(
      {"waves in a gust", std::make_unique<GustyWave>(), burgers(), options_by_cfl(48, 2, 0.35)});
  all.push_back({"wave", std::make_unique<Wave>(), burgers(), options_by_cfl(48, 3, 0.4)});
  return all;
}

TEST(CflRun, GivenAnyBackendScheduleAndNumberOfWorkersThenTheBitsAreTheSame) {
  for (const Problem& one : problems()) {
    SCOPED_TRACE(one.name);
    const Outcome expected = run_with(*one.problem, *one.solver, one.options);
    EXPECT_EQ(expected.time, one.problem->end_time());
    for (const test::Way& way :
         {test::Way{"threads", 1, Schedule::kLevel}, test::Way{"threads", 3, Schedule::kDataflow},
          test::Way{"threads", 8, Schedule::kDataflow},
          test::Way{"pthread", 2, Schedule::kLevel}}) {
      EXPECT_EQ(run_with(*one.problem, *one.solver, one.options, way), expected)
          << way.backend << way.workers;
    }
    if (test::kSanitized) continue;
    for (const int at_once : {1, 3, 1000}) {
      EXPECT_EQ(run_with(*one.problem, *one.solver, one.options, {"serial", 1, Schedule::kLevel},
                         at_once),
                expected)
          << at_once << " at once";
    }
  }
}

TEST(CflRun, GivenTimesToStopAtThenTheNearestStepsAreFoundAndTheBitsAreTheSame) {
  const Times times(0.03, {0.1});
  for (const Problem& one : problems()) {
    SCOPED_TRACE(one.name);
    const auto backend = make_backend("serial", 1);
    Simulation alone(*one.problem, *one.solver, *backend, one.options);
    std::vector<double> of_steps;
    while (!alone.is_over()) {
      alone.advance(1);
      of_steps.push_back(alone.time());
    }
    Simulation run(*one.problem, *one.solver, *backend, one.options);
    for (double reached = 0.0; !run.is_over(); reached = run.reach()) {
      const double wanted = times.next(reached);
      run.advance(1000, wanted);
      if (run.is_over()) break;
      const auto distance = [&](double time) { return std::abs(time - wanted); };
      if (one.options.exact_times.empty()) {
        // The next step may be longer by a quarter, and ends behind the time then.
        double least = distance(run.time());
        for (const double time : of_steps) least = std::min(least, distance(time));
        EXPECT_LE(distance(run.time()), 1.5 * least + 1e-12) << wanted;
        EXPECT_LE(distance(run.time()), 0.6 * run.dt()) << wanted;
      } else {
        EXPECT_LT(run.time() - wanted, run.dt()) << "the first not before it";
        EXPECT_GE(run.time(), wanted - 1e-12);
      }
    }
    EXPECT_EQ(outcome_of(run), outcome_of(alone));
  }
}

TEST(CflRun, GivenTimesThatStepsAreToEndAtThenAStateStandsThereToTheBit) {
  const Gust gust;
  const auto solver = test::cubic_solver();
  SimulationOptions options = options_by_cfl(48, 2, 1.0);
  options.exact_times = Times(0.09, {0.2});
  const auto backend = make_backend("serial", 1);
  Simulation run(gust, *solver, *backend, options);
  for (double wanted = 0.0; !run.is_over();) {
    wanted = options.exact_times.next(wanted);
    run.advance(1000, wanted);
    EXPECT_EQ(run.time(), std::min(wanted, gust.end_time()));
  }
  SimulationOptions counted = run_options(48, 2, 100);
  counted.exact_times = Times(0.1);
  EXPECT_THROW(Simulation(gust, *solver, *backend, counted), std::invalid_argument);
}

TEST(CflRun, GivenSeveralOwnersThenTheBitsAreThoseOfOne) {
  for (const Problem& one : problems()) {
    SCOPED_TRACE(one.name);
    const Outcome expected = run_with(*one.problem, *one.solver, one.options);
    for (const int ranks : test::kSanitized ? std::vector{2} : std::vector{2, 3}) {
      test::on_loopback_ranks(
          {.ranks = ranks, .seed = 7}, [&](Backend& backend, Communicator& communicator) {
            Simulation run(*one.problem, *one.solver, backend, one.options, communicator);
            if (communicator.rank() != 0) {
              while (run.follow()) {
              }
              return;
            }
            EXPECT_EQ(run_to_end(run, 5), expected) << ranks << " owners";
          });
    }
  }
}

TEST(CflRun, GivenARestartAtAnyStepThenTheBitsAreThoseOfAnUndisturbedRun) {
  const auto backend = make_backend("serial", 1);
  for (const Problem& one : problems()) {
    SCOPED_TRACE(one.name);
    Simulation undisturbed(*one.problem, *one.solver, *backend, one.options);
    std::vector<SavedRun> saved;
    while (!undisturbed.is_over()) {
      saved.push_back(undisturbed.save());
      undisturbed.advance(1);
    }
    const Outcome expected = outcome_of(undisturbed);
    for (std::size_t at = 0; at < saved.size(); at += kStride) {
      Simulation again(*one.problem, *one.solver, *backend, one.options, saved[at]);
      EXPECT_EQ(again.time(), saved[at].time);
      EXPECT_EQ(run_to_end(again), expected) << "from base step " << at;
    }
  }
}

/// Says that its speed depends on the state too, so that choices ask it anew.
class Nonlinear final : public test::WrappedSolver {
 public:
  Nonlinear() : WrappedSolver(test::cubic_solver()) {
    traits_.nonlinear = true;
    traits_.characteristic_ghosts = false;
  }
  double state_cfl(ConstPatchView, std::span<const double>) const override { return 0.0; }
};

TEST(CflRun, GivenARestartBeforeAnyStepThenItIsAsLongAndTheNextRegridIsWhereItWas) {
  const auto backend = make_backend("serial", 1);
  const Gust problem;
  const auto solver = std::make_unique<Nonlinear>();
  SimulationOptions options = options_by_cfl(48, 2, 0.3);
  options.refinement.buffer = kPatchSize;  // so that a step is chosen between regrids, too
  Simulation undisturbed(problem, *solver, *backend, options);
  while (!undisturbed.is_over()) {
    const SavedRun saved = undisturbed.save();
    undisturbed.advance(1);
    Simulation again(problem, *solver, *backend, options, saved);
    again.advance(1);
    EXPECT_EQ(again.time(), undisturbed.time()) << "after base step " << saved.step;
    EXPECT_EQ(again.next_regrid(), undisturbed.next_regrid()) << "after base step " << saved.step;
  }
}

/// A pulse in a steady wind with a narrow jet between the points of level 0: only finer patches
/// know of its speed.
class Jet final : public FunctionCase {
 public:
  Jet() {
    u = [](double x, double y) {
      return std::exp(-2000.0 * ((x - 0.2) * (x - 0.2) + (y - 0.5) * (y - 0.5)));
    };
    vx = [](double x, double y) {
      const double far = std::abs(x - kX) + std::abs(y - kX);
      return far < 0.2 / kPoints ? 2.5 : 1.0;
    };
    duration = 0.6;
  }
  static constexpr int kPoints = 48;
  static constexpr double kX = 0.5 + 0.5 / kPoints;
};

TEST(CflRun, GivenAStepThatChangesInASteadyFlowThenWhatWasKeptForTheOldOneIsComputedAnew) {
  const auto backend = make_backend("serial", 1);
  const Jet jet;
  const auto solver = test::cubic_solver();
  SimulationOptions options = options_by_cfl(Jet::kPoints, 2, 0.9);
  options.exact_times = Times(0.037);  // between regrids, too
  Simulation undisturbed(jet, *solver, *backend, options);
  std::vector<SavedRun> saved;
  double longest = 0.0;
  double shortest = 1.0;
  while (!undisturbed.is_over()) {
    saved.push_back(undisturbed.save());
    longest = std::max(longest, undisturbed.dt());
    shortest = std::min(shortest, undisturbed.dt());
    undisturbed.advance(1);
  }
  ASSERT_GT(longest, 1.5 * shortest);
  const Outcome expected = outcome_of(undisturbed);
  for (std::size_t at = 0; at < saved.size(); at += test::kSanitized ? 10 : 1) {
    Simulation again(jet, *solver, *backend, options, saved[at]);
    EXPECT_EQ(run_to_end(again), expected) << "from base step " << at;
  }
}

TEST(CflRun, GivenTheCflNumberThatGivesSoManyStepsThenTheBitsAreThoseOfThatNumber) {
  const auto problem = test::zalesak();
  const auto solver = test::cubic_solver();
  for (const int levels : {1, 3}) {
    SimulationOptions chosen = run_options(64, levels, 0);
    chosen.cfl = 0.31;
    const auto backend = make_backend("threads", 2);
    Simulation run(*problem, *solver, *backend, chosen);
    run.advance(100);
    const int steps = static_cast<int>(std::lround(problem->end_time() / run.dt()));
    Simulation counted(*problem, *solver, *backend, run_options(64, levels, steps));
    counted.advance(100);
    EXPECT_EQ(run.dt(), counted.dt());
    EXPECT_EQ(outcome_of(run), outcome_of(counted)) << levels << " levels, " << steps << " steps";
  }
}

/// Burgers' solver, which says in chosen calls that a patch's state is too fast, as a state that
/// blows up between two choices would.
class Refusing final : public test::WrappedSolver {
 public:
  Refusing(std::unique_ptr<Solver> inner, double threshold)
      : WrappedSolver(std::move(inner)), threshold_(threshold) {}
  double state_cfl(ConstPatchView state, std::span<const double> coefficients) const override {
    const double cfl = inner_->state_cfl(state, coefficients);
    // A patch with a small mean is fast: far more so than any choice could know.
    return state.interior().mean() < threshold_ ? 8.0 * cfl : cfl;
  }

 private:
  double threshold_;
};

TEST(CflRun, GivenStatesThatAreSuddenlyFastThenTheirStepsAreTakenAgainWithTheSameBits) {
  const Wave wave;
  int different = 0;
  const Outcome calm = run_with(wave, *burgers(), options_by_cfl(48, 2, 0.4));
  for (const double threshold :
       test::kSanitized ? std::vector{0.2} : std::vector{0.12, 0.15, 0.2, 0.25}) {
    const Refusing solver(burgers(), threshold);
    const SimulationOptions options = options_by_cfl(48, 2, 0.4);
    const Outcome expected = run_with(wave, solver, options);
    EXPECT_EQ(expected.time, wave.duration);
    if (expected.steps > calm.steps) ++different;
    for (const test::Way& way :
         {test::Way{"threads", 1, Schedule::kLevel}, test::Way{"threads", 3, Schedule::kDataflow},
          test::Way{"threads", 8, Schedule::kDataflow}}) {
      EXPECT_EQ(run_with(wave, solver, options, way, 7), expected) << way.backend << way.workers;
    }
    test::on_loopback_ranks({.ranks = 3, .seed = 3},
                            [&](Backend& backend, Communicator& communicator) {
                              Simulation run(wave, solver, backend, options, communicator);
                              if (communicator.rank() != 0) {
                                while (run.follow()) {
                                }
                                return;
                              }
                              EXPECT_EQ(run_to_end(run, 4), expected);
                            });
  }
  EXPECT_GT(different, 0);
}

TEST(CflRun, GivenARestartBetweenStepsThatAreRefusedThenTheBitsAreThoseOfAnUndisturbedRun) {
  const Wave wave;
  const Refusing solver(burgers(), 0.2);
  const auto backend = make_backend("serial", 1);
  const SimulationOptions options = options_by_cfl(48, 2, 0.4);
  Simulation undisturbed(wave, solver, *backend, options);
  std::vector<SavedRun> saved;
  while (!undisturbed.is_over()) {
    saved.push_back(undisturbed.save());
    undisturbed.advance(1);
  }
  const Outcome expected = outcome_of(undisturbed);
  for (std::size_t at = 1; at < saved.size(); at += kStride) {
    Simulation again(wave, solver, *backend, options, saved[at]);
    EXPECT_EQ(run_to_end(again), expected) << "from base step " << at;
  }
}

/// The cubic solver, for which a patch is too fast in the step that covers a time, unless the base
/// step is short.
class Tripping final : public test::WrappedSolver {
 public:
  Tripping(const PatchId& id, double when, double longest, double coarsest)
      : WrappedSolver(test::cubic_solver()),
        id_(id),
        when_(when),
        longest_(longest),
        spacing_(std::ldexp(coarsest, -id.level)) {}
  double prepare(const Case& problem, const PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    const double cfl = inner_->prepare(problem, patch, time, dt, coefficients);
    const bool is_it = patch.spacing == spacing_ && patch.first_i == id_.i * kPatchSize &&
                       patch.first_j == id_.j * kPatchSize;
    const bool covers = time <= when_ && when_ < time + dt;
    return is_it && covers && std::ldexp(dt, id_.level) > longest_ ? 4.0 * traits_.cfl_limit : cfl;
  }

 private:
  PatchId id_;
  double when_;
  double longest_;
  double spacing_;
};

TEST(CflRun, GivenARefusalByAnyPatchOfAnyLevelAndRankThenTheRunIsTheSame) {
  const Gust problem;
  const SimulationOptions options = options_by_cfl(48, 3, 0.7);
  const auto backend = make_backend("serial", 1);
  const auto untroubled = test::cubic_solver();
  Simulation calm(problem, *untroubled, *backend, options);
  calm.advance(10);
  calm.advance(calm.next_regrid() - calm.step() + 1);  // neither mesh nor step change here
  ASSERT_GT(calm.next_regrid(), calm.step());
  // Within the next base step, late enough for the last step of the finest level.
  const double when = calm.time() + 0.9 * calm.dt();
  const double longest = 0.6 * calm.dt();
  const double coarsest = calm.hierarchy().geometry().spacing(0);
  std::vector<PatchId> all;
  for (int level = 0; level < 3; ++level) {
    for (const PatchId& id : calm.hierarchy().mesh().ids(level)) all.push_back(id);
  }
  const Outcome of_calm = run_to_end(calm);
  const Outcome expected = run_with(problem, Tripping({0, 1, 1}, when, longest, coarsest), options);
  EXPECT_GT(expected.steps, of_calm.steps);
  for (std::size_t at = 0; at < all.size(); at += test::kSanitized ? 9 : 1) {
    SCOPED_TRACE(to_string(all[at]));
    const Tripping solver(all[at], when, longest, coarsest);
    EXPECT_EQ(run_with(problem, solver, options), expected);
    EXPECT_EQ(run_with(problem, solver, options, {"threads", 3, Schedule::kDataflow}), expected);
    if (at % 5 != 0) continue;
    test::on_loopback_ranks({.ranks = 2, .seed = at},
                            [&](Backend& own, Communicator& communicator) {
                              Simulation run(problem, solver, own, options, communicator);
                              if (communicator.rank() == 0) {
                                EXPECT_EQ(run_to_end(run, 7), expected);
                              }
                              while (communicator.rank() != 0 && run.follow()) {
                              }
                            });
  }
}

/// A field whose indicator fails at a base step, on one rank alone where there are several.
class BrokenIndicator final : public test::ScriptedCase {
 public:
  BrokenIndicator() {
    indicator = [](int, int step, double x, double) {
      if (step >= 8 && x < 0.1) throw std::runtime_error("no indicator");
      return x < 0.5 ? 1.0 : 0.0;
    };
    steady = false;
  }
};

TEST(CflRun, GivenAFailureThatOneRankAloneKnowsOfThenAllEndAndNothingIsSaved) {
  const auto solver = test::cubic_solver();
  const BrokenIndicator problem;
  const SimulationOptions options = test::scripted_options(2);
  const auto backend = make_backend("threads", 2);
  Simulation alone(problem, *solver, *backend, options);
  EXPECT_THROW(alone.advance(20), std::runtime_error);
  EXPECT_FALSE(alone.is_whole()) << "in the midst of a regrid";
  EXPECT_THROW(test::on_loopback_ranks({.ranks = 2},
                                       [&](Backend& own, Communicator& communicator) {
                                         Simulation run(problem, *solver, own, options,
                                                        communicator);
                                         if (communicator.rank() == 0) {
                                           try {
                                             run.advance(20);
                                           } catch (...) {
                                             EXPECT_FALSE(run.is_whole());
                                             EXPECT_ANY_THROW(run.state_hash());
                                             throw;
                                           }
                                         }
                                         while (run.follow()) {
                                         }
                                       }),
               std::exception);
}

TEST(CflRun, GivenAFinishedRunThenItStaysAtItsEndWithACflNumber) {
  const auto problem = test::zalesak();
  const auto solver = test::cubic_solver();
  const auto backend = make_backend("serial", 1);
  Simulation counted(*problem, *solver, *backend, run_options(32, 1, 128));
  counted.advance(128);
  Simulation chosen(*problem, *solver, *backend, options_by_cfl(32, 1, 0.8), counted.save());
  EXPECT_TRUE(chosen.is_over());
  chosen.advance(5);
  EXPECT_EQ(chosen.step(), 128);
}

TEST(CflRun, GivenARunOfOneLevelAtItsStartThenItGoesOnByACflNumberOnMoreLevels) {
  const auto problem = test::zalesak();
  const auto solver = test::cubic_solver();
  const auto backend = make_backend("serial", 1);
  Simulation start(*problem, *solver, *backend, run_options(32, 1, 128));
  for (const int levels : {1, 2}) {
    Simulation chosen(*problem, *solver, *backend, options_by_cfl(32, levels, 0.8), start.save());
    chosen.advance(4);
    EXPECT_EQ(chosen.step(), 4);
    EXPECT_EQ(chosen.hierarchy().used_levels(), levels);
  }
}

TEST(CflRun, GivenAFailureOfARunWithANumberOfStepsThenTheLastWholeStateCanBeSaved) {
  Gust gust;
  const auto solver = test::cubic_solver();
  const auto check = [&](Backend& backend, Communicator& communicator) {
    Simulation run(gust, *solver, backend, run_options(48, 2, 30), communicator);
    if (communicator.rank() != 0) {
      EXPECT_THROW(while (run.follow()){}, CflError);
      return;
    }
    EXPECT_THROW(run.advance(30), CflError);
    ASSERT_TRUE(run.is_whole());
    const SavedRun saved = run.save();
    EXPECT_GT(saved.step, 0);
    // More steps for what is left.
    const auto other = make_backend("serial", 1);
    Simulation again(gust, *solver, *other, run_options(48, 2, 400), saved);
    EXPECT_EQ(again.step(), saved.step);
    EXPECT_NO_THROW(again.advance(400 - saved.step));
    EXPECT_EQ(again.time(), gust.duration);
  };
  const auto backend = make_backend("threads", 2);
  check(*backend, single_rank());
  test::on_loopback_ranks({.ranks = 2}, check);
}

TEST(CflRun, GivenAnEndBeforeTheCasesThenALaterOneAtARestartGoesOnFromThere) {
  const Gust gust;
  const auto solver = test::cubic_solver();
  const auto backend = make_backend("serial", 1);
  SimulationOptions options = options_by_cfl(48, 2, 0.7);
  options.end_time = 0.25;
  Simulation part(gust, *solver, *backend, options);
  EXPECT_EQ(run_to_end(part).time, 0.25);
  options.end_time = 0.0;
  Simulation rest(gust, *solver, *backend, options, part.save());
  EXPECT_FALSE(rest.is_over());
  EXPECT_EQ(run_to_end(rest).time, gust.duration);
  EXPECT_GT(rest.step(), part.step());
}

TEST(CflRun, GivenAnUnhappyChoiceOfOptionsThenTheErrorNamesBoth) {
  const auto backend = make_backend("serial", 1);
  const auto solver = test::cubic_solver();
  const Wave wave;
  SimulationOptions both = run_options(48, 1, 100);
  both.cfl = 0.5;
  EXPECT_THROW(Simulation(wave, *solver, *backend, both), OptionError);
  EXPECT_THROW(Simulation(wave, *solver, *backend, run_options(48, 1, 0)), OptionError);
  EXPECT_THROW(Simulation(wave, *solver, *backend, options_by_cfl(48, 1, 1.5)), OptionError)
      << "above the solver's limit";
}

}  // namespace
}  // namespace kumiko::amr
