// Contract: each waiting policy says how long it searches, how politely, and whether it ever
// sleeps, as Options::idle promises; another class with the same three functions is one too.
#include <gtest/gtest.h>

#include <kumiko/runtime/options.hpp>
#include <kumiko/runtime/policy/waiting.hpp>

namespace kumiko::runtime::test {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr policy::Surroundings kAlone{.oversubscribed = false, .has_pollers = false};
constexpr policy::Surroundings kCrowded{.oversubscribed = true, .has_pollers = false};
constexpr policy::Surroundings kPolled{.oversubscribed = false, .has_pollers = true};

nanoseconds search_time(const policy::AnyWaiting& waiting, const policy::Surroundings& around) {
  return waiting.search_time(around);
}

bool gives_core_away(const policy::AnyWaiting& waiting, const policy::Surroundings& around) {
  return waiting.gives_core_away(around);
}

int pauses(const policy::AnyWaiting& waiting) { return waiting.pauses(); }

class WaitingPolicy : public testing::TestWithParam<IdlePolicy> {};
INSTANTIATE_TEST_SUITE_P(Each, WaitingPolicy,
                         testing::Values(IdlePolicy::kAdaptive, IdlePolicy::kSpin,
                                         IdlePolicy::kSpinPause, IdlePolicy::kYield,
                                         IdlePolicy::kSleep, IdlePolicy::kPressure));

TEST_P(WaitingPolicy, GivenANameThenItSearchesForeverUnlessItIsOneOfTheThreeThatSleep) {
  const bool sleeps = GetParam() == IdlePolicy::kAdaptive || GetParam() == IdlePolicy::kSleep ||
                      GetParam() == IdlePolicy::kPressure;
  for (const auto& around : {kAlone, kCrowded, kPolled}) {
    EXPECT_EQ(search_time(GetParam(), around) == policy::kForever, !sleeps);
  }
}

TEST_P(WaitingPolicy, GivenMoreWorkersThanCoresThenWhoeverSearchesOnGivesItsCoreAway) {
  if (search_time(GetParam(), kCrowded) > nanoseconds(0)) {
    EXPECT_TRUE(gives_core_away(GetParam(), kCrowded));
  }
}

TEST(WaitingPolicies, GivenAdaptiveThenItSearchesShortlyAndNotAtAllWhereWorkersOutnumberCores) {
  EXPECT_EQ(search_time(IdlePolicy::kAdaptive, kAlone), microseconds(50));
  EXPECT_EQ(search_time(IdlePolicy::kAdaptive, kCrowded), nanoseconds(0));
  EXPECT_FALSE(gives_core_away(IdlePolicy::kAdaptive, kAlone));
  EXPECT_TRUE(gives_core_away(IdlePolicy::kAdaptive, kPolled));
}

TEST(WaitingPolicies, GivenPressureThenItSearchesForLongerButGivesItsCoreAwayWhileCoresAreShared) {
  bool shared = false;
  const policy::AnyWaiting pressure = policy::Pressure([&shared] { return shared; });
  EXPECT_EQ(search_time(pressure, kAlone), microseconds(50));
  EXPECT_FALSE(gives_core_away(pressure, kAlone));
  EXPECT_EQ(search_time(pressure, kCrowded), policy::Pressure::kSharedSearchTime);
  EXPECT_TRUE(gives_core_away(pressure, kCrowded));
  EXPECT_TRUE(gives_core_away(pressure, kPolled));
  shared = true;
  EXPECT_EQ(search_time(pressure, kAlone), policy::Pressure::kSharedSearchTime);
  EXPECT_TRUE(gives_core_away(pressure, kAlone));
  shared = false;
  EXPECT_EQ(search_time(pressure, kPolled), microseconds(50));
  const policy::Pressure patient([] { return false; }, microseconds(500));
  EXPECT_EQ(search_time(patient, kAlone), microseconds(500));
}

TEST(WaitingPolicies, GivenPressureWhereCoresAreSharedAndOthersSleepThenItSleepsAtOnce) {
  bool shared = true;
  const policy::AnyWaiting pressure = policy::Pressure([&shared] { return shared; });
  constexpr policy::Surroundings kOthersSleep{
      .oversubscribed = false, .has_pollers = false, .others_sleep = true};
  EXPECT_EQ(search_time(pressure, kOthersSleep), nanoseconds(0));
  shared = false;
  EXPECT_EQ(search_time(pressure, kOthersSleep), microseconds(50));
}

TEST(WaitingPolicies, GivenAPolicyForAnotherRuntimeThenItIsTheSameUnlessItHasARenewedOne) {
  struct Counting : policy::Sleep {
    explicit Counting(int which) : generation(which) {}
    Counting renewed() const { return Counting(generation + 1); }
    nanoseconds search_time(const policy::Surroundings&) const { return nanoseconds(generation); }
    int generation;
  };
  const policy::AnyWaiting first = Counting(0);
  EXPECT_EQ(search_time(first.renewed().renewed(), kAlone), nanoseconds(2));
  EXPECT_EQ(search_time(first, kAlone), nanoseconds(0));
  bool shared = false;
  const policy::AnyWaiting told = policy::Pressure([&shared] { return shared; });
  const policy::AnyWaiting renewed = told.renewed();
  shared = true;
  EXPECT_EQ(search_time(renewed, kAlone), policy::Pressure::kSharedSearchTime)
      << "what it was told to go by goes along";
}

TEST(WaitingPolicies, GivenSleepThenItSearchesOnceWhateverIsAround) {
  for (const auto& around : {kAlone, kCrowded, kPolled}) {
    EXPECT_EQ(search_time(IdlePolicy::kSleep, around), nanoseconds(0));
  }
}

TEST(WaitingPolicies, GivenSpinThenItAloneMakesNoPause) {
  EXPECT_EQ(pauses(IdlePolicy::kSpin), 0);
  for (const IdlePolicy other :
       {IdlePolicy::kAdaptive, IdlePolicy::kSpinPause, IdlePolicy::kYield, IdlePolicy::kSleep}) {
    EXPECT_GT(pauses(other), 0);
  }
}

struct TenMicroseconds {
  static nanoseconds search_time(const policy::Surroundings&) noexcept { return microseconds(10); }
  static int pauses() noexcept { return 1; }
  static bool gives_core_away(const policy::Surroundings&) noexcept { return false; }
};
static_assert(policy::Waiting<TenMicroseconds>, "an own class is a waiting policy");
static_assert(!policy::Waiting<int>, "not everything is one");

}  // namespace
}  // namespace kumiko::runtime::test
