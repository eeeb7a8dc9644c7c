// The credits of incoming calls are returned early, once, if no call begins or ends; afterwards the
// poller has nothing to look at.
#include "calls/incoming_calls.hpp"

#include <array>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace kumiko::cluster::detail {
namespace {

using namespace std::chrono_literals;

constexpr auto kNever = IncomingCalls::Clock::time_point::max();

/// Polls until there is no next look. Returns the number of credits that were returned.
int relieved(IncomingCalls& calls) {
  int count = 0;
  const auto limit = IncomingCalls::Clock::now() + 10s;
  do {
    count += calls.relieve(true, IncomingCalls::Clock::now, [](const IncomingCall&) {});
    std::this_thread::sleep_for(200us);
  } while (calls.looks_at() != kNever && IncomingCalls::Clock::now() < limit);
  return count;
}

TEST(IncomingCallsTest, GivenNoCallThenThereIsNothingToLookAt) {
  IncomingCalls calls;
  EXPECT_EQ(calls.relieve(true, IncomingCalls::Clock::now, [](const IncomingCall&) {}), 0);
  EXPECT_EQ(calls.looks_at(), kNever);
}

TEST(IncomingCallsTest, GivenCallsThatWaitThenTheirCreditsGoBackOnceAndThereIsNoFurtherLook) {
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

TEST(IncomingCallsTest, GivenACallThatComesLaterThenItsCreditGoesBackToo) {
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
