// Contract: where threads yield, those of the group that ran go on, as long as bonus and limit say;
// with n threads and a limit k each has its turn within n (k + 1); no thread is lost by groups, nor
// kept waiting by them where it waits for I/O, comes from outside or can run on another worker.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/group.hpp>
#include <kumiko/runtime/io/pipe.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

constexpr int kTurns = 60;
constexpr int kNoGroup = -1;

/// Whose turn it was, turn by turn: threads on one worker that yield after each. Thread i is of the
/// group groups[of_thread[i]], or of none.
std::vector<int> turns_of(const std::vector<GroupOptions>& groups,
                          const std::vector<int>& of_thread, Statistics* statistics = nullptr) {
  Runtime runtime({.workers = 1});
  std::vector<Group> handles;
  for (const GroupOptions& options : groups) handles.emplace_back(runtime, options);
  std::vector<int> turns;
  runtime.run([&] {
    TaskGroup all;
    for (int i = 0; i < static_cast<int>(of_thread.size()); ++i) {
      const auto take_turns = [&turns, i] {
        for (int turn = 0; turn < kTurns; ++turn) {
          this_thread::yield();
          turns.push_back(i);
        }
      };
      if (of_thread[i] == kNoGroup) {
        all.run(take_turns);
      } else {
        all.run(handles[of_thread[i]], take_turns);
      }
    }
    all.wait();
  });
  if (statistics != nullptr) *statistics = runtime.statistics();
  return turns;
}

/// The same by the rule alone (see detail::Streak), one list of waiting threads searched through.
std::vector<int> turns_by_rule(const std::vector<GroupOptions>& groups,
                               const std::vector<int>& of_thread) {
  struct Waiting {
    int thread;
    int ticket;
  };
  std::list<Waiting> queue;
  for (int i = 0; i < static_cast<int>(of_thread.size()); ++i) queue.push_back({i, i});
  std::vector<int> left(of_thread.size(), kTurns);
  std::vector<int> turns;
  int tickets = static_cast<int>(of_thread.size());
  int ran = kNoGroup;
  int in_a_row = 0;
  while (!queue.empty()) {
    auto next = queue.begin();
    const auto kin = std::ranges::find_if(
        queue, [&](const Waiting& waiting) { return of_thread[waiting.thread] == ran; });
    if (ran != kNoGroup && groups[ran].on && kin != queue.end() && in_a_row < groups[ran].limit &&
        kin->ticket - queue.front().ticket <= groups[ran].bonus) {
      next = kin;
      ++in_a_row;
    } else if (ran == kNoGroup || of_thread[next->thread] != ran) {
      in_a_row = 0;
    }
    const int thread = next->thread;
    queue.erase(next);
    turns.push_back(thread);
    ran = of_thread[thread];
    if (--left[thread] > 0) queue.push_back({thread, tickets++});
  }
  return turns;
}

/// The most turns of others between two of the same thread, while all threads are there.
std::size_t longest_wait(const std::vector<int>& turns, std::size_t threads) {
  std::vector<std::size_t> latest(threads, 0);
  std::vector<int> count(threads, 0);
  std::size_t longest = 0;
  for (std::size_t at = 0; at < turns.size(); ++at) {
    const auto thread = static_cast<std::size_t>(turns[at]);
    if (count[thread] > 0) longest = std::max(longest, at - latest[thread] - 1);
    latest[thread] = at;
    if (++count[thread] == kTurns) break;
  }
  return longest;
}

TEST(GroupOrder, GivenGroupsAmongEachOtherWhenTheyYieldThenEachRunsAloneUpToItsLimit) {
  const std::vector<int> turns = turns_of({{.limit = 9}, {.limit = 9}}, {0, 1, 0, 1});
  for (std::size_t at = 0; at + 10 <= 100; at += 10) {
    for (std::size_t i = at; i < at + 10; ++i) EXPECT_EQ(turns[i] % 2, turns[at] % 2) << i;
    EXPECT_NE(turns[at] % 2, turns[at + 10] % 2) << at;
  }
}

TEST(GroupOrder, GivenAnyGroupsWhenTheirThreadsYieldThenTurnsAreThoseOfTheRule) {
  std::mt19937 random(20);
  for (int round = 0; round < 40; ++round) {
    std::vector<GroupOptions> groups(1 + random() % 4);
    for (GroupOptions& options : groups) {
      options.limit = static_cast<int>(random() % 8);
      options.bonus = random() % 2 == 0 ? 1'000'000 : static_cast<int>(random() % 12);
      options.on = random() % 5 != 0;
    }
    std::vector<int> of_thread(1 + random() % 12);
    for (int& group : of_thread) {
      group = static_cast<int>(random() % (groups.size() + 1)) - 1;
    }
    EXPECT_EQ(turns_of(groups, of_thread), turns_by_rule(groups, of_thread)) << "round " << round;
  }
}

TEST(GroupOrder, GivenALimitThenEachThreadHasItsTurnWithinThreadsTimesLimitPlusOne) {
  for (const int limit : {0, 1, 3, 7}) {
    const std::vector<int> of_thread{0, kNoGroup, 0, 1, kNoGroup, 1, 0};
    const std::vector<int> turns = turns_of({{.limit = limit}, {.limit = limit}}, of_thread);
    const auto bound = of_thread.size() * static_cast<std::size_t>(limit + 1);
    EXPECT_LE(longest_wait(turns, of_thread.size()), bound - 1) << limit;
  }
}

TEST(GroupOrder, GivenOneThreadBesideAGroupThenItWaitsForExactlyTheLimitAndOneMore) {
  for (const int limit : {1, 3, 7}) {
    const std::vector<int> turns = turns_of({{.limit = limit}}, {0, 0, kNoGroup});
    std::vector<std::size_t> own;
    for (std::size_t at = 0; own.size() < 5; ++at) {
      if (turns[at] == 2) own.push_back(at);
    }
    for (std::size_t i = 1; i < own.size(); ++i) {
      EXPECT_EQ(own[i] - own[i - 1] - 1, static_cast<std::size_t>(limit) + 1);
    }
  }
}

TEST(GroupOrder, GivenABonusThenNoMoreThanThatOvertakeAThread) {
  for (const int bonus : {0, 1, 5}) {
    const std::vector<int> of_thread{0, 0, kNoGroup, 0, 0};
    const std::vector<int> turns = turns_of({{.bonus = bonus, .limit = 1'000'000}}, of_thread);
    EXPECT_LE(longest_wait(turns, of_thread.size()),
              of_thread.size() - 1 + static_cast<std::size_t>(bonus));
  }
}

TEST(GroupOrder, GivenAGroupThatIsOffOrHasNoBonusThenThreadsGoInTurn) {
  const std::vector<int> of_thread{0, 1, 0, 1, kNoGroup};
  const std::vector<int> in_turn = turns_of({}, std::vector<int>(of_thread.size(), kNoGroup));
  EXPECT_EQ(turns_of({{.on = false}, {.on = false}}, of_thread), in_turn);
  EXPECT_EQ(turns_of({{.bonus = 0}, {.bonus = 0}}, of_thread), in_turn);
  EXPECT_EQ(turns_of({{.limit = 0}, {.limit = 0}}, of_thread), in_turn);
}

TEST(GroupOrder, GivenOneGroupThatIsOffThenAnotherIsPreferredAllTheSame) {
  Statistics statistics;
  const std::vector<int> of_thread{0, 1, 0, 1};
  const std::vector<int> turns = turns_of({{.limit = 4}, {.on = false}}, of_thread, &statistics);
  EXPECT_EQ(turns, turns_by_rule({{.limit = 4}, {.on = false}}, of_thread));
  EXPECT_GT(statistics.total().group_turns, 0U);
  EXPECT_GT(statistics.total().group_limits, 0U);
}

TEST(GroupOrder, GivenAGroupThatIsSwitchedWhileItRunsThenTheNextTurnGoesByThat) {
  Runtime runtime({.workers = 1});
  Group group(runtime, {.limit = 1'000'000, .on = false});
  std::vector<int> turns;
  runtime.run([&] {
    TaskGroup all;
    for (int i = 0; i < 4; ++i) {
      const auto take_turns = [&, i] {
        for (int turn = 0; turn < 20; ++turn) {
          this_thread::yield();
          if (turns.size() == 20) group.set_on(true);
          if (turns.size() == 30) group.set_limit(0);
          if (turns.size() == 40) group.set_limit(1'000'000);
          if (turns.size() == 50) group.set_bonus(0);
          turns.push_back(i);
        }
      };
      if (i % 2 == 0) {
        all.run(group, take_turns);
      } else {
        all.run(take_turns);
      }
    }
    all.wait();
  });
  const auto of_group = [&](std::size_t begin, std::size_t end) {
    return std::count_if(turns.begin() + static_cast<std::ptrdiff_t>(begin),
                         turns.begin() + static_cast<std::ptrdiff_t>(end),
                         [](int thread) { return thread % 2 == 0; });
  };
  EXPECT_EQ(of_group(0, 20), 10);
  EXPECT_EQ(of_group(21, 31), 10);
  EXPECT_EQ(of_group(32, 40), 4);
  EXPECT_EQ(of_group(42, 50), 8);
  EXPECT_EQ(of_group(52, 60), 4);
}

TEST(GroupOrder, GivenAGroupWhenItsThreadsSpawnThenTheirChildrenHaveIt) {
  Runtime runtime({.workers = 1});
  Group group(runtime, {.limit = 5});
  runtime.run([&] {
    const auto yield = [] {
      for (int turn = 0; turn < kTurns; ++turn) this_thread::yield();
    };
    TaskGroup all;
    all.run(group, [&] {
      TaskGroup children;
      for (int i = 0; i < 3; ++i) children.run(yield);
      children.wait();
    });
    for (int i = 0; i < 3; ++i) all.run(yield);
    all.wait();
  });
  EXPECT_GT(runtime.statistics().total().group_turns, 0U);
}

TEST(GroupOrder, GivenThreadsWithoutAGroupThenNothingIsPreferred) {
  Statistics statistics;
  turns_of({}, {kNoGroup, kNoGroup, kNoGroup}, &statistics);
  EXPECT_EQ(statistics.total().group_turns, 0U);
  EXPECT_EQ(statistics.total().group_limits, 0U);
}

class GroupTest : public OnWorkers {};
KUMIKO_ON_WORKERS(GroupTest);

/// A group that nothing ends but its own will.
const GroupOptions kUnbounded{.bonus = 1'000'000'000, .limit = 1'000'000};

TEST_P(GroupTest, GivenAGroupThatYieldsForEverWhenAnOsThreadSubmitsThenItsWorkRuns) {
  Group group(runtime_, kUnbounded);
  std::atomic<bool> flag{false};
  std::thread submitter([&] { runtime_.run([&] { flag = true; }); });
  runtime_.run([&] {
    TaskGroup all;
    for (int i = 0; i < 2 * runtime_.workers(); ++i) {
      all.run(group, [&] {
        while (!flag) this_thread::yield();
      });
    }
    all.wait();
  });
  submitter.join();
}

TEST_P(GroupTest, GivenAGroupThatYieldsForEverWhenAnEventComesThenItsThreadRuns) {
  Group group(runtime_, kUnbounded);
  runtime_.run([&] {
    std::atomic<bool> flag{false};
    io::Pipe pipe = io::Pipe::create().value();
    TaskGroup all;
    all.run([&] {
      std::array<std::byte, 1> byte{};
      EXPECT_EQ(pipe.read(byte).value(), 1U);
      flag = true;
    });
    for (int i = 0; i < 2 * runtime_.workers(); ++i) {
      all.run(group, [&, i] {
        const std::array<std::byte, 1> byte{};
        if (i == 0) static_cast<void>(pipe.write_all(byte));
        while (!flag) this_thread::yield();
      });
    }
    all.wait();
  });
}

TEST_P(GroupTest, GivenABoundedGroupThatYieldsForEverThenWhoYieldedBesideItGoesOn) {
  Group group(runtime_, {.bonus = 1'000'000'000, .limit = 50});
  runtime_.run([&] {
    std::atomic<bool> flag{false};
    TaskGroup all;
    all.run([&] {
      for (int turn = 0; turn < 20; ++turn) this_thread::yield();
      flag = true;
    });
    for (int i = 0; i < 2 * runtime_.workers(); ++i) {
      all.run(group, [&] {
        while (!flag) this_thread::yield();
      });
    }
    all.wait();
  });
}

TEST_P(GroupTest, GivenManyGroupsThatAreSwitchedWhileThreadsYieldWaitAndSpawnThenAllEnd) {
  constexpr int kGroups = 7;
  std::vector<Group> groups;
  for (int i = 0; i < kGroups; ++i) groups.emplace_back(runtime_, GroupOptions{.limit = i});
  std::atomic<bool> ended{false};
  std::thread switcher([&] {
    std::mt19937 random(1);
    while (!ended) {
      Group& group = groups[random() % kGroups];
      group.set_on(random() % 2 == 0);
      group.set_published(random() % 2 == 0);
      group.set_limit(static_cast<int>(random() % 20));
      group.set_bonus(static_cast<int>(random() % 20));
      std::this_thread::yield();
    }
  });
  std::atomic<int> calls{0};
  runtime_.run([&] {
    TaskGroup all;
    for (int i = 0; i < 70; ++i) {
      const auto work = [&calls, &all, i] {
        for (int turn = 0; turn < 10; ++turn) this_thread::yield();
        for_each_index(3, [&](std::size_t) {
          this_thread::yield();
          ++calls;
        });
        all.run_near(i % GetParam(), [&calls] {
          this_thread::yield();
          ++calls;
        });
      };
      if (i % 10 == 0) {
        all.run(work);
      } else {
        all.run(groups[static_cast<std::size_t>(i) % kGroups], work);
      }
    }
    all.wait();
  });
  ended = true;
  switcher.join();
  EXPECT_EQ(calls, 70 * 4);
}

TEST_P(GroupTest, GivenHandlesThatEndBeforeTheirThreadsThenTheThreadsGoOn) {
  std::atomic<int> calls{0};
  runtime_.run([&] {
    for (int round = 0; round < 20; ++round) {
      TaskGroup all;
      for (int i = 0; i < 5; ++i) {
        const Group group(runtime_, {.name = std::to_string(i)});
        for (int thread = 0; thread < 4; ++thread) {
          all.run(group, [&calls] {
            for (int turn = 0; turn < 5; ++turn) this_thread::yield();
            ++calls;
          });
        }
      }
      if (round % 2 == 0) all.wait();
    }
  });
  EXPECT_EQ(calls, 20 * 5 * 4);
}

TEST_P(GroupTest, GivenAHandleThatOutlivesItsRuntimeThenItMayStillBeSet) {
  std::optional<Group> group;
  {
    Runtime runtime({.workers = GetParam()});
    group.emplace(runtime, GroupOptions{.name = "late"});
    runtime.run([&] { Thread(*group, [] { this_thread::yield(); }).join(); });
  }
  group->set_on(false);
  EXPECT_FALSE(group->is_on());
  EXPECT_EQ(group->name(), "late");
}

TEST_P(GroupTest, GivenAFunctionWithAStopTokenWhenItIsMadeOfAGroupThenItCanBeStopped) {
  const Group group(runtime_);
  runtime_.run([&] {
    Thread thread(group, [](const std::stop_token& token) {
      while (!token.stop_requested()) this_thread::yield();
    });
    thread.request_stop();
    thread.join();
  });
}

TEST(GroupOnSeveralWorkers, GivenOneWorkerThatIsHeldThenOthersTakeItsGroupsThreads) {
  Runtime runtime({.workers = 2});
  const Group group(runtime, kUnbounded);
  runtime.run([&] {
    constexpr int kThreads = 10;
    std::atomic<int> gone_on{0};
    TaskGroup all;
    all.run([&] { hold_worker_until([&] { return gone_on == kThreads; }); });
    for (int i = 0; i < kThreads; ++i) {
      all.run(group, [&] {
        this_thread::yield();
        ++gone_on;
      });
    }
    all.wait();
  });
}

TEST(GroupChaos, GivenADisturbedScheduleThenNoThreadIsLost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Runtime runtime({.workers = 3, .chaos_seed = seed});
    const Group one(runtime, {.limit = 3});
    const Group other(runtime, {.bonus = 2});
    std::atomic<int> calls{0};
    runtime.run([&] {
      TaskGroup all;
      for (int i = 0; i < 40; ++i) {
        all.run(i % 2 == 0 ? one : other, [&] {
          for (int turn = 0; turn < 5; ++turn) this_thread::yield();
          ++calls;
        });
      }
      all.wait();
    });
    EXPECT_EQ(calls, 40) << seed;
  }
}

std::string refusal_of(const GroupOptions& options) {
  const Runtime runtime({.workers = 1});
  try {
    const Group group(runtime, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(GroupOptionsTest, GivenNonsenseThenTheErrorNamesGroupValueAndRemedy) {
  EXPECT_EQ(refusal_of({.name = "rows", .bonus = -1}),
            "Group 'rows': a bonus of -1 turns; give a number from 0, for never, to 1000000000");
  EXPECT_EQ(refusal_of({.name = "rows", .limit = -5}),
            "Group 'rows': a limit of -5 turns; give a number from 0, for never, to 1000000");
  EXPECT_NE(refusal_of({.bonus = 2'000'000'000}), "none");
  EXPECT_NE(refusal_of({.limit = 1'000'001}), "none");
  EXPECT_EQ(refusal_of({.bonus = 0, .limit = 0}), "none");
}

TEST(GroupOptionsTest, GivenNonsenseWhenSetThenItStaysAsItWas) {
  const Runtime runtime({.workers = 1});
  Group group(runtime, {.bonus = 7, .limit = 8});
  EXPECT_THROW(group.set_bonus(-1), std::invalid_argument);
  EXPECT_THROW(group.set_limit(-1), std::invalid_argument);
  EXPECT_EQ(group.bonus(), 7);
  EXPECT_EQ(group.limit(), 8);
}

TEST(GroupOptionsTest, GivenAGroupThatWasMovedFromWhenAThreadIsSpawnedThenInvalidArgument) {
  Runtime runtime({.workers = 1});
  Group group(runtime);
  const Group moved(std::move(group));
  runtime.run([&] { EXPECT_THROW(Thread(group, [] {}), std::invalid_argument); });
}

TEST(GroupOptionsTest, GivenAGroupOfAnotherRuntimeWhenAThreadIsSpawnedThenInvalidArgument) {
  Runtime runtime({.workers = 1});
  const Runtime another({.workers = 1});
  const Group group(another);
  runtime.run([&] {
    TaskGroup all;
    EXPECT_THROW(all.run(group, [] {}), std::invalid_argument);
    EXPECT_THROW(Thread(group, [] {}), std::invalid_argument);
    all.wait();
  });
}

TEST(GroupOptionsTest, GivenAGroupOutsideALightweightThreadWhenAThreadIsSpawnedThenLogicError) {
  const Runtime runtime({.workers = 1});
  const Group group(runtime);
  EXPECT_THROW(Thread(group, [] {}), std::logic_error);
}

}  // namespace
}  // namespace kumiko::runtime::test
