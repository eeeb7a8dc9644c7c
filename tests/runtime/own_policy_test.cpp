// Contract: a policy that serves badly costs time, never a thread; a name in the environment counts
// where the program has no steal policy of its own.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/policy/stealing_table.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

std::atomic<int> rounds = 0;

/// Never looks anywhere.
struct Blind {
  static bool next(bool, const policy::Take&) { return false; }
  static bool round(const policy::Others&, const policy::Draw&, const policy::Visit&) {
    ++rounds;
    return false;
  }
};

/// Goes on visiting after a find, visits itself, and indices that there are not.
struct Restless {
  static bool round(const policy::Others& others, const policy::Draw& draw,
                    const policy::Visit& visit) {
    ++rounds;
    for (std::size_t victim = 0; victim < others.workers + 2; ++victim) visit(victim);
    visit(draw() % (others.workers - 1));
    return false;
  }
};

/// Would search for longer than anybody waits.
struct HalfAMinute : policy::Sleep {
  static std::chrono::nanoseconds search_time(const policy::Surroundings&) {
    return std::chrono::seconds(30);
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
  rounds = 0;
  EXPECT_EQ(yields_on({.workers = 3, .steal = Blind{}}), 200);
  EXPECT_GT(rounds, 0);
}

TEST(OwnPolicy, GivenThievesThatVisitNobodyAndChaosThenAllThreadsRun) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(yields_on({.workers = 3, .steal = Blind{}, .chaos_seed = seed}), 200) << seed;
  }
}

TEST(OwnPolicy, GivenThievesThatVisitNobodyThenWhatABusyWorkerHoldsIsTakenFromIt) {
  Runtime runtime({.workers = 2, .steal = Blind{}});
  runtime.run([] {
    std::atomic<bool> gone_on = false;
    TaskGroup group;
    group.run([&] { hold_worker_until([&] { return gone_on.load(); }); });
    gone_on = true;
    group.wait();
  });
}

TEST(OwnPolicy, GivenThievesThatVisitOnAfterAFindThenNoThreadIsLost) {
  rounds = 0;
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(yields_on({.workers = 3, .steal = Restless{}}), 200);
  }
  EXPECT_GT(rounds, 0);
}

TEST(OwnPolicy, GivenOneWorkerThenNoThiefIsAsked) {
  rounds = 0;
  EXPECT_EQ(yields_on({.workers = 1, .steal = Restless{}}), 200);
  EXPECT_EQ(rounds, 0);
}

TEST(OwnPolicy, GivenALongSearchThenTheRuntimeEndsMuchEarlier) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(yields_on({.workers = 3, .idle = HalfAMinute{}}), 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(OwnPolicy, GivenEachNamedStealPolicyThenAllThreadsRun) {
  for (const policy::NamedStealing& row : policy::kStealingTable) {
    EXPECT_EQ(yields_on({.workers = 3, .steal = row.make()}), 200) << row.name;
  }
}

/// Whom a round visits where a random number is always 0.
std::vector<std::size_t> visited_by(const policy::AnyStealing& stealing) {
  std::vector<std::size_t> visited;
  stealing.round(
      {0, 4}, [] { return 0U; },
      [&](std::size_t victim) {
        visited.push_back(victim);
        return false;
      });
  return visited;
}

TEST(StealingTable, GivenANameThenItIsThatPolicy) {
  EXPECT_EQ(visited_by(policy::stealing_by("near_first")), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(visited_by(policy::stealing_by("uniform")), (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_FALSE(policy::stealing_by("tea"));
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
