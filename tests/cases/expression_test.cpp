// Contract: a case of formulas is the case that its keys say, to the bits of the same case in C++,
// and refuses keys that make no case.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/flow_check.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/plugin/registry.hpp>

#include "amr/fixtures.hpp"
#include "formula_grammar.hpp"

namespace kumiko::cases {
namespace {

using Keys = std::vector<std::pair<std::string, amr::ParameterValue>>;

std::unique_ptr<amr::Case> make(const Keys& keys) {
  amr::ParameterSet parameters;
  for (const auto& [name, value] : keys) parameters.set(name, value);
  return plugin::find_case("expression")->make(parameters);
}

std::string text(const char* formula) { return formula; }

/// A hill and its flow along x, with other keys.
Keys with(const Keys& keys) {
  Keys all = {{"initial", text("exp(-x^2)")}};
  bool has_flow = false;
  for (const auto& [name, value] : keys) {
    has_flow =
        has_flow || name == "velocity_x" || name == "velocity_y" || name == "stream_function";
  }
  if (!has_flow) all.insert(all.end(), {{"velocity_x", text("1")}, {"velocity_y", text("0")}});
  all.insert(all.end(), keys.begin(), keys.end());
  return all;
}

std::string refusal(const Keys& keys) {
  try {
    make(keys);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

void expect_refusal(const Keys& keys, const std::string& part) {
  const std::string told = refusal(keys);
  EXPECT_NE(told.find(part), std::string::npos) << told;
}

class ExpressionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!formula::formulas_available()) GTEST_SKIP() << "this build has no muParser";
  }
};

Keys zalesak() {
  return {{"definitions", text("dx = x - 0.5; dy = y - 0.75")},
          {"initial", text("dx^2 + dy^2 <= 0.15^2 && !(abs(dx) < 0.025 && y < 0.85)")},
          {"velocity_x", text("-(y - 0.5)")},
          {"velocity_y", text("x - 0.5")},
          {"end", text("2*pi")}};
}

TEST_F(ExpressionTest, GivenZalesaksDiskThenTheStateHasTheBitsOfTheShippedCase) {
  const auto hash_of = [](const amr::Case& problem) {
    const auto solver = plugin::find_solver("semi_lagrangian_cubic")->make({});
    const auto backend = amr::make_backend("serial", 1);
    amr::Simulation simulation(problem, *solver, *backend, amr::test::run_options(64, 3, 640));
    simulation.advance(12);
    return simulation.state_hash();
  };
  const auto shipped = plugin::find_case("zalesak")->make({});
  const auto formulas = make(zalesak());
  EXPECT_EQ(formulas->end_time(), shipped->end_time());
  EXPECT_EQ(hash_of(*formulas), hash_of(*shipped));
}

TEST_F(ExpressionTest, GivenAStreamFunctionThenTheVelocityIsItsDerivatives) {
  const auto problem =
      make(with({{"stream_function", text("sin(pi*x)^2 * sin(pi*y)^2 * cos(pi*t/2) / pi")}}));
  const double x = 0.3;
  const double y = 0.6;
  double vx = 0.0;
  double vy = 0.0;
  problem->velocity({{&x, 1}, {&y, 1}}, 0.5, {{&vx, 1}, {&vy, 1}});
  const double pi = std::numbers::pi;
  const double strength = std::cos(pi / 4);
  const auto squared = [](double a) { return a * a; };
  EXPECT_NEAR(vx, strength * squared(std::sin(pi * x)) * std::sin(2 * pi * y), 1e-15);
  EXPECT_NEAR(vy, -strength * squared(std::sin(pi * y)) * std::sin(2 * pi * x), 1e-15);
  double psi = 0.0;
  EXPECT_TRUE(problem->stream_function({{&x, 1}, {&y, 1}}, 0.5, {&psi, 1}));
  EXPECT_EQ(psi,
            squared(std::sin(pi * x)) * squared(std::sin(pi * y)) * std::cos(pi * 0.5 / 2) / pi);
  EXPECT_FALSE(problem->steady_velocity());
  EXPECT_FALSE(amr::contradiction(*problem));
}

TEST_F(ExpressionTest, GivenFormulasWithoutTheTimeThenTheVelocityIsSteady) {
  EXPECT_TRUE(make(zalesak())->steady_velocity());
  EXPECT_FALSE(
      make(with({{"velocity_x", text("t")}, {"velocity_y", text("0")}}))->steady_velocity());
  EXPECT_FALSE(make(with({{"stream_function", text("x*y + t")}}))->steady_velocity());
  EXPECT_FALSE(make(with({{"velocity_factor", text("cos(t)")}}))->steady_velocity());
  EXPECT_TRUE(make(with({{"velocity_factor", text("2")}}))->steady_velocity());
}

TEST_F(ExpressionTest, GivenAFactorThenSolversMayEvaluateTheFlowOnce) {
  const auto problem = make(with({{"stream_function", text("x*y")},
                                  {"velocity_factor", text("sin(pi*t)")},
                                  {"end", text("2")}}));
  EXPECT_EQ(problem->unit_factor_time(), 0.5);
  EXPECT_NEAR(*problem->velocity_factor(1.5), -1.0, 1e-15);
  EXPECT_FALSE(amr::factor_contradiction(*problem));
  const auto mixed =
      make(with({{"stream_function", text("x*y*t")}, {"velocity_factor", text("sin(pi*t)")}}));
  EXPECT_FALSE(mixed->velocity_factor(0.5)) << "the flow depends on the time in another way too";
}

TEST_F(ExpressionTest, GivenSidesThenTheyAreWordsValuesOrFormulas) {
  const auto problem = make(with({{"boundary", text("outflow")},
                                  {"left", text("0.5*3")},
                                  {"top", text("x + t + 10*y")},
                                  {"bottom", text("reflecting")},
                                  {"extent", std::vector<double>{2.0, 1.0}}}));
  const amr::Boundaries sides = problem->boundaries();
  EXPECT_EQ(sides.left.kind, amr::BoundaryKind::kFixedValue);
  EXPECT_EQ(sides.left.value, 1.5);
  EXPECT_EQ(sides.right.kind, amr::BoundaryKind::kOutflow);
  EXPECT_EQ(sides.bottom.kind, amr::BoundaryKind::kReflecting);
  EXPECT_EQ(sides.top.kind, amr::BoundaryKind::kPrescribed);
  const double x = 0.25;
  const double y = 1.5;
  double value = 0.0;
  problem->boundary_values(amr::Side::kTop, {{&x, 1}, {&y, 1}}, 0, 0.5, {&value, 1});
  EXPECT_EQ(value, 0.25 + 0.5 + 15.0);
  EXPECT_EQ(problem->extent().x, 2.0);
  EXPECT_TRUE(make(with({{"boundary", text("periodic")}}))->boundaries().periodic_y());
  EXPECT_EQ(make(with({}))->boundaries().top.value, 0.0);
}

TEST_F(ExpressionTest, GivenNoExactSolutionThenItIsKnownAtTheStartOnly) {
  const auto problem = make(with({}));
  const double x = 0.5;
  double value = 0.0;
  EXPECT_TRUE(problem->exact({{&x, 1}, {&x, 1}}, 0, 0.0, {&value, 1}));
  EXPECT_EQ(value, std::exp(-(x * x)));
  EXPECT_FALSE(problem->exact({{&x, 1}, {&x, 1}}, 0, 0.5, {&value, 1}));
  EXPECT_FALSE(
      problem->exact_displacement({{&x, 1}, {&x, 1}}, 0.5, 0.1, {{&value, 1}, {&value, 1}}));
}

TEST_F(ExpressionTest, GivenKeysThatMakeNoCaseThenTheErrorNamesThem) {
  expect_refusal({}, "case.initial is missing");
  expect_refusal({{"initial", text("x")}}, "the case has no velocity");
  expect_refusal(with({{"velocity_x", text("1")}}), "case.velocity_y is missing");
  expect_refusal(with({{"velocity_y", text("1")}}), "case.velocity_x is missing");
  expect_refusal(
      with({{"velocity_x", text("1")}, {"velocity_y", text("1")}, {"stream_function", text("x")}}),
      "are all given");
  expect_refusal(with({{"displacement_x", text("x")}}), "case.displacement_y is missing");
  expect_refusal(with({{"initial", text("x + z")}}), "case.initial, column 5: 'z' is not known");
  expect_refusal(with({{"initial", text("1 + t")}}),
                 "column 5: 't' cannot be used here, because it depends on t");
  expect_refusal(with({{"definitions", text("late = x*t")}, {"initial", text("2*late")}}),
                 "case.initial, column 3: 'late' cannot be used here, because it depends on t");
  expect_refusal(with({{"velocity_factor", text("x*y")}}), "depends on x and y");
  expect_refusal(with({{"exact", text("x*tau")}}), "a formula in x, y and t");
  expect_refusal(with({{"definitions", text("a = 1\nb = (2")}}), "definitions, line 2, column 5");
}

TEST_F(ExpressionTest, GivenValuesThatMakeNoCaseThenTheErrorNamesThem) {
  expect_refusal(with({{"end", text("0")}}), "case.end is 0");
  expect_refusal(with({{"end", text("1/0")}}), "case.end is 1/0");
  expect_refusal(with({{"end", text("x")}}), "case.end, column 1");
  expect_refusal(with({{"extent", std::vector<double>{1.0}}}), "case.extent has 1 numbers");
  expect_refusal(with({{"left", text("periodic")}}), "case.left and case.right to \"periodic\"");
  expect_refusal(with({{"boundary", text("periodical")}}),
                 "case.boundary, column 1: 'periodical' is not known");
  expect_refusal(with({{"top", text("1/0")}}), "the value of case.top is not finite");
  expect_refusal(with({{"top", text("1/(x - x)")}}), "case.top is not finite at x = 0");
  expect_refusal(with({{"initial", text("1/x")}}), "case.initial is not finite at x = 0, y = 0");
  expect_refusal(with({{"exact", text("1/(t - 0.5)")}}), "case.exact is not finite");
  expect_refusal(with({{"stream_function", text("asin(2*y - 1)")}}),
                 "the velocity of case.stream_function is not finite at x = 0, y = 0");
  expect_refusal(with({{"boundary", text("1/x + t")}}), "case.boundary is not finite at x = 0");
  expect_refusal(with({{"velocity_factor", text("1/(t - 0.25)")}}),
                 "case.velocity_factor is not finite at t = 0.25");
  expect_refusal(with({{"definitions", std::string(101, 'a') + " = 1"}}),
                 "case.definitions, column 1: a name of 101 characters");
}

TEST_F(ExpressionTest, GivenFormulasThatAreUsedInPlacesAloneThenTheyAreAskedForThereAlone) {
  EXPECT_EQ(refusal(with({{"left", text("t/(x - 0.5)")}})), "no error");
  EXPECT_EQ(refusal(with({{"exact", text("exp(-x^2)*sin(t)/t")}})), "no error");
}

TEST_F(ExpressionTest, GivenARadiusThenTheFlowIsAtRestInTheMiddle) {
  for (const char* const formula :
       {"sqrt((x - 0.5)^2 + (y - 0.5)^2)^2", "hypot(x - 0.5, y - 0.5)^2",
        "((x - 0.5)^2 + (y - 0.5)^2)^0.5", "exp(-sqrt((x - 0.5)^2 + (y - 0.5)^2)^2)"}) {
    const auto problem = make(with({{"stream_function", text(formula)}}));
    const std::vector<double> middle = {0.5};
    std::vector<double> x(1);
    std::vector<double> y(1);
    problem->velocity({middle, middle}, 0.0, {x, y});
    EXPECT_EQ(x[0], 0.0) << formula;
    EXPECT_EQ(y[0], 0.0) << formula;
  }
}

TEST(Expression, GivenNoMuParserThenTheErrorSaysWhatToInstall) {
  if (formula::formulas_available()) GTEST_SKIP() << "this build has muParser";
  expect_refusal(zalesak(), "install libmuparser-dev");
}

}  // namespace
}  // namespace kumiko::cases
