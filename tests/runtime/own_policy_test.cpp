// Contract: a policy that serves badly costs time, never a thread; a name in the environment counts
// where the program has no steal policy of its own.
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/policy/stealing_table.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

/// Never looks anywhere.
struct Blind {
  static bool next(bool, const policy::Take&) { return false; }
  static bool round(const policy::Others&, const policy::Draw&, const policy::Visit&) {
    return false;
  }
};

/// Takes from everywhere at once, though one thread is all that can go next.
struct Greedy {
  static bool next(bool, const policy::Take& take) {
    using policy::Source;
    for (int twice = 0; twice < 2; ++twice) {
      for (const Source source : {Source::kQueue, Source::kDeque, Source::kOutside}) take(source);
    }
    return false;
  }
};

int yields_on(const Options& options) {
  std::atomic<int> calls = 0;
  Runtime runtime(options);
  runtime.run([&] {
    for_each_index(200, [&](std::size_t) {
      this_thread::yield();
      ++calls;
    });
  });
  return calls;
}

TEST(OwnPolicy, GivenAChoiceThatLooksNowhereThenAllThreadsRun) {
  EXPECT_EQ(yields_on({.workers = 1, .next = Blind{}}), 200);
  EXPECT_EQ(yields_on({.workers = 3, .next = Blind{}}), 200);
}

TEST(OwnPolicy, GivenAChoiceThatTakesTwiceThenNoThreadIsLost) {
  EXPECT_EQ(yields_on({.workers = 1, .next = Greedy{}}), 200);
  EXPECT_EQ(yields_on({.workers = 3, .next = Greedy{}}), 200);
}

TEST(OwnPolicy, GivenThievesThatVisitNobodyThenAllThreadsRun) {
  EXPECT_EQ(yields_on({.workers = 3, .steal = Blind{}}), 200);
}

TEST(OwnPolicy, GivenEachNamedStealPolicyThenAllThreadsRun) {
  for (const policy::NamedStealing& row : policy::kStealingTable) {
    EXPECT_EQ(yields_on({.workers = 3, .steal = row.make()}), 200) << row.name;
  }
}

class StealingByEnvironment : public testing::Test {
 protected:
  static void set(const char* name) { setenv("KUMIKO_STEALING", name, 1); }
  void TearDown() override { unsetenv("KUMIKO_STEALING"); }
};

TEST_F(StealingByEnvironment, GivenANameOfTheTableThenARuntimeIsMade) {
  for (const policy::NamedStealing& row : policy::kStealingTable) {
    set(std::string(row.name).c_str());
    EXPECT_EQ(yields_on({.workers = 2}), 200) << row.name;
  }
}

TEST_F(StealingByEnvironment, GivenAnotherNameThenItIsRefusedWithThoseThatThereAre) {
  set("tea");
  try {
    const Runtime runtime(Options{.workers = 1});
    FAIL() << "it was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "KUMIKO_STEALING is 'tea'; give near_first or uniform");
  }
}

TEST_F(StealingByEnvironment, GivenAnOwnPolicyThenTheEnvironmentDoesNotCount) {
  set("tea");
  EXPECT_EQ(yields_on({.workers = 2, .steal = policy::NearFirst{}}), 200);
}

}  // namespace
}  // namespace kumiko::runtime::test
