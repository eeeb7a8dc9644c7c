// Contract: the next time of an interval is the first multiple that is later, whatever the rounding
// of quotients and products; single times stand among them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/amr/times.hpp>

namespace kumiko::amr {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Times, GivenAMultipleOrItsNeighboursThenTheNextOneIsTheFirstThatIsLater) {
  for (const double interval : {0.1, 1.0 / 3.0, 0.7, 1e-9, 3e7, 6.283185307179586 / 49.0}) {
    const Times times(interval);
    for (int count = 0; count < 2000; ++count) {
      const double multiple = count * interval;
      ASSERT_EQ(times.next(multiple), (count + 1) * interval) << count << " x " << interval;
      if (count == 0) continue;
      ASSERT_EQ(times.next(std::nextafter(multiple, 0.0)), multiple) << count << " x " << interval;
      ASSERT_EQ(times.next(std::nextafter(multiple, kInfinity)), (count + 1) * interval);
    }
  }
}

TEST(Times, GivenSingleTimesInAnyOrderThenTheyComeInTheirs) {
  const Times times(1.0, {2.5, 0.0, 1.0, 0.25});
  std::vector<double> found;
  for (double time = -1.0; (time = times.next(std::max(time, 0.0))) < 3.5;) found.push_back(time);
  EXPECT_EQ(found, (std::vector<double>{0.25, 1.0, 2.0, 2.5, 3.0}));
}

TEST(Times, GivenNoneThenNothingIsDue) {
  EXPECT_TRUE(Times().empty());
  EXPECT_EQ(Times().next(0.0), kInfinity);
  EXPECT_EQ(Times(0.0, {0.5}).next(0.5), kInfinity);
}

TEST(Times, GivenAnIntervalBelowTheRoundingOfTheTimeThenAnyLaterTimeIsTheNext) {
  const double next = Times(1e-300).next(1.0);
  EXPECT_GT(next, 1.0);
  EXPECT_LT(next, 1.0 + 1e-15);
}

}  // namespace
}  // namespace kumiko::amr
