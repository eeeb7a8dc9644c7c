// Contract: what suits a solver is possible with it, and is the best that is.
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/simulation.hpp>

namespace kumiko::amr {
namespace {

SolverTraits traits_of(Centring centring, bool characteristic, bool tendency, double cfl_limit) {
  SolverTraits traits;
  traits.centring = centring;
  traits.characteristic_ghosts = characteristic;
  traits.tendency = tendency;
  traits.cfl_limit = cfl_limit;
  return traits;
}

TEST(TimeInterpolationOfASolver, GivenItsTraitsThenTheBestThatIsPossibleSuits) {
  using enum TimeInterpolation;
  EXPECT_EQ(suited_time_interpolation(traits_of(Centring::kNode, true, false, 1.0)),
            kCharacteristic);
  EXPECT_EQ(suited_time_interpolation(traits_of(Centring::kNode, true, false, 2.0)), kLinear)
      << "ghosts follow characteristics for up to one spacing";
  EXPECT_EQ(suited_time_interpolation(traits_of(Centring::kNode, false, true, 1.0)), kLinear);
  EXPECT_EQ(suited_time_interpolation(traits_of(Centring::kCell, false, true, 1.5)), kQuadratic);
  EXPECT_EQ(suited_time_interpolation(traits_of(Centring::kCell, false, false, 1.0)), kLinear);
}

TEST(TimeInterpolationOfASolver, GivenAnyTraitsThenWhatSuitsIsPossibleAndLinearAlwaysIs) {
  for (const Centring centring : {Centring::kNode, Centring::kCell}) {
    for (const bool characteristic : {false, true}) {
      for (const bool tendency : {false, true}) {
        const SolverTraits traits = traits_of(centring, characteristic, tendency, 1.0);
        EXPECT_TRUE(is_possible(traits, suited_time_interpolation(traits)));
        EXPECT_TRUE(is_possible(traits, TimeInterpolation::kLinear));
      }
    }
  }
}

}  // namespace
}  // namespace kumiko::amr
