// Functions that run for others get their credits back once where nothing moves, and who polls is
// left alone afterwards.
#include "calls/guests.hpp"

#include <array>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace kumiko::cluster::detail {
namespace {

using namespace std::chrono_literals;

constexpr auto kNever = Guests::Clock::time_point::max();

/// Polls until nothing is to be looked at again. Returns how many credits went back.
int relieved(Guests& guests) {
  int count = 0;
  const auto limit = Guests::Clock::now() + 10s;
  do {
    count += guests.relieve(true, Guests::Clock::now, [](const Guest&) {});
    std::this_thread::sleep_for(200us);
  } while (guests.looks_at() != kNever && Guests::Clock::now() < limit);
  return count;
}

TEST(GuestsTest, GivenNobodyThenThereIsNothingToLookAt) {
  Guests guests;
  EXPECT_EQ(guests.relieve(true, Guests::Clock::now, [](const Guest&) {}), 0);
  EXPECT_EQ(guests.looks_at(), kNever);
}

TEST(GuestsTest, GivenThoseThatWaitThenTheirCreditsGoBackOnceAndNobodyLooksAgain) {
  Guests guests;
  std::array<Guest, 20> waiting{};
  for (Guest& guest : waiting) {
    guests.expect(1);
    guests.admit(guest);
  }
  EXPECT_EQ(relieved(guests), 20);
  for (int poll = 0; poll < 20; ++poll) {
    EXPECT_EQ(guests.relieve(true, Guests::Clock::now, [](const Guest&) {}), 0);
    ASSERT_EQ(guests.looks_at(), kNever);
  }
  for (Guest& guest : waiting) EXPECT_TRUE(guests.dismiss(guest));
}

TEST(GuestsTest, GivenOneThatComesLaterThenItsCreditGoesBackToo) {
  Guests guests;
  Guest first{};
  guests.expect(1);
  guests.admit(first);
  EXPECT_EQ(relieved(guests), 1);
  Guest second{};
  guests.expect(1);
  EXPECT_EQ(relieved(guests), 0);
  guests.admit(second);
  EXPECT_EQ(relieved(guests), 1);
  EXPECT_TRUE(guests.dismiss(second));
  EXPECT_TRUE(guests.dismiss(first));
}

}  // namespace
}  // namespace kumiko::cluster::detail
