// Contract: a case of one plugin reaches a solver of another without a detour through the program,
// which keeps it: the solver calls the case's own functions, cannot destroy it, and is not blamed
// for its failures.
#include "bridge/case_bridge.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

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
    .destroy = [](void* self) { ++static_cast<CountedCase*>(self)->destroyed; },
    .facts =
        [](const void*, kumiko_case_facts* facts, kumiko_error*) {
          *facts = {1.0, 1.0, {}, 1.0, 1, 1};
          return kumiko_status{KUMIKO_OK};
        },
    .initial = nullptr,
    .velocity = counted_velocity,
    .stream_function = nullptr,
    .exact_displacement = nullptr,
    .exact = nullptr,
    .refinement_indicator = nullptr,
    .component_names = nullptr,
    .published_values = nullptr};

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

}  // namespace
}  // namespace kumiko::plugin::detail
