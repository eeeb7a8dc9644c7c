// Contract: where a case knows a stream function, its derivatives are the velocity.
#include <array>
#include <string>

#include <gtest/gtest.h>

#include <kumiko/plugin/registry.hpp>

namespace kumiko::cases {
namespace {

class StreamFunction : public ::testing::TestWithParam<std::string> {};

TEST_P(StreamFunction, GivenPointsAndTimesThenItsDerivativesAreTheVelocity) {
  const auto problem = plugin::find_case(GetParam())->make({});
  const amr::Extent extent = problem->extent();
  constexpr double kStep = 1e-5;
  for (const double time : {0.0, 0.3 * problem->end_time()}) {
    for (double x = 0.03; x < extent.x; x += 0.17) {
      for (double y = 0.05; y < extent.y; y += 0.13) {
        const std::array<double, 4> around_x = {x, x, x - kStep, x + kStep};
        const std::array<double, 4> around_y = {y - kStep, y + kStep, y, y};
        std::array<double, 4> psi;
        ASSERT_TRUE(problem->stream_function({around_x, around_y}, time, psi));
        double vx = 0.0;
        double vy = 0.0;
        problem->velocity({{&x, 1}, {&y, 1}}, time, {{&vx, 1}, {&vy, 1}});
        EXPECT_NEAR((psi[1] - psi[0]) / (2 * kStep), vx, 1e-8) << x << " " << y;
        EXPECT_NEAR((psi[2] - psi[3]) / (2 * kStep), vy, 1e-8) << x << " " << y;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, StreamFunction,
                         ::testing::Values("channel", "deformation", "dyes", "gaussian", "vortex",
                                           "zalesak"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kumiko::cases
