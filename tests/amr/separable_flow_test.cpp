// Contract: in a velocity that is a steady field times a factor of time, solvers that rescale get
// the state of the same flow without the factor, but for round-off, and ask the case for the field
// once a patch; its bits are the same on any ranks and through restarts. A factor that contradicts
// the velocity is refused.
#include <atomic>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "loopback_ranks.hpp"

namespace kumiko::amr {
namespace {

using test::FunctionCase;
using ::testing::HasSubstr;

constexpr double kTwoPi = 2.0 * std::numbers::pi;

/// A bell in vortices that wax, stand and turn.
class Pulse final : public FunctionCase {
 public:
  explicit Pulse(bool says_factor) : says_factor_(says_factor) {
    u = [](double x, double y) {
      return std::exp(-90.0 * ((x - 0.4) * (x - 0.4) + (y - 0.6) * (y - 0.6)));
    };
    duration = 0.5;
    steady = false;
  }
  bool stream_function(Points points, double time, std::span<double> values) const override {
    ++asked;
    const double factor = strength(time);
    return evaluate(points, values, [&](double x, double y) {
      return factor * (std::sin(kTwoPi * x) * std::cos(kTwoPi * y) / kTwoPi + 0.4 * y - 0.3 * x);
    });
  }
  void velocity(Points points, double time, Vectors velocity) const override {
    const double factor = strength(time);
    evaluate(points, velocity, [&](double x, double y) {
      return std::array{factor * (-std::sin(kTwoPi * x) * std::sin(kTwoPi * y) + 0.4),
                        factor * (-std::cos(kTwoPi * x) * std::cos(kTwoPi * y) + 0.3)};
    });
  }
  std::optional<double> velocity_factor(double time) const override {
    if (!says_factor_) return std::nullopt;
    return wrong_by * strength(time);
  }
  double unit_factor_time() const override { return 0.5 / wrong_at_unit; }

  mutable std::atomic<int> asked = 0;  ///< calls of stream_function()
  double wrong_by = 1.0;
  double wrong_at_unit = 1.0;

 private:
  /// 0 at the start and at 1/3; 1 at 1/2.
  static double strength(double time) { return std::sin(3.0 * std::numbers::pi * time) * -1.0; }

  bool says_factor_;
};

SimulationOptions pulse_options() {
  SimulationOptions options = test::options_by_cfl(48, 2, 0.7);
  return options;
}

std::unique_ptr<Solver> solver_of(const std::string& name) {
  const auto* const factory = plugin::find_solver(name);
  return factory->make(defaults(factory->parameters));
}

class SeparableFlow : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    // The engine's part is the same for all; sanitizers see the solvers in tests of their own.
    if (test::kSanitized && GetParam() != "upwind1") GTEST_SKIP() << "for sanitizers one does";
  }

  std::unique_ptr<Solver> solver_ = solver_of(GetParam());
  std::unique_ptr<Backend> backend_ = make_backend("serial", 1);
};

TEST_P(SeparableFlow, GivenItsFactorThenTheStateIsThatWithoutItButForRoundOff) {
  SimulationOptions options = test::run_options(48, 2, 200);
  const Pulse with(true);
  const Pulse without(false);
  Simulation separable(with, *solver_, *backend_, options);
  Simulation plain(without, *solver_, *backend_, options);
  const int steps = test::kSanitized ? 60 : 200;
  separable.advance(steps);
  plain.advance(steps);
  const FieldFigures a = separable.field_figures();
  const FieldFigures b = plain.field_figures();
  EXPECT_EQ(separable.hierarchy().level(1).size(), plain.hierarchy().level(1).size());
  EXPECT_NEAR(a.maximum, b.maximum, 1e-11);
  EXPECT_NEAR(a.minimum, b.minimum, 1e-11);
  EXPECT_NEAR(a.mass, b.mass, 1e-13);
  EXPECT_LT(a.maximum, 0.9999) << "something has moved";
}

TEST_P(SeparableFlow, GivenStepsWithoutARegridThenTheCaseIsNotAskedForTheField) {
  const Pulse pulse(true);
  SimulationOptions options = test::run_options(48, 2, 400);
  options.refinement.interval = 50;
  Simulation run(pulse, *solver_, *backend_, options);
  run.advance(1);
  const int before = pulse.asked;
  run.advance(40);
  EXPECT_EQ(pulse.asked, before);
  // The pulse moves on: new patches are evaluated.
  run.advance(200);
  EXPECT_GT(pulse.asked, before);
}

TEST_P(SeparableFlow, GivenRestartsAndOwnersThenTheBitsAreThoseOfOneUndisturbedRun) {
  const Pulse pulse(true);
  const SimulationOptions options = pulse_options();
  Simulation undisturbed(pulse, *solver_, *backend_, options);
  std::vector<SavedRun> saved;
  while (!undisturbed.is_over()) {
    saved.push_back(undisturbed.save());
    undisturbed.advance(1);
  }
  const std::string expected = undisturbed.state_hash();
  ASSERT_GT(saved.size(), 20U);
  for (std::size_t at = 1; at < saved.size(); at += test::kSanitized ? 23 : 5) {
    Simulation again(pulse, *solver_, *backend_, options, saved[at]);
    again.advance(10'000);
    EXPECT_EQ(again.state_hash(), expected) << "from base step " << at;
  }
  test::on_loopback_ranks({.ranks = 2, .seed = 5}, [&](Backend& own, Communicator& communicator) {
    Simulation run(pulse, *solver_, own, options, communicator);
    if (communicator.rank() == 0) {
      run.advance(10'000);
      EXPECT_EQ(run.state_hash(), expected);
    }
    while (communicator.rank() != 0 && run.follow()) {
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Solvers, SeparableFlow,
                         ::testing::Values("upwind1", "finite_volume_upwind3", "flux_form_fct",
                                           "thinc"),
                         [](const auto& test) { return test.param; });

TEST(SeparableFlow, GivenAFactorThatContradictsTheVelocityThenItIsRefused) {
  const auto solver = solver_of("upwind1");
  const auto backend = make_backend("serial", 1);
  const auto refusal = [&](const Pulse& pulse) -> std::string {
    try {
      const Simulation run(pulse, *solver, *backend, pulse_options());
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  Pulse wrong(true);
  wrong.wrong_by = 1.001;
  EXPECT_THAT(refusal(wrong), HasSubstr("velocity_factor()"));
  Pulse at_another_time(true);
  at_another_time.wrong_at_unit = 1.4;
  EXPECT_THAT(refusal(at_another_time), HasSubstr("unit_factor_time()"));
  EXPECT_EQ(refusal(Pulse(true)), "");
}

}  // namespace
}  // namespace kumiko::amr
