// Functions that run for others get their credits back once where nothing moves, and who polls is
// left alone afterwards.
#include "calls/incoming_calls.hpp"

#include <array>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace kumiko::cluster::detail {
namespace {

using namespace std::chrono_literals;

constexpr auto kNever = IncomingCalls::Clock::time_point::max();

/// Polls until nothing is to be looked at again. Returns how many credits went back.
int relieved(IncomingCalls& calls) {
  int count = 0;
  const auto limit = IncomingCalls::Clock::now() + 10s;
  do {
    count += calls.relieve(true, IncomingCalls::Clock::now, [](const IncomingCall&) {});
    std::this_thread::sleep_for(200us);
  } while (calls.looks_at() != kNever && IncomingCalls::Clock::now() < limit);
  return count;
}

TEST(IncomingCallsTest, GivenNobodyThenThereIsNothingToLookAt) {
  IncomingCalls calls;
  EXPECT_EQ(calls.relieve(true, IncomingCalls::Clock::now, [](const IncomingCall&) {}), 0);
  EXPECT_EQ(calls.looks_at(), kNever);
}

TEST(IncomingCallsTest, GivenThoseThatWaitThenTheirCreditsGoBackOnceAndNobodyLooksAgain) {
  IncomingCalls calls;
  std::array<IncomingCall, 20> waiting{};
  for (IncomingCall& call : waiting) {
    calls.expect(1);
    calls.admit(call);
  }
  EXPECT_EQ(relieved(calls), 20);
  for (int poll = 0; poll < 20; ++poll) {
    EXPECT_EQ(calls.relieve(true, IncomingCalls::Clock::now, [](const IncomingCall&) {}), 0);
    ASSERT_EQ(calls.looks_at(), kNever);
  }
  for (IncomingCall& call : waiting) EXPECT_TRUE(calls.dismiss(call));
}

TEST(IncomingCallsTest, GivenOneThatComesLaterThenItsCreditGoesBackToo) {
  IncomingCalls calls;
  IncomingCall first{};
  calls.expect(1);
  calls.admit(first);
  EXPECT_EQ(relieved(calls), 1);
  IncomingCall second{};
  calls.expect(1);
  EXPECT_EQ(relieved(calls), 0);
  calls.admit(second);
  EXPECT_EQ(relieved(calls), 1);
  EXPECT_TRUE(calls.dismiss(second));
  EXPECT_TRUE(calls.dismiss(first));
}

}  // namespace
}  // namespace kumiko::cluster::detail
