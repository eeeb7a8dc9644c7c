// Contract: every duration and every point in time of any clock makes a deadline, however far in
// the past or the future; a wait by a clock goes on until that clock says that the time has come.
#include <chrono>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include <kumiko/runtime/detail/deadline.hpp>

namespace kumiko::runtime::detail {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;

TEST(DeadlineAfter, GivenADurationWhenAddedThenTheDeadlineIsNotBefore) {
  const Deadline before = steady_clock::now();
  const Deadline deadline = deadline_after(5ms);
  EXPECT_GE(deadline, before + 5ms);
  EXPECT_LE(deadline, steady_clock::now() + 5ms);
  const std::chrono::duration<double, std::pico> fraction(0.5);
  EXPECT_GT(deadline_after(fraction), before);
}

TEST(DeadlineAfter, GivenADurationTooLongWhenAddedThenTheEndOfTime) {
  EXPECT_EQ(deadline_after(Deadline::duration::max()), Deadline::max());
  EXPECT_EQ(deadline_after(std::chrono::hours::max()), Deadline::max());
  EXPECT_EQ(deadline_after(std::chrono::duration<double>(1e300)), Deadline::max());
  EXPECT_EQ(deadline_after(std::chrono::duration<float>(std::numeric_limits<float>::infinity())),
            Deadline::max());
}

TEST(DeadlineAfter, GivenANegativeDurationWhenAddedThenNow) {
  for (const Deadline deadline : {deadline_after(-1ns), deadline_after(Deadline::duration::min()),
                                  deadline_after(std::chrono::hours::min()),
                                  deadline_after(std::chrono::duration<double>(-1e300))}) {
    EXPECT_LE(deadline, steady_clock::now());
    EXPECT_GE(deadline, steady_clock::now() - 1h);
  }
}

/// Whether one look at the clock is enough to see that `time` has come.
template <class Time>
bool has_come(Time time) {
  bool first = true;
  return !wait_by_clock(time, [&](Deadline) { return !std::exchange(first, false); });
}

TEST(WaitByClock, GivenTheEndsOfTimeWhenWaitingThenThePastHasComeAndTheFutureHasNot) {
  EXPECT_TRUE(has_come(steady_clock::time_point::min()));
  EXPECT_TRUE(has_come(system_clock::time_point::min()));
  EXPECT_TRUE(has_come(std::chrono::sys_seconds::min()));
  EXPECT_TRUE(has_come(std::chrono::sys_days::min()));
  EXPECT_TRUE(has_come(steady_clock::now()));
  EXPECT_FALSE(has_come(steady_clock::time_point::max()));
  EXPECT_FALSE(has_come(system_clock::time_point::max()));
  EXPECT_FALSE(has_come(std::chrono::sys_seconds::max()));
  EXPECT_FALSE(has_come(std::chrono::sys_days::max()));
  EXPECT_FALSE(has_come(system_clock::now() + 1h));
}

TEST(WaitByClock, GivenTheEndsOfTimeWhenWaitingThenTheDeadlineIsPassedOrFar) {
  const auto deadline_of = [](auto time) {
    Deadline seen;
    wait_by_clock(time, [&](Deadline deadline) {
      seen = deadline;
      return true;
    });
    return seen;
  };
  const Deadline now = steady_clock::now();
  EXPECT_LE(deadline_of(steady_clock::time_point::min()), now + 1h);
  EXPECT_LE(deadline_of(std::chrono::sys_seconds::min()), now + 1h);
  EXPECT_GT(deadline_of(steady_clock::time_point::max()), now + 24h * 365);
  EXPECT_GT(deadline_of(std::chrono::sys_seconds::max()), now + 24h * 365);
  EXPECT_GE(deadline_of(steady_clock::now() + 1h), now + 1h);
}

/// A clock that shows what it is told to.
struct ManualClock {
  using duration = std::chrono::milliseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ManualClock>;
  [[maybe_unused]] static constexpr bool is_steady = false;
  static inline time_point shown;
  static time_point now() { return shown; }
};

TEST(WaitByClock, GivenAClockThatIsSetBackWhenTheTimeIsUpThenItWaitsOnUntilTheClockSaysSo) {
  ManualClock::shown = ManualClock::time_point(10s);
  int waits = 0;
  EXPECT_FALSE(wait_by_clock(ManualClock::time_point(11s), [&](Deadline deadline) {
    EXPECT_GT(deadline, steady_clock::now());
    const bool set_back = ++waits < 3;
    ManualClock::shown = ManualClock::time_point(set_back ? 9s : 11s);
    return false;
  }));
  EXPECT_EQ(waits, 3);
}

}  // namespace
}  // namespace kumiko::runtime::detail
