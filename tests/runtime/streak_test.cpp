// Contract: by a Streak the group that ran goes on while its bonus and its limit allow, and of any
// limit + 1 turns one goes to the thread that has waited longest.
#include "core/streak.hpp"

#include <gtest/gtest.h>

namespace kumiko::runtime::test {
namespace {

using detail::Streak;

TEST(Streak, GivenKinThatCameLaterThanTheBonusThenTheOldestGoes) {
  EXPECT_TRUE(Streak::allows(3, 3));
  EXPECT_FALSE(Streak::allows(3, 4));
}

TEST(Streak, GivenNoBonusThenNobodyIsOvertaken) {
  EXPECT_FALSE(Streak::allows(0, 1));
  EXPECT_TRUE(Streak::allows(0, 0));
  Streak streak;
  EXPECT_TRUE(streak.prefers(100, 0));
  EXPECT_EQ(streak.preferred().read(), 0U) << "who is the oldest overtakes nobody";
}

TEST(Streak, GivenTheLimitThenTheOldestGoesAndTheRowBeginsAnew) {
  Streak streak;
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(streak.prefers(2, 5));
    EXPECT_TRUE(streak.prefers(2, 5));
    EXPECT_FALSE(streak.prefers(2, 5));
    streak.end();
  }
  EXPECT_EQ(streak.preferred().read(), 6U);
  EXPECT_EQ(streak.limited().read(), 3U);
}

TEST(Streak, GivenTheLimitWhenTheOldestIsKinThenTheRowHasNotEnded) {
  Streak streak;
  EXPECT_TRUE(streak.prefers(1, 5));
  EXPECT_FALSE(streak.prefers(1, 0));
  EXPECT_FALSE(streak.prefers(1, 5));
}

TEST(Streak, GivenAnotherGroupWithinTheRowThenTheRowGoesOn) {
  Streak streak;
  EXPECT_TRUE(streak.prefers(3, 5));
  EXPECT_TRUE(streak.prefers(3, 5));
  EXPECT_FALSE(streak.prefers(2, 5)) << "two turns have gone by";
}

}  // namespace
}  // namespace kumiko::runtime::test
