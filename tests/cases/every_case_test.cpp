// Contract: what every shipped case keeps: sorted, described, known at the start, carried along its
// trajectories, whether it knows these by a formula or not.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/flow_check.hpp>
#include <kumiko/plugin/registry.hpp>

#include "cases/case_parameters.hpp"

namespace kumiko::cases {
namespace {

/// Cases that do not say where a particle was.
const std::set<std::string> kWithoutFormula = {"burgers", "deformation", "vortex"};

class EveryCase : public ::testing::TestWithParam<std::string> {
 protected:
  const plugin::CaseFactory& factory_ = *plugin::find_case(GetParam());
  std::unique_ptr<amr::Case> problem_ = factory_.make(parameters_of(GetParam()));

  double exact_at(double x, double y, int component, double time) const {
    double value = -1.0;
    EXPECT_TRUE(problem_->exact({{&x, 1}, {&y, 1}}, component, time, {&value, 1}));
    return value;
  }

  struct Vector {
    double x;
    double y;
  };

  Vector velocity_at(double x, double y, double time) const {
    Vector v{};
    problem_->velocity({{&x, 1}, {&y, 1}}, time, {{&v.x, 1}, {&v.y, 1}});
    return v;
  }

  std::optional<Vector> displacement(double x, double y, double time, double tau) const {
    Vector d{};
    if (!problem_->exact_displacement({{&x, 1}, {&y, 1}}, time, tau, {{&d.x, 1}, {&d.y, 1}})) {
      return std::nullopt;
    }
    return d;
  }

  /// Whether the solution itself is the speed, along both axes.
  bool moves_itself() const { return GetParam() == "burgers"; }

  bool is_inside(const Vector& place) const {
    const amr::Extent extent = problem_->extent();
    return place.x >= 0.0 && place.x <= extent.x && place.y >= 0.0 && place.y <= extent.y;
  }

  /// Where what is at (x, y) at `time` was `tau` earlier: as the case says, along the
  /// characteristic, or by Runge and Kutta's method through the velocity.
  Vector origin(double x, double y, int component, double time, double tau) const {
    if (const std::optional<Vector> moved = displacement(x, y, time, tau)) {
      return {x + moved->x, y + moved->y};
    }
    if (moves_itself()) {
      const double speed = exact_at(x, y, component, time);
      return {x - tau * speed, y - tau * speed};
    }
    constexpr int kSteps = 800;
    const double h = -tau / kSteps;
    Vector at{x, y};
    for (int step = 0; step < kSteps; ++step) {
      const double t = time + step * h;
      const Vector a = velocity_at(at.x, at.y, t);
      const Vector b = velocity_at(at.x + h / 2 * a.x, at.y + h / 2 * a.y, t + h / 2);
      const Vector c = velocity_at(at.x + h / 2 * b.x, at.y + h / 2 * b.y, t + h / 2);
      const Vector d = velocity_at(at.x + h * c.x, at.y + h * c.y, t + h);
      at.x += h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
      at.y += h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
    }
    return at;
  }

  template <class Visit>
  void for_points(Visit visit) const {
    const amr::Extent extent = problem_->extent();
    for (double y = 0.013; y < extent.y; y += 0.0371) {
      for (double x = 0.017; x < extent.x; x += 0.0377) visit(x, y);
    }
  }
};

TEST_P(EveryCase, GivenTheStartThenTheExactSolutionIsTheInitialStateToTheBit) {
  for (int component = 0; component < problem_->components(); ++component) {
    for_points([&](double x, double y) {
      double initial = -1.0;
      problem_->initial({{&x, 1}, {&y, 1}}, component, {&initial, 1});
      ASSERT_EQ(exact_at(x, y, component, 0.0), initial) << x << " " << y;
    });
  }
}

TEST_P(EveryCase, GivenItsNameThenItKnowsItsTrajectoriesUnlessTheyHaveNoFormula) {
  EXPECT_EQ(displacement(0.5, 0.5, 0.0, 0.1).has_value(), kWithoutFormula.count(GetParam()) == 0);
}

TEST_P(EveryCase, GivenTrajectoriesThenTheSolutionIsCarriedAlongThem) {
  // Reversing flows have a solution at their end and their start.
  const bool reverses = displacement(0.5, 0.5, 0.0, 0.1) == std::nullopt && !moves_itself();
  using Share = std::pair<double, double>;
  const std::vector<Share> shares =
      reverses ? std::vector{Share{1.0, 1.0}} : std::vector{Share{0.4, 0.3}, Share{0.9, 0.8}};
  for (const auto& [share, duration] : shares) {
    const double time = share * problem_->end_time();
    const double tau = duration * problem_->end_time();
    int compared = 0;
    int differing = 0;
    for (int component = 0; component < problem_->components(); ++component) {
      for_points([&](double x, double y) {
        const Vector from = origin(x, y, component, time, tau);
        if (!is_inside(from)) return;
        ++compared;
        const double now = exact_at(x, y, component, time);
        const double then = exact_at(from.x, from.y, component, time - tau);
        differing += std::abs(now - then) > 1e-10 ? 1 : 0;
      });
    }
    EXPECT_GT(compared, 200) << time;
    EXPECT_EQ(differing, 0) << time;
  }
}

TEST_P(EveryCase, GivenShortTimesThenTheTrajectoriesFollowTheVelocity) {
  if (kWithoutFormula.count(GetParam()) > 0) GTEST_SKIP() << "the case knows no trajectories";
  const double tau = 1e-6;
  int compared = 0;
  for_points([&](double x, double y) {
    const std::optional<Vector> moved = displacement(x, y, 0.2, tau);
    ASSERT_TRUE(moved.has_value()) << x << " " << y;
    const Vector v = velocity_at(x, y, 0.2);
    ASSERT_NEAR(moved->x / tau, -v.x, 1e-5);
    ASSERT_NEAR(moved->y / tau, -v.y, 1e-5);
    ++compared;
  });
  EXPECT_GT(compared, 300);
}

TEST_P(EveryCase, GivenASteadyVelocityThenItIsTheSameAtAllTimes) {
  bool same = true;
  for_points([&](double x, double y) {
    double first[2];
    double later[2];
    problem_->velocity({{&x, 1}, {&y, 1}}, 0.0, {{&first[0], 1}, {&first[1], 1}});
    problem_->velocity({{&x, 1}, {&y, 1}}, 0.37 * problem_->end_time(),
                       {{&later[0], 1}, {&later[1], 1}});
    same = same && first[0] == later[0] && first[1] == later[1];
  });
  EXPECT_EQ(same, problem_->steady_velocity());
}

TEST_P(EveryCase, GivenAFactorOfTimeThenTheVelocityFollowsIt) {
  EXPECT_FALSE(amr::factor_contradiction(*problem_));
  const bool reverses = GetParam() == "deformation" || GetParam() == "vortex";
  EXPECT_EQ(problem_->velocity_factor(0.3).has_value(), reverses);
}

TEST_P(EveryCase, GivenItsParametersThenEachHasHelpAndADefaultWithinItsRange) {
  EXPECT_FALSE(factory_.help.empty());
  for (const amr::ParameterSpec& spec : factory_.parameters) {
    EXPECT_FALSE(spec.help.empty()) << spec.name;
    if (const auto* number = std::get_if<double>(&spec.default_value)) {
      EXPECT_GE(*number, spec.minimum) << spec.name;
      EXPECT_LE(*number, spec.maximum) << spec.name;
    }
    const auto* text = std::get_if<std::string>(&spec.default_value);
    if (text != nullptr && !spec.choices.empty()) {
      EXPECT_EQ(std::count(spec.choices.begin(), spec.choices.end(), *text), 1) << spec.name;
    }
  }
}

TEST_P(EveryCase, GivenItsDefaultsThenItPublishesErrorsIfTheLiteratureHasThem) {
  const std::set<std::string> publishing = {"vortex", "zalesak"};
  EXPECT_EQ(!problem_->published_values().empty(), publishing.count(GetParam()) > 0);
}

/// A case with a parameter with which errors are published.
struct Publishing {
  std::string name;
  std::string key;
  amr::ParameterValue value;
};

class PublishedErrors : public ::testing::TestWithParam<Publishing> {};

TEST_P(PublishedErrors, GivenTheCaseThenEachSaysNormGridAndSource) {
  const std::set<std::string> norms = {"rms", "l1_relative", "l1", "linf"};
  const auto& [name, key, parameter] = GetParam();
  amr::ParameterSet parameters;
  parameters.set(key, parameter);
  int errors = 0;
  for (const amr::PublishedValue& value :
       plugin::find_case(name)->make(parameters)->published_values()) {
    EXPECT_GT(value.value, 0.0);
    EXPECT_FALSE(value.source.empty());
    if (value.name.starts_with("wall.")) continue;
    ++errors;
    EXPECT_EQ(norms.count(value.norm), 1U) << value.name;
    EXPECT_GT(value.points, 0) << value.name;
  }
  EXPECT_GT(errors, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, PublishedErrors,
                         ::testing::Values(Publishing{"zalesak", "variant", std::string("thesis")},
                                           Publishing{"zalesak", "variant", std::string("vof200")},
                                           Publishing{"vortex", "period", 0.5},
                                           Publishing{"vortex", "period", 2.0},
                                           Publishing{"vortex", "period", 8.0}));

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const plugin::CaseFactory& factory : plugin::shipped().cases()) all.push_back(factory.name);
  return all;
}

TEST(Registry, GivenTheCasesThenTheyAreSortedByName) {
  const std::vector<std::string> all = names();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(all.size(), 9U);
}

/// Those that this build can make.
std::vector<std::string> names_of_whole_cases() {
  std::vector<std::string> all = names();
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto& of) { return !can_be_made(of); }),
            all.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryCase, ::testing::ValuesIn(names_of_whole_cases()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kumiko::cases
