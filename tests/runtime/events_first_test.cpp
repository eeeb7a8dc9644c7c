// Contract: by EventsFirst a worker's loop takes threads whose event has come first, yet every
// source has its turn within a bounded number of turns though all others always have a thread.
#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/runtime/policy/events_first.hpp>

namespace kumiko::runtime::test {
namespace {

using policy::EventsFirst;
using policy::Source;
using Sources = std::vector<Source>;

/// What the policy takes from, turn by turn, where these sources always have a thread.
Sources taken(EventsFirst policy, const Sources& never_empty, int turns) {
  Sources taken;
  for (int turn = 0; turn < turns; ++turn) {
    policy.next(false, [&](Source source) {
      if (std::ranges::find(never_empty, source) == never_empty.end()) return false;
      taken.push_back(source);
      return true;
    });
  }
  return taken;
}

TEST(EventsFirst, GivenEventsThenTheyGoFirstButNotForEver) {
  const Sources turns = taken({}, {Source::kEvents, Source::kDeque}, 2 * 65);
  EXPECT_EQ(std::ranges::find(turns, Source::kDeque) - turns.begin(), EventsFirst::kEventStreak);
  EXPECT_EQ(std::ranges::count(turns, Source::kDeque), 2);
}

TEST(EventsFirst, GivenAThreadThatYieldsForeverThenWhatComesFromOutsideGoesEveryOtherTurn) {
  const Sources turns = taken({}, {Source::kQueue, Source::kOutside}, 16);
  EXPECT_EQ(std::ranges::count(turns, Source::kOutside), 8);
}

TEST(EventsFirst, GivenAQueueThatIsNeverEmptyThenOthersAreAskedAllTheSame) {
  const Sources turns = taken({}, {Source::kQueue, Source::kOthers, Source::kOthersByForce}, 512);
  EXPECT_EQ(std::ranges::count(turns, Source::kOthers), 512 / 64 - 2);
  EXPECT_EQ(std::ranges::count(turns, Source::kOthersByForce), 2);
}

TEST(EventsFirst, GivenAnEventAtEveryOtherTurnThenAllOthersAreAskedAllTheSame) {
  EventsFirst policy;
  Sources asked;
  for (int turn = 0; turn < 1024; ++turn) {
    policy.next(false, [&](Source source) {
      asked.push_back(source);
      return source == Source::kEvents ? turn % 2 == 0 : source == Source::kQueue;
    });
  }
  EXPECT_EQ(std::ranges::count(asked, Source::kOutside), 256);
  EXPECT_EQ(std::ranges::count(asked, Source::kOthers), 512 / 64 - 2);
  EXPECT_EQ(std::ranges::count(asked, Source::kOthersByForce), 2);
}

TEST(EventsFirst, GivenARequestThenThreadsFromOutsideGoFirst) {
  EventsFirst policy;
  for (int turn = 1; turn <= 3; ++turn) {
    Source first = Source::kEvents;
    policy.next(true, [&](Source source) { return (first = source) == Source::kOutside; });
    EXPECT_EQ(first, Source::kOutside) << turn;
  }
}

TEST(EventsFirst, GivenNothingAnywhereThenAllOwnSourcesWereLookedAt) {
  Sources looked;
  EventsFirst policy;
  EXPECT_FALSE(policy.next(false, [&](Source source) {
    looked.push_back(source);
    return false;
  }));
  for (const Source own : {Source::kEvents, Source::kQueue, Source::kOutside, Source::kDeque}) {
    EXPECT_EQ(std::ranges::count(looked, own), 1);
  }
}

}  // namespace
}  // namespace kumiko::runtime::test
