// Contract: a case of one plugin reaches a solver of another without a detour through the program,
// which keeps it: the solver calls the case's own functions, cannot destroy it, and is not blamed
// for its failures.
#include "bridge/case_bridge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/amr/solver_declaration.hpp>
#include <kumiko/plugin/registry.hpp>

#include "bridge/parameter_tables.hpp"
#include "bridge/sized.hpp"
#include "bridge/solver_bridge.hpp"
#include "bridge/status.hpp"

namespace kumiko::plugin::detail {
namespace {

/// A case as a plugin in C would give it, which counts what is asked of it.
struct CountedCase {
  bool fails = false;
  bool is_ignorant = false;
  mutable int velocities = 0;
  int destroyed = 0;
};

const CountedCase& counted(const void* self) { return *static_cast<const CountedCase*>(self); }

kumiko_status counted_velocity(const void* self, kumiko_points points, double,
                               kumiko_vectors velocity, kumiko_error* error) {
  ++counted(self).velocities;
  if (counted(self).fails) {
    return tell(error, KUMIKO_FAILED, "the wind is not known", KUMIKO_UNNAMED);
  }
  if (counted(self).is_ignorant) return KUMIKO_UNKNOWN;
  std::fill_n(velocity.x, points.count, 3.0);
  std::fill_n(velocity.y, points.count, 4.0);
  return KUMIKO_OK;
}

/// Of the functions, those that the tests reach.
constexpr kumiko_case_functions kCounted = {
    .size = sizeof(kumiko_case_functions),
    .destroy = [](void* self) { ++static_cast<CountedCase*>(self)->destroyed; },
    .facts =
        [](const void*, kumiko_case_facts* facts, kumiko_error*) {
          *facts = {sizeof(*facts), 2, 1.0, 1.0, {}, 1.0, 1, 1, 0, 0, 0.0};
          return kumiko_status{KUMIKO_OK};
        },
    .initial = nullptr,
    .boundary_values = nullptr,
    .velocity = counted_velocity,
    .stream_function = nullptr,
    .exact_displacement = nullptr,
    .exact = nullptr,
    .refinement_indicator = nullptr,
    .component_names = nullptr,
    .published_values = nullptr,
    .equation = nullptr,
    .observe = nullptr,
    .velocity_factor = nullptr};

/// Its CFL number is the velocity's in x.
class AskingSolver final : public amr::Solver {
 public:
  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return 0; }
  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double,
                 std::span<double>) const override {
    std::array<double, 2> x{};
    std::array<double, 2> y{};
    problem.velocity(patch.points, time, {x, y});
    return x[1];
  }
  void advance(amr::ConstPatchView, std::span<const double>, amr::PatchView) const override {}
  void displacement(const amr::Case& problem, amr::Points points, double time, double,
                    amr::Vectors displacement) const override {
    problem.velocity(points, time, displacement);
  }

 private:
  amr::SolverTraits traits_;
};

class CaseBridge : public testing::Test {
 protected:
  double prepare() { return solver_.prepare(case_, {{points_, points_}, 0.5}, 0.0, 0.1, {}); }

  void displace() {
    std::array<double, 2> x{};
    std::array<double, 2> y{};
    solver_.displacement(case_, {points_, points_}, 0.0, 0.1, {x, y});
  }

  template <class Call>
  static std::string failure(Call call) {
    try {
      call();
      return "it did not fail";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  CountedCase counted_;
  CaseFromBeyond case_{{&kCounted, &counted_}, "case 'windy' of 'windy.so'"};
  SolverFromBeyond solver_{give(std::make_unique<AskingSolver>()), "asking",
                           "solver 'asking' of 'asking.so'"};
  std::array<double, 2> points_{};
};

TEST_F(CaseBridge, GivenACaseFromBeyondWhenItIsLentThenItsOwnFunctionsAreHandedOn) {
  const LentCase lent = lend(case_);
  EXPECT_EQ(lent.in_c.self, &counted_);
  EXPECT_EQ(lent.in_c.functions->velocity, kCounted.velocity);
  EXPECT_EQ(lent.in_c.functions->facts, kCounted.facts);
}

TEST_F(CaseBridge, GivenACaseFromBeyondWhenASolverFromBeyondAsksItThenItAnswersOnce) {
  EXPECT_EQ(prepare(), 3.0);
  EXPECT_EQ(counted_.velocities, 1);
}

/// Solves an equation with two constants.
class OtherEquation final : public amr::Solver {
 public:
  const amr::SolverTraits& traits() const override { return traits_; }
  amr::Equation equation() const override { return {"heat", {{"kappa", 0.5}, {"rate", -2.0}}}; }
  std::size_t coefficients() const override { return 0; }
  double prepare(const amr::Case&, const amr::PatchPoints&, double, double,
                 std::span<double>) const override {
    return 0.0;
  }
  void advance(amr::ConstPatchView, std::span<const double>, amr::PatchView) const override {}

 private:
  amr::SolverTraits traits_;
};

TEST_F(CaseBridge, GivenAnEquationThenTheOtherSideHasIt) {
  const SolverFromBeyond heat(give(std::make_unique<OtherEquation>()), "heat", "");
  EXPECT_EQ(heat.equation(), OtherEquation().equation());
  EXPECT_EQ(amr::to_string(heat.equation()), "heat with kappa = 0.5, rate = -2");
  EXPECT_EQ(solver_.equation(), amr::Equation()) << "what says nothing solves advection";
}

TEST_F(CaseBridge, GivenATableWithoutTheFunctionThenTheCaseIsOneOfAdvection) {
  ASSERT_EQ(kCounted.equation, nullptr);
  EXPECT_EQ(amr::to_string(case_.equation()), "advection");
}

TEST_F(CaseBridge, GivenALentCaseWhenItIsDestroyedThenItLives) {
  const LentCase lent = lend(case_);
  lent.in_c.functions->destroy(lent.in_c.self);
  prepare();
  EXPECT_EQ(counted_.destroyed, 0);
}

TEST(CaseFromPlugin, GivenItsEndThenTheCaseIsDestroyedOnce) {
  CountedCase counted;
  { const CaseFromBeyond problem({&kCounted, &counted}, "case"); }
  EXPECT_EQ(counted.destroyed, 1);
}

TEST_F(CaseBridge, GivenACaseThatFailsASolverThenTheMessageNamesTheCase) {
  counted_.fails = true;
  EXPECT_EQ(failure([&] { prepare(); }), "case 'windy' of 'windy.so': the wind is not known");
  EXPECT_EQ(failure([&] { displace(); }), "case 'windy' of 'windy.so': the wind is not known");
}

TEST_F(CaseBridge, GivenACaseWithoutAVelocityThenTheMessageNamesTheCase) {
  counted_.is_ignorant = true;
  EXPECT_EQ(failure([&] { prepare(); }),
            "case 'windy' of 'windy.so': it does not know what it must");
}

/// Its inflow on the left depends on y and on the time, each component's in its own way.
class Inflow final : public amr::Case {
 public:
  static double solution(double x, double y, int component, double time) {
    return std::sin(3.0 * (time - x) + component) * (1.0 + y * y);
  }

  amr::Boundaries boundaries() const override {
    constexpr amr::Boundary kInflow{amr::BoundaryKind::kPrescribed};
    constexpr amr::Boundary kOutflow{amr::BoundaryKind::kOutflow};
    return {kInflow, kOutflow, kInflow, kInflow};
  }
  double end_time() const override { return 0.5; }
  int components() const override { return 2; }
  bool steady_velocity() const override { return true; }
  void initial(amr::Points points, int component, std::span<double> values) const override {
    exact(points, component, 0.0, values);
  }
  void boundary_values(amr::Side side, amr::Points points, int component, double time,
                       std::span<double> values) const override {
    if (side == amr::Side::kRight) throw std::runtime_error("nothing enters on the right");
    exact(points, component, time, values);
  }
  void velocity(amr::Points, double, amr::Vectors velocity) const override {
    std::fill(velocity.x.begin(), velocity.x.end(), 1.0);
    std::fill(velocity.y.begin(), velocity.y.end(), 0.0);
  }
  bool exact(amr::Points points, int component, double time,
             std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = solution(points.x[at], points.y[at], component, time);
    }
    return true;
  }
};

TEST(CaseFromPlugin, GivenAnInflowOfPlaceAndTimeThenTheExactSolutionIsCarriedIn) {
  const Inflow own;
  const CaseFromBeyond problem(give(std::make_unique<Inflow>()), "case 'inflow'");
  const auto solver = find_solver("semi_lagrangian_cubic")->make({});
  const auto backend = amr::make_backend("serial", 1);
  amr::SimulationOptions options;
  options.points_x = options.points_y = 32;
  options.levels = 2;
  options.steps = 32;
  amr::Simulation from_beyond(problem, *solver, *backend, options);
  amr::Simulation from_here(own, *solver, *backend, options);
  from_beyond.advance(32);
  from_here.advance(32);
  // Away from the right side, whose outflow is of first order.
  const auto& base = from_beyond.hierarchy().level(0);
  const amr::Patch& left = base.patch(0);
  for (int component = 0; component < 2; ++component) {
    for (int at = 0; at < amr::kPatchPoints; ++at) {
      const int i = at % amr::kPatchSize;
      const int j = at / amr::kPatchSize;
      EXPECT_NEAR(left.now()(i, j, component), Inflow::solution(i / 32.0, j / 32.0, component, 0.5),
                  1e-4);
    }
  }
  EXPECT_EQ(amr::state_hash(from_beyond.hierarchy()), amr::state_hash(from_here.hierarchy()));
}

TEST(CaseFromPlugin, GivenAFailureOfBoundaryValuesThenTheMessageNamesTheCase) {
  const CaseFromBeyond problem(give(std::make_unique<Inflow>()), "case 'inflow' of 'inflow.so'");
  std::array<double, 1> one{};
  try {
    problem.boundary_values(amr::Side::kRight, {one, one}, 0, 0.0, one);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "case 'inflow' of 'inflow.so': nothing enters on the right");
  }
}

/// Says what the test wants of it.
struct OddCase final : amr::Case {
  int dimensions() const override { return 3; }
  double end_time() const override { return 1.0; }
  void initial(amr::Points, int, std::span<double>) const override {}
  void velocity(amr::Points, double, amr::Vectors) const override {}
};

TEST(CaseFromPlugin, GivenThreeDimensionsThenARunSaysHowManyThereAre) {
  const CaseFromBeyond problem(give(std::make_unique<OddCase>()), "case 'odd'");
  EXPECT_EQ(problem.dimensions(), 3);
  const auto solver = find_solver("semi_lagrangian_cubic")->make({});
  const auto backend = amr::make_backend("serial", 1);
  try {
    amr::SimulationOptions options;
    options.points_x = options.points_y = 32;
    options.steps = 32;
    const amr::Simulation run(problem, *solver, *backend, options);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "the case has 3 dimensions; this Kumiko computes in 2");
  }
}

/// Keeps what it is shown.
struct WatchingCase final : amr::Case {
  double end_time() const override { return 1.0; }
  void initial(amr::Points, int, std::span<double>) const override {}
  void velocity(amr::Points, double, amr::Vectors) const override {}
  int observe_every() const override { return 5; }
  void observe(const amr::Observation& shown) const override {
    if (shown.step == 10) throw std::runtime_error("the probe is broken");
    EXPECT_EQ(shown.step, 5);
    EXPECT_EQ(shown.time, 0.25);
    EXPECT_EQ(shown.dt, 0.05);
    EXPECT_EQ(shown.rank, 1);
    EXPECT_EQ(shown.ranks, 2);
    ASSERT_EQ(shown.patches.size(), 2U);
    const amr::ObservedPatch& second = shown.patches[1];
    EXPECT_EQ(second.id, (amr::PatchId{1, 4, 7}));
    EXPECT_EQ(second.x, 2.0);
    EXPECT_EQ(second.y, 3.5);
    EXPECT_EQ(second.spacing, 0.03125);
    EXPECT_EQ(second.covered, (std::array<bool, 4>{false, true, false, true}));
    EXPECT_EQ(second.state(3, 4), 42.0);
  }
};

TEST(CaseFromPlugin, GivenACaseThatWatchesThenItIsShownWhatTheEngineShows) {
  const CaseFromBeyond problem(give(std::make_unique<WatchingCase>()), "case 'watch' of 'w.so'");
  EXPECT_EQ(problem.observe_every(), 5);
  EXPECT_EQ(CaseFromBeyond(give(std::make_unique<OddCase>()), "odd").observe_every(), 0);
  constexpr int kGhosts = 2;
  std::vector<double> values(20 * 20);
  const amr::PatchView view(values.data(), 1, kGhosts);
  view(3, 4) = 42.0;
  const std::array<amr::ObservedPatch, 2> patches = {
      amr::ObservedPatch{.id = {0, 1, 2}, .state = view},
      amr::ObservedPatch{.id = {1, 4, 7},
                         .x = 2.0,
                         .y = 3.5,
                         .spacing = 0.03125,
                         .covered = {false, true, false, true},
                         .state = view}};
  problem.observe({5, 0.25, 0.05, 1, 2, patches});
  try {
    problem.observe({10, 0.5, 0.05, 1, 2, patches});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "case 'watch' of 'w.so': the probe is broken");
  }
}

TEST(CaseFromPlugin, GivenATableFromBeforeThereWereHooksThenNothingIsShown) {
  kumiko_case_functions older = kCounted;
  older.size = offsetof(kumiko_case_functions, observe);
  CountedCase counted;
  const CaseFromBeyond problem({&older, &counted}, "case 'older'");
  EXPECT_EQ(problem.observe_every(), 0);
}

/// Admits what is above 0.
class Positive final : public amr::Solver {
 public:
  explicit Positive(bool limits) { traits_.limits_states = limits; }
  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return 0; }
  double prepare(const amr::Case&, const amr::PatchPoints&, double, double,
                 std::span<double>) const override {
    return 0.0;
  }
  void advance(amr::ConstPatchView, std::span<const double>, amr::PatchView) const override {}
  std::optional<amr::InnerPoint> inadmissible_point(amr::ConstPatchView state) const override {
    for (int j = 0; j < amr::kPatchSize; ++j) {
      for (int i = 0; i < amr::kPatchSize; ++i) {
        if (!(state(i, j) > 0.0)) return amr::InnerPoint{i, j};
      }
    }
    return std::nullopt;
  }

 private:
  amr::SolverTraits traits_;
};

TEST(SolverFromPlugin, GivenASolverThatLimitsStatesThenItsAnswerComesThrough) {
  const SolverFromBeyond solver(give(std::make_unique<Positive>(true)), "positive", "solver");
  EXPECT_TRUE(solver.traits().limits_states);
  std::vector<double> values(20 * 20, 1.0);
  const amr::PatchView view(values.data(), 1, 2);
  EXPECT_FALSE(solver.inadmissible_point(view));
  view(7, 3) = -1.0;
  view(2, 9) = -1.0;
  const auto point = solver.inadmissible_point(view);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->i, 7);
  EXPECT_EQ(point->j, 3);
  const SolverFromBeyond any(give(std::make_unique<Positive>(false)), "any", "solver");
  EXPECT_FALSE(any.traits().limits_states);
}

/// Of a density, a momentum and an energy.
class Momentum final : public amr::Solver {
 public:
  explicit Momentum(std::vector<amr::VectorComponents> vectors, int components = 4) {
    traits_.components = components;
    traits_.vectors = std::move(vectors);
  }
  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return 0; }
  double prepare(const amr::Case&, const amr::PatchPoints&, double, double,
                 std::span<double>) const override {
    return 0.0;
  }
  void advance(amr::ConstPatchView, std::span<const double>, amr::PatchView) const override {}

 private:
  amr::SolverTraits traits_;
};

TEST(SolverFromPlugin, GivenAVectorAmongItsComponentsThenItComesThrough) {
  using Vectors = std::vector<amr::VectorComponents>;
  const SolverFromBeyond solver(give(std::make_unique<Momentum>(Vectors{{.x = 2, .y = 1}})), "gas",
                                "solver 'gas'");
  ASSERT_EQ(solver.traits().vectors.size(), 1U);
  EXPECT_EQ(solver.traits().vectors.front().x, 2);
  EXPECT_EQ(solver.traits().vectors.front().y, 1);
  EXPECT_TRUE(amr::impossible_declarations(solver).empty());
}

TEST(SolverFromPlugin, GivenVectorsThatCannotBeThenItsDeclarationSaysSo) {
  const auto impossible = [](std::vector<amr::VectorComponents> vectors, int components = 4) {
    return amr::impossible_declarations(Momentum(std::move(vectors), components));
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(impossible({{.x = 1, .y = 4}}),
            Lines{"declares a vector with component 4; its components are 0 to 3"});
  EXPECT_EQ(impossible({{.x = 1, .y = 2}, {.x = 3, .y = 1}}),
            Lines{"declares component 1 twice among its vectors"});
  EXPECT_EQ(impossible({{.x = 0, .y = 1}}, 0),
            Lines{"declares vectors but not the number of components; give both"});
}

/// The traits of a plugin from before there were vectors.
kumiko_status older_traits(const void*, kumiko_solver_traits* traits, kumiko_error*) {
  traits->vectors = reinterpret_cast<const kumiko_vector_components*>(8);
  traits->vector_count = 7;
  traits->size = offsetof(kumiko_solver_traits, vectors);
  traits->dimensions = 2;
  traits->ghosts = 1;
  traits->cfl_limit = 1.0;
  return KUMIKO_OK;
}

TEST(SolverFromPlugin, GivenTraitsFromBeforeThereWereVectorsThenAllComponentsAreScalars) {
  kumiko_solver_functions older{};
  older.size = sizeof(older);
  older.traits = older_traits;
  older.destroy = [](void*) {};
  const SolverFromBeyond solver({&older, nullptr}, "older", "solver 'older'");
  EXPECT_TRUE(solver.traits().vectors.empty());
}

TEST(SolverFromPlugin, GivenThreeDimensionsThenItsDeclarationIsImpossible) {
  struct Solid final : amr::Solver {
    Solid() { traits_.dimensions = 3; }
    const amr::SolverTraits& traits() const override { return traits_; }
    std::size_t coefficients() const override { return 0; }
    double prepare(const amr::Case&, const amr::PatchPoints&, double, double,
                   std::span<double>) const override {
      return 0.0;
    }
    void advance(amr::ConstPatchView, std::span<const double>, amr::PatchView) const override {}
    amr::SolverTraits traits_;
  };
  const SolverFromBeyond solver(give(std::make_unique<Solid>()), "solid", "solver 'solid'");
  EXPECT_EQ(amr::impossible_declarations(solver),
            std::vector<std::string>{"declares 3 dimensions; this Kumiko computes in 2"});
}

TEST(DeclarationsInC, GivenACountWithoutAListThenItIsRefused) {
  EXPECT_THROW(from_c(static_cast<const kumiko_parameter*>(nullptr), 2), std::invalid_argument);
  kumiko_parameter parameter{};
  parameter.name = "kind";
  parameter.help = "which one";
  parameter.default_value.type = KUMIKO_TEXT;
  parameter.default_value.text = "a";
  parameter.choice_count = 3;
  EXPECT_THROW(from_c(&parameter, 1), std::invalid_argument);
}

TEST(FailuresInC, GivenNoMessageThenThatIsTold) {
  try {
    call_beyond("solver 'mute'", [](kumiko_error*) { return kumiko_status{KUMIKO_FAILED}; });
    FAIL();
  } catch (const FailedBeyond& failure) {
    EXPECT_STREQ(failure.what(), "solver 'mute': it failed without a message");
  }
}

TEST(SizedStructures, GivenALaterAndLongerTableThenWhatIsKnownOfItIsServed) {
  struct Later {
    kumiko_case_functions known;
    void (*unknown)();
  };
  static const Later later = [] {
    Later made{kCounted, nullptr};
    made.known.size = sizeof(Later);
    return made;
  }();
  CountedCase counted;
  const CaseFromBeyond problem({&later.known, &counted}, "case");
  EXPECT_EQ(problem.lend().in_c.functions->size, sizeof(kumiko_case_functions));
  EXPECT_EQ(problem.lend().in_c.functions->velocity, kCounted.velocity);
}

TEST(SizedStructures, GivenAShorterTableThenWhatLiesBeyondIsAbsent) {
  kumiko_case_functions shorter = kCounted;
  shorter.size = offsetof(kumiko_case_functions, velocity);
  EXPECT_EQ(known_part(shorter).facts, kCounted.facts);
  EXPECT_EQ(known_part(shorter).velocity, nullptr);
}

TEST(SizedStructures, GivenRoomForFewerBytesThenNoMoreAreWritten) {
  kumiko_case_facts facts{};
  facts.size = offsetof(kumiko_case_facts, end_time);
  facts.end_time = -1.0;
  kumiko_case_facts own{};
  own.dimensions = 2;
  own.end_time = 5.0;
  fill_room(&facts, own);
  EXPECT_EQ(facts.dimensions, 2);
  EXPECT_EQ(facts.end_time, -1.0);
  EXPECT_EQ(facts.size, offsetof(kumiko_case_facts, end_time));
}

TEST(SizedStructures, GivenFactsThatLackAMemberThenTheCaseIsRefused) {
  static constexpr kumiko_case_functions kShort = [] {
    kumiko_case_functions functions = kCounted;
    functions.facts = [](const void*, kumiko_case_facts* facts, kumiko_error*) {
      facts->size = offsetof(kumiko_case_facts, components);
      return kumiko_status{KUMIKO_OK};
    };
    return functions;
  }();
  CountedCase counted;
  try {
    const CaseFromBeyond problem({&kShort, &counted}, "case 'short'");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("case 'short': it gives"), std::string::npos);
  }
  EXPECT_EQ(counted.destroyed, 1);
}

}  // namespace
}  // namespace kumiko::plugin::detail
