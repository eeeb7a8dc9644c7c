// Contract: a worker that goes on with a group that may be published shows it to the workers below
// the same cache, which prefer their own threads of it, as far as bonus and limit allow; it shows
// nothing once the group does not go on. One worker shows a group at a time.
#include "core/published_group.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kumiko/runtime/group.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "core/aggregation.hpp"
#include "core/ready_queue.hpp"
#include "core/scheduler.hpp"
#include "core/streak.hpp"
#include "machine/topology.hpp"
#include "record/descriptor.hpp"

namespace kumiko::runtime::test {
namespace {

using detail::Aggregation;
using detail::Descriptor;
using detail::PublishedGroup;

/// Two workers' queues, which show each other a group, without the workers.
class PublishedGroupTest : public testing::Test {
 protected:
  static constexpr int kNoGroup = -1;

  PublishedGroupTest() {
    for (int number = 0; number < 3; ++number) {
      Aggregation& group = groups_.emplace_back(2, number);
      group.bonus = 1000;
      group.limit = 1000;
      group.on = true;
      group.published = true;
    }
  }

  Aggregation& group(int number) { return *std::next(groups_.begin(), number); }

  /// Threads of these groups become ready at a worker, in this order.
  void push(std::size_t worker, const std::vector<int>& groups) {
    for (const int number : groups) {
      Descriptor& thread = threads_.emplace_back(scheduler_, 0);
      thread.aggregation = number == kNoGroup ? nullptr : &group(number);
      queues_[worker].push(&thread);
    }
  }

  /// The group of the thread whose turn it is on a worker after one of `ran`; kNone if there is no
  /// thread.
  int pop(std::size_t worker, int ran) {
    const Aggregation* const before = ran == kNoGroup ? nullptr : &group(ran);
    const Descriptor* const thread = queues_[worker].pop_after(before, streaks_[worker]);
    if (thread == nullptr) return kNone;
    return thread->aggregation == nullptr ? kNoGroup : thread->aggregation->number;
  }

  static constexpr int kNone = -2;

  detail::Scheduler scheduler_{Options{.workers = 1}};
  std::list<Aggregation> groups_;
  std::list<Descriptor> threads_;
  PublishedGroup shown_;
  detail::ReadyQueue queues_[2]{{0, shown_}, {1, shown_}};
  detail::Streak streaks_[2];
};

TEST_F(PublishedGroupTest, GivenAGroupThatGoesOnThenANeighbourPrefersItToItsOwn) {
  push(0, {1, 0, 0});
  push(1, {2, 1, 0, 1});
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(shown_.group(), &group(0));
  EXPECT_EQ(pop(1, 1), 0) << "the shown one";
  EXPECT_EQ(pop(1, 0), 2) << "nobody else of it is left: the oldest";
  EXPECT_EQ(pop(1, 1), 1);
  EXPECT_EQ(shown_.group(), &group(0)) << "one worker shows a group at a time";
}

TEST_F(PublishedGroupTest, GivenThreadsWithoutAGroupThenTheShownOneGoesBeforeThemToo) {
  push(0, {0});
  push(1, {kNoGroup, 0});
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(pop(1, kNoGroup), 0);
  EXPECT_EQ(pop(1, kNoGroup), kNoGroup);
}

TEST_F(PublishedGroupTest, GivenAGroupThatMayNotBeShownThenNeighboursGoByTheirOwn) {
  group(0).published = false;
  push(0, {1, 0});
  push(1, {2, 0});
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(shown_.group(), nullptr);
  EXPECT_EQ(pop(1, kNoGroup), 2);
}

TEST_F(PublishedGroupTest, GivenAGroupThatDoesNotGoOnThenNothingIsShown) {
  push(0, {1, 0});
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(pop(0, 0), 1) << "the oldest, of another group";
  EXPECT_EQ(shown_.group(), nullptr);
  push(0, {0});
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(shown_.group(), &group(0));
  EXPECT_EQ(pop(0, 0), kNone);
  EXPECT_EQ(shown_.group(), nullptr) << "no thread is left";
}

TEST_F(PublishedGroupTest, GivenAnotherGroupThatGoesOnThenThatIsShown) {
  push(0, {1, 0, 1});
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(pop(0, 1), 1);
  EXPECT_EQ(shown_.group(), &group(1));
}

TEST_F(PublishedGroupTest, GivenAShownGroupThatIsSwitchedOffThenNobodyPrefersIt) {
  push(0, {1, 0, 0});
  push(1, {2, 0});
  EXPECT_EQ(pop(0, 0), 0);
  group(0).on = false;
  EXPECT_EQ(pop(1, kNoGroup), 2);
  EXPECT_EQ(pop(0, 0), 1);
  EXPECT_EQ(shown_.group(), nullptr);
}

TEST_F(PublishedGroupTest, GivenALimitThenANeighboursOldestHasItsTurnAfterIt) {
  group(0).limit = 2;
  push(0, {0});
  push(1, {2, 0, 0, 0, 1, 0});
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(pop(1, 2), 0);
  EXPECT_EQ(pop(1, 0), 0);
  EXPECT_EQ(pop(1, 0), 2);
  EXPECT_EQ(pop(1, 2), 0) << "a row has begun anew";
  EXPECT_EQ(streaks_[1].preferred().read(), 2U);
  EXPECT_EQ(streaks_[1].limited().read(), 1U);
}

TEST_F(PublishedGroupTest, GivenABonusThatIsTooSmallThenTheNeighboursOwnGroupGoesOn) {
  group(0).bonus = 1;
  push(0, {0});
  push(1, {2, 1, 0});
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(pop(1, 1), 1) << "two turns before the oldest are one too many for the shown one";
}

TEST_F(PublishedGroupTest, GivenRowsThatEndAtOtherTimesThenGroupsTakeTurnsAllTheSame) {
  group(0).limit = group(1).limit = 2;
  for (const std::size_t worker : {0, 1}) push(worker, {1, 0, 0, 0, 0, 0, 1, 1, 1, 1});
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(pop(1, 0), 0);
  EXPECT_EQ(pop(0, 0), 1) << "the oldest, after a row of two";
  EXPECT_EQ(pop(1, 0), 0);
  EXPECT_EQ(shown_.group(), &group(0)) << "by the other one, whose row has not ended";
  EXPECT_EQ(pop(0, 1), 1) << "the next row is another group's";
  EXPECT_EQ(pop(1, 0), 1);
  EXPECT_EQ(pop(1, 1), 1);
  EXPECT_EQ(shown_.group(), &group(1));
}

TEST_F(PublishedGroupTest, GivenTheLimitWhenNobodyElseWaitsThenTheGroupIsStillShown) {
  group(0).limit = 1;
  push(0, {0, 0, 0, 0});
  for (int turn = 0; turn < 4; ++turn) {
    EXPECT_EQ(pop(0, 0), 0);
    EXPECT_EQ(shown_.group(), &group(0)) << turn;
  }
}

TEST_F(PublishedGroupTest, GivenAWorkerThatGoesElsewhereThenItShowsNothingThereOrHere) {
  PublishedGroup elsewhere;
  push(0, {0, 0});
  push(1, {2, 0});
  EXPECT_EQ(pop(0, 0), 0);
  queues_[0].note_place(elsewhere);
  EXPECT_EQ(shown_.group(), nullptr);
  EXPECT_EQ(pop(1, kNoGroup), 2);
  EXPECT_EQ(pop(0, 0), 0);
  EXPECT_EQ(elsewhere.group(), &group(0));
}

TEST(PublishedGroups, GivenTheOptionAndItsSetterThenTheHandleSaysSo) {
  const Runtime runtime({.workers = 1});
  EXPECT_FALSE(Group(runtime).is_published());
  Group group(runtime, {.published = true});
  EXPECT_TRUE(group.is_published());
  group.set_published(false);
  EXPECT_FALSE(group.is_published());
}

/// Which of two threads that wait on the other worker goes first while this one goes on with a
/// group: one without a group, which came first, or one of that group.
std::string first_beside(bool published) {
  Runtime runtime({.workers = 2});
  const Group group(runtime, {.published = published});
  std::atomic<const char*> first{nullptr};
  runtime.run([&] {
    const int here = this_thread::worker_index();
    const int other = 1 - here;
    std::atomic<bool> held{false};
    std::atomic<bool> goes_on{false};
    const auto come = [&](const char* who) {
      const char* nobody = nullptr;
      first.compare_exchange_strong(nobody, who);
    };
    TaskGroup all;
    all.run_near(other, [&] {
      held = true;
      while (!goes_on) std::this_thread::yield();
    });
    while (!held) std::this_thread::yield();
    all.run_near(other, [&] { come("older"); });
    all.run(group, [&] {
      all.run_near(other, [&] { come("of the group"); });
      all.run_near(here, [] { this_thread::yield(); });
    });
    all.run_near(here, [] {});
    all.run(group, [&] {
      all.run_near(here, [&] {  // overtakes the one above
        goes_on = true;
        while (first == nullptr) std::this_thread::yield();
      });
    });
    all.wait();
  });
  return first.load();
}

TEST(PublishedGroupOrder, GivenTwoWorkersBelowOneCacheThenTheOtherPrefersThePublishedGroup) {
  if (detail::Topology::machine().cache_count() > 1) GTEST_SKIP() << "there are several caches";
  EXPECT_EQ(first_beside(true), "of the group");
  EXPECT_EQ(first_beside(false), "older");
}

TEST(PublishedGroups, GivenSeveralWorkersWhenGroupsArePublishedThenNoThreadIsLost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Runtime runtime({.workers = 3, .chaos_seed = seed});
    std::vector<Group> groups;
    for (int i = 0; i < 4; ++i)
      groups.emplace_back(runtime, GroupOptions{.limit = 3 * i, .published = true});
    std::atomic<int> calls{0};
    runtime.run([&] {
      TaskGroup all;
      for (int i = 0; i < 40; ++i) {
        all.run(groups[static_cast<std::size_t>(i) % groups.size()], [&, i] {
          for (int turn = 0; turn < 5; ++turn) this_thread::yield();
          groups[static_cast<std::size_t>(i) % groups.size()].set_published(i % 3 != 0);
          ++calls;
        });
      }
      all.wait();
    });
    EXPECT_EQ(calls, 40) << seed;
  }
}

}  // namespace
}  // namespace kumiko::runtime::test
