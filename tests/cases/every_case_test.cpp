// Contract: what every shipped case keeps: sorted, described, known at the start, carried along its
// trajectories where it knows these.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/solvers/registry.hpp>

namespace kumiko::cases {
namespace {

class EveryCase : public ::testing::TestWithParam<std::string> {
 protected:
  const solvers::CaseEntry& entry_ = *solvers::find_case(GetParam());
  std::unique_ptr<amr::Case> problem_ = entry_.make({});

  double exact_at(double x, double y, int component, double time) const {
    double value = -1.0;
    EXPECT_TRUE(problem_->exact({{&x, 1}, {&y, 1}}, component, time, {&value, 1}));
    return value;
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

TEST_P(EveryCase, GivenTrajectoriesThenTheSolutionIsCarriedAlongThem) {
  const double time = 0.4 * problem_->end_time();
  const double tau = 0.3 * problem_->end_time();
  double x = 0.5;
  double y = 0.5;
  double dx = 0.0;
  double dy = 0.0;
  if (!problem_->exact_displacement({{&x, 1}, {&y, 1}}, time, tau, {{&dx, 1}, {&dy, 1}})) {
    GTEST_SKIP() << "the case does not know them";
  }
  const amr::Extent extent = problem_->extent();
  const auto is_inside = [&](double px, double py) {
    return px >= 0.0 && px <= extent.x && py >= 0.0 && py <= extent.y;
  };
  int compared = 0;
  int differing = 0;
  for (int component = 0; component < problem_->components(); ++component) {
    for_points([&](double px, double py) {
      problem_->exact_displacement({{&px, 1}, {&py, 1}}, time, tau, {{&dx, 1}, {&dy, 1}});
      if (!is_inside(px + dx, py + dy)) return;
      ++compared;
      const double now = exact_at(px, py, component, time);
      const double then = exact_at(px + dx, py + dy, component, time - tau);
      differing += std::abs(now - then) > 1e-12 ? 1 : 0;
    });
  }
  EXPECT_GT(compared, 300);
  EXPECT_EQ(differing, 0);
}

TEST_P(EveryCase, GivenShortTimesThenTheTrajectoriesFollowTheVelocity) {
  const double tau = 1e-6;
  for_points([&](double x, double y) {
    double dx = 0.0;
    double dy = 0.0;
    double vx = 0.0;
    double vy = 0.0;
    if (!problem_->exact_displacement({{&x, 1}, {&y, 1}}, 0.2, tau, {{&dx, 1}, {&dy, 1}})) return;
    problem_->velocity({{&x, 1}, {&y, 1}}, 0.2, {{&vx, 1}, {&vy, 1}});
    ASSERT_NEAR(dx / tau, -vx, 1e-5);
    ASSERT_NEAR(dy / tau, -vy, 1e-5);
  });
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

TEST_P(EveryCase, GivenItsParametersThenEachHasHelpAndADefaultWithinItsRange) {
  EXPECT_FALSE(entry_.help.empty());
  for (const amr::ParameterSpec& spec : entry_.parameters) {
    EXPECT_FALSE(spec.help.empty()) << spec.name;
    if (const auto* number = std::get_if<double>(&spec.default_value)) {
      EXPECT_GE(*number, spec.minimum) << spec.name;
      EXPECT_LE(*number, spec.maximum) << spec.name;
    }
    if (const auto* text = std::get_if<std::string>(&spec.default_value)) {
      EXPECT_EQ(std::count(spec.choices.begin(), spec.choices.end(), *text), 1) << spec.name;
    }
  }
}

TEST_P(EveryCase, GivenPublishedErrorsThenTheySayNormGridAndSource) {
  const std::set<std::string> norms = {"rms", "l1_relative", "l1", "linf"};
  for (const amr::PublishedValue& value : problem_->published_values()) {
    EXPECT_GT(value.value, 0.0);
    EXPECT_FALSE(value.source.empty());
    if (value.name.starts_with("wall.")) continue;
    EXPECT_EQ(norms.count(value.norm), 1U) << value.name;
    EXPECT_GT(value.points, 0) << value.name;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const solvers::CaseEntry& entry : solvers::shipped().cases()) all.push_back(entry.name);
  return all;
}

TEST(Registry, GivenTheCasesThenTheyAreSortedByName) {
  const std::vector<std::string> all = names();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(all.size(), 7U);
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryCase, ::testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kumiko::cases
