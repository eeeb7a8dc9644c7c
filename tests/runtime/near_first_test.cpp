// Contract: a thief's round visits every other worker once, the near ones first, each pass in a
// circle from a worker that one random number chooses, and ends when a visit is successful.
#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/runtime/policy/near_first.hpp>

namespace kumiko::runtime::test {
namespace {

using policy::NearFirst;
using policy::Others;
using Workers = std::vector<std::size_t>;

/// Gives numbers that were set, and counts them.
class SetNumbers {
 public:
  explicit SetNumbers(std::vector<unsigned> numbers) : numbers_(std::move(numbers)) {}
  unsigned operator()() { return numbers_.at(drawn_++); }
  std::size_t drawn() const { return drawn_; }

 private:
  std::vector<unsigned> numbers_;
  std::size_t drawn_ = 0;
};

/// A visit that notes whom it comes to and never finds anything.
auto note_in(Workers& visited) {
  return [&visited](std::size_t victim) {
    visited.push_back(victim);
    return false;
  };
}

constexpr auto kIsEven = [](std::size_t victim) { return victim % 2 == 0; };
const Others::IsNear kEvenAreNear(kIsEven);

TEST(NearFirst, GivenNoDistancesWhenNothingIsFoundThenAllOthersAreVisitedInACircle) {
  Workers visited;
  SetNumbers numbers({5 + 2});
  EXPECT_FALSE(NearFirst().round(Others{3, 5}, numbers, note_in(visited)));
  EXPECT_EQ(visited, (Workers{2, 4, 0, 1}));
  EXPECT_EQ(numbers.drawn(), 1U);
}

TEST(NearFirst, GivenDistancesWhenNothingIsFoundThenEachPassBeginsWithANumberOfItsOwn) {
  Workers visited;
  SetNumbers numbers({4, 6 + 3});
  EXPECT_FALSE(NearFirst().round(Others{0, 6, &kEvenAreNear}, numbers, note_in(visited)));
  EXPECT_EQ(visited, (Workers{4, 2, 3, 5, 1}));
  EXPECT_EQ(numbers.drawn(), 2U);
}

TEST(NearFirst, GivenANearVictimWithWorkThenTheFarOnesAreLeftAlone) {
  Workers visited;
  SetNumbers numbers({1});
  const bool found =
      NearFirst().round(Others{1, 6, &kEvenAreNear}, numbers, [&](std::size_t victim) {
        visited.push_back(victim);
        return victim == 4;
      });
  EXPECT_TRUE(found);
  EXPECT_EQ(visited, (Workers{2, 4}));
  EXPECT_EQ(numbers.drawn(), 1U);
}

TEST(NearFirst, GivenAFarVictimWithWorkThenItIsFoundInTheSecondPass) {
  Workers visited;
  SetNumbers numbers({0, 0});
  const bool found =
      NearFirst().round(Others{0, 5, &kEvenAreNear}, numbers, [&](std::size_t victim) {
        visited.push_back(victim);
        return victim == 3;
      });
  EXPECT_TRUE(found);
  EXPECT_EQ(visited, (Workers{2, 4, 1, 3}));
}

TEST(NearFirst, GivenAnyStartThenEveryOtherWorkerIsVisitedOnce) {
  constexpr std::size_t kWorkers = 7;
  for (std::size_t thief = 0; thief < kWorkers; ++thief) {
    for (unsigned start = 0; start < kWorkers; ++start) {
      std::vector<int> visits(kWorkers, 0);
      SetNumbers numbers({start, start + 3});
      NearFirst().round(Others{thief, kWorkers, &kEvenAreNear}, numbers, [&](std::size_t victim) {
        ++visits[victim];
        return false;
      });
      for (std::size_t worker = 0; worker < kWorkers; ++worker) {
        EXPECT_EQ(visits[worker], worker == thief ? 0 : 1) << worker << " from " << start;
      }
    }
  }
}

TEST(NearFirst, GivenOneWorkerThenNobodyIsVisited) {
  Workers visited;
  SetNumbers numbers({8});
  EXPECT_FALSE(NearFirst().round(Others{0, 1}, numbers, note_in(visited)));
  EXPECT_EQ(visited, Workers{});
  EXPECT_EQ(numbers.drawn(), 1U);
}

}  // namespace
}  // namespace kumiko::runtime::test
