// Contract: a run that begins with a stored state has the state's bits on its own grid, and the
// mass of its cells on every other one; a restart of it goes on with its bits. Between grids, nodes
// are interpolated with fourth order and cells with fifth, and fields of nodes and cells with
// fourth order into each other. What does not fit is refused.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/initial_state.hpp>
#include <kumiko/amr/simulation.hpp>

#include "fixtures.hpp"
#include "transfer/axis_remap.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;
using test::run_options;

std::unique_ptr<Solver> solver_of(Centring centring) {
  if (centring == Centring::kNode) return test::cubic_solver();
  const auto* const factory = plugin::find_solver("finite_volume_upwind3");
  return factory->make(defaults(factory->parameters));
}

/// A disk with a jump, off the centre, in a steady rotation; values outside are 0.
struct Disk : FunctionCase {
  Disk() {
    u = [](double x, double y) { return std::hypot(x - 0.45, y - 0.6) < 0.2 ? 1.0 : 0.0; };
    vx = [](double, double y) { return 0.5 - y; };
    vy = [](double x, double) { return x - 0.5; };
    sides = {};
  }
};

SimulationOptions refined(int points, int levels, int steps = 64) {
  SimulationOptions options = run_options(points, levels, steps);
  options.time_interpolation = TimeInterpolation::kAuto;
  return options;
}

InitialState stored(const Simulation& simulation, double time = 0.0) {
  return {simulation.save(), simulation.hierarchy().geometry(), time};
}

/// The state of a run of so many base steps.
InitialState state_of(const Case& problem, Centring centring, const SimulationOptions& options,
                      int steps) {
  const auto backend = make_backend("serial", 1);
  const auto solver = solver_of(centring);
  Simulation run(problem, *solver, *backend, options);
  run.advance(steps);
  return stored(run);
}

class OwnGrid : public ::testing::TestWithParam<Centring> {
 protected:
  Disk problem_;
  std::unique_ptr<Solver> solver_ = solver_of(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Of, OwnGrid, ::testing::Values(Centring::kNode, Centring::kCell),
                         [](const auto& tested) {
                           return tested.param == Centring::kNode ? "Nodes" : "Cells";
                         });

TEST_P(OwnGrid, GivenAStateThenANewRunBeginsWithItsBitsAndARestartKeepsIts) {
  const auto serial = make_backend("serial", 1);
  const auto threads = make_backend("threads", 2);
  SimulationOptions by_cfl = test::options_by_cfl(32, 3, 0.5);
  by_cfl.end_time = 0.5;
  for (const SimulationOptions& options : {refined(32, 3), by_cfl}) {
    Simulation first(problem_, *solver_, *serial, options);
    first.advance(10);
    for (const double time : {0.0, first.time()}) {
      const InitialState state = stored(first, time);
      Simulation run(problem_, *solver_, *serial, options, state);
      EXPECT_EQ(run.state_hash(), first.state_hash());
      EXPECT_EQ(run.step(), 0);
      EXPECT_EQ(run.time(), time);
      EXPECT_EQ(diagnose(state).state_hash, first.state_hash());
      EXPECT_EQ(diagnose(state).field.mass, run.field_figures().mass);
      std::vector<SavedRun> on_the_way;
      for (int steps : {0, 1, 6}) {
        run.advance(steps);
        on_the_way.push_back(run.save());
      }
      while (!run.is_over()) run.advance(1);
      EXPECT_NEAR(run.time(), run.end_time(), 1e-15);
      for (const SavedRun& saved : on_the_way) {
        Simulation rest(problem_, *solver_, *threads, options, saved);
        while (!rest.is_over()) rest.advance(1);
        EXPECT_EQ(rest.step(), run.step());
        EXPECT_EQ(rest.time(), run.time());
        EXPECT_EQ(rest.state_hash(), run.state_hash()) << "from base step " << saved.step;
      }
    }
  }
}

TEST_P(OwnGrid, GivenAStateThenTheScalesBeginWithLevel0) {
  const auto backend = make_backend("serial", 1);
  const InitialState state = state_of(problem_, GetParam(), refined(32, 3), 6);
  double largest = 0.0;
  for (const double value : state.run.level(0).values) {
    largest = std::max(largest, std::abs(value));
  }
  const Simulation run(problem_, *solver_, *backend, refined(32, 3), state);
  EXPECT_EQ(run.save().scales.front().now, largest);
}

TEST_P(OwnGrid, GivenMoreLevelsOrAnotherCriterionThenTheMeshIsRebuiltBeforeTheFirstStep) {
  const auto backend = make_backend("serial", 1);
  const InitialState state = state_of(problem_, GetParam(), refined(32, 1), 4);
  Simulation run(problem_, *solver_, *backend, refined(32, 3), state);
  EXPECT_EQ(run.hierarchy().used_levels(), 1);
  run.advance(1);
  EXPECT_EQ(run.hierarchy().used_levels(), 3);
  EXPECT_EQ(run.counters().regrids, 1U);
}

TEST_P(OwnGrid, GivenASourceOfTheValuesThenTheBitsAreTheSame) {
  const auto backend = make_backend("threads", 2);
  const InitialState state = state_of(problem_, GetParam(), refined(32, 2), 4);
  InitialState read = state;
  read.run.source = {
      state.run.record_size(), [&](int level, std::size_t slot, std::span<double> into) {
        std::ranges::copy(state.run.record(level, slot).first(into.size()), into.begin());
      }};
  for (SavedLevel& level : read.run.levels) level.values.clear();
  for (const int points : {32, 48}) {
    const Simulation a(problem_, *solver_, *backend, refined(points, 2), state);
    const Simulation b(problem_, *solver_, *backend, refined(points, 2), read);
    EXPECT_EQ(a.state_hash(), b.state_hash());
  }
  EXPECT_EQ(diagnose(read).state_hash, diagnose(state).state_hash);
}

// --- Other grids ---

TEST(InitialState, GivenAnyOtherGridThenTheMassOfCellsIsKept) {
  const Disk problem;
  const auto backend = make_backend("threads", 2);
  const auto solver = solver_of(Centring::kCell);
  for (const int steps : {0, 6}) {
    const InitialState state = state_of(problem, Centring::kCell, refined(48, 3), steps);
    const double mass = diagnose(state).field.mass;
    for (const int points : {16, 32, 48, 64, 80, 96}) {
      for (const int levels : {1, 2, 3}) {
        const Simulation run(problem, *solver, *backend, refined(points, levels), state);
        EXPECT_GT(run.hierarchy().level(levels - 1).size(), 0U);
        if (steps > 0) {
          EXPECT_NEAR(run.field_figures().mass / mass, 1.0, 1e-14)
              << points << " points, " << levels << " levels";
        }
        EXPECT_LT(run.field_figures().maximum, 1.4) << "no overshoot beyond that of polynomials";
      }
    }
  }
}

TEST(InitialState, GivenPeriodicSidesThenTheMassOfCellsIsKeptAcrossThem) {
  FunctionCase problem;
  problem.u = [](double x, double y) { return x < 0.25 || y > 0.7 ? 2.0 : 1.0; };
  problem.vx = [](double, double) { return 0.5; };
  const auto backend = make_backend("serial", 1);
  const auto solver = solver_of(Centring::kCell);
  const InitialState state = state_of(problem, Centring::kCell, refined(32, 2), 3);
  const double mass = diagnose(state).field.mass;
  for (const int points : {48, 80}) {
    const Simulation run(problem, *solver, *backend, refined(points, 2), state);
    EXPECT_NEAR(run.field_figures().mass / mass, 1.0, 1e-14);
  }
}

TEST(InitialState, GivenAConstantThenItStaysToTheBit) {
  Disk problem;
  problem.u = [](double, double) { return 0.1; };
  problem.sides = {BoundaryKind::kOutflow, BoundaryKind::kOutflow, 0.0};
  const auto backend = make_backend("serial", 1);
  for (const Centring from : {Centring::kNode, Centring::kCell}) {
    const InitialState state = state_of(problem, from, refined(32, 1), 0);
    for (const Centring to : {Centring::kNode, Centring::kCell}) {
      for (const int points : {16, 32, 48, 64}) {
        const auto solver = solver_of(to);
        const Simulation run(problem, *solver, *backend, refined(points, 2), state);
        EXPECT_EQ(run.field_figures().minimum, 0.1);
        EXPECT_EQ(run.field_figures().maximum, 0.1);
      }
    }
  }
}

TEST(InitialState, GivenAGridOfTheStatesLevelsThenItHasTheirBits) {
  const Disk problem;
  const auto backend = make_backend("serial", 1);
  for (const Centring centring : {Centring::kNode, Centring::kCell}) {
    const auto solver = solver_of(centring);
    const InitialState state = state_of(problem, centring, refined(32, 2), 5);
    const Simulation fine(problem, *solver, *backend, refined(64, 1), state);
    const Mesh<2>& mesh = state.run.mesh;
    for (std::size_t slot = 0; slot < mesh.size(1); ++slot) {
      const PatchId id = mesh.ids(1)[slot];
      const std::int32_t there = fine.hierarchy().mesh().find({0, id.i, id.j});
      const FieldArray values =
          fine.hierarchy().level(0).patch(static_cast<std::size_t>(there)).now().interior();
      EXPECT_TRUE(std::equal(values.data(), values.data() + kPatchPoints,
                             state.run.values(1, slot, 0).begin()));
    }
  }
}

/// A smooth periodic field, and its averages over squares.
double wave_of_state(double x, double y) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  return std::sin(kTurn * x + 0.3) * std::cos(kTurn * y - 0.4);
}
double wave_average(double x, double y, double h) {
  const double factor = std::sin(std::numbers::pi * h) / (std::numbers::pi * h);
  return wave_of_state(x, y) * factor * factor;
}

/// The largest error of a uniform run that begins with the exact values on another uniform grid.
double error_between(Centring from, int from_points, Centring to, int to_points) {
  FunctionCase problem;
  problem.u = wave_of_state;
  const auto backend = make_backend("serial", 1);
  const InitialState state = state_of(problem, from, refined(from_points, 1), 0);
  const auto solver = solver_of(to);
  const Simulation run(problem, *solver, *backend, refined(to_points, 1), state);
  const Geometry& geometry = run.hierarchy().geometry();
  const double h = geometry.spacing(0);
  double largest = 0.0;
  for (std::size_t slot = 0; slot < run.hierarchy().level(0).size(); ++slot) {
    const Patch& patch = run.hierarchy().level(0).patch(slot);
    for (int at = 0; at < kPatchPoints; ++at) {
      const int i = at % kPatchSize;
      const int j = at / kPatchSize;
      const double x = geometry.coordinate(0, patch.id().i * kPatchSize + i);
      const double y = geometry.coordinate(0, patch.id().j * kPatchSize + j);
      const double exact = to == Centring::kNode ? wave_of_state(x, y) : wave_average(x, y, h);
      largest = std::max(largest, std::abs(patch.now()(i, j) - exact));
    }
  }
  return largest;
}

struct Pair {
  Centring from;
  Centring to;
  double order;
};

TEST(InitialState, GivenASmoothFieldThenItConvergesWithTheOrderOfThePolynomials) {
  for (const Pair& pair : {Pair{Centring::kNode, Centring::kNode, 4.0},
                           {Centring::kCell, Centring::kCell, 5.0},
                           {Centring::kNode, Centring::kCell, 4.0},
                           {Centring::kCell, Centring::kNode, 4.0}}) {
    for (const int points : {64, 96, 144, 160, 192}) {
      if (pair.from == pair.to && points == 96) continue;  // the state itself
      const double coarse = error_between(pair.from, 96, pair.to, points);
      const double fine = error_between(pair.from, 192, pair.to, 2 * points);
      EXPECT_GT(std::log2(coarse / fine), pair.order - 0.3)
          << points << " points: " << coarse << ", " << fine;
    }
    if (pair.from != pair.to) continue;
    EXPECT_LT(error_between(pair.from, 96, pair.to, 48), 1e-14) << "sums of cells, common nodes";
  }
}

TEST(AxisRemap, GivenPolynomialsOfItsDegreeThenTheyAreExact) {
  const auto power = [](double x, int degree) { return std::pow(x, degree); };
  const auto average = [&](double a, double b, int degree) {
    return (power(b, degree + 1) - power(a, degree + 1)) / ((degree + 1) * (b - a));
  };
  for (const Centring from : {Centring::kNode, Centring::kCell}) {
    for (const Centring to : {Centring::kNode, Centring::kCell}) {
      const bool are_cells = from == Centring::kCell && to == Centring::kCell;
      for (int degree = 0; degree <= (are_cells ? 4 : 3); ++degree) {
        for (const int points : {16, 32, 48, 112}) {
          const AxisRemap remap({from, 32}, {to, points}, 0, points);
          EXPECT_GE(remap.first(), -AxisRemap::kReach);
          EXPECT_LE(remap.last(), 32 + AxisRemap::kReach);
          std::vector<double> values;
          for (int at = remap.first(); at < remap.last(); ++at) {
            values.push_back(from == Centring::kNode ? power(at / 32.0, degree)
                                                     : average(at / 32.0, (at + 1) / 32.0, degree));
          }
          for (int at = 0; at < points; ++at) {
            const double low = static_cast<double>(at) / points;
            const double high = static_cast<double>(at + 1) / points;
            EXPECT_NEAR(remap.value(at, values.data(), 1),
                        to == Centring::kNode ? power(low, degree) : average(low, high, degree),
                        2e-14);
          }
        }
      }
    }
  }
}

// --- What does not fit ---

TEST(InitialState, GivenAnotherDomainOrOtherComponentsOrALateStateThenItIsRefused) {
  const Disk problem;
  const auto backend = make_backend("serial", 1);
  const auto solver = solver_of(Centring::kNode);
  const InitialState state = state_of(problem, Centring::kNode, refined(32, 1), 1);
  const auto refusal = [&](const Case& of, const InitialState& from) -> std::string {
    try {
      const Simulation run(of, *solver, *backend, refined(32, 1), from);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(problem, state), "");
  Disk wide;
  wide.size = {2.0, 2.0};
  EXPECT_EQ(refusal(wide, state),
            "the state to begin with has a domain of 1 x 1, and the case one of 2 x 2");
  struct Two : Disk {
    int components() const override { return 2; }
  };
  EXPECT_EQ(refusal(Two(), state), "the state to begin with has 1 components, and the case 2");
  InitialState empty = state;
  empty.run.levels.front().values.clear();
  EXPECT_EQ(refusal(problem, empty),
            "the state to begin with holds no values; read it with its values");
  InitialState late = state;
  late.time = 1.0;
  EXPECT_EQ(refusal(problem, late),
            "the run is to begin at t = 1, and to end at t = 1; it must begin before its end");
}

}  // namespace
}  // namespace kumiko::amr
