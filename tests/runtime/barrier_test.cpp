// Contract: a Barrier's phase ends when all have arrived, never before; its completion runs once
// per phase before anybody goes on; phases do not mix; who drops out is not waited for; more
// threads than are expected may use it, and no arrival is lost.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <kumiko/runtime/barrier.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class BarrierTest : public OnWorkers {};
KUMIKO_ON_WORKERS(BarrierTest);

constexpr int kPhases = kSanitized ? 20 : 100;

TEST_P(BarrierTest, GivenBothKindsOfThreadsWhenTheyMeetAgainAndAgainThenPhasesDoNotMix) {
  constexpr int kLightweight = 6;
  constexpr int kOs = 2;
  Barrier barrier(kLightweight + kOs);
  std::vector<std::atomic<int>> arrived(kPhases);
  run_in_both_kinds(runtime_, kLightweight, kOs, [&] {
    for (auto& count : arrived) {
      ++count;
      barrier.arrive_and_wait();
      EXPECT_EQ(count, kLightweight + kOs);
    }
  });
}

TEST_P(BarrierTest, GivenACompletionWhenAPhaseEndsThenItHasRunOnceBeforeAnybodyGoesOn) {
  constexpr int kThreads = 5;
  int completed = 0;
  std::atomic<int> arrived{0};
  Barrier barrier(kThreads, [&] {
    ++completed;
    EXPECT_EQ(arrived, kThreads * completed);
  });
  runtime_.run([&] {
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      group.run([&] {
        for (int phase = 1; phase <= kPhases; ++phase) {
          ++arrived;
          barrier.arrive_and_wait();
          EXPECT_EQ(completed, phase);
          // The next completion is not before we have arrived again.
        }
      });
    }
    group.wait();
  });
  EXPECT_EQ(completed, kPhases);
}

TEST_P(BarrierTest, GivenACompletionThatSuspendsWhenAPhaseEndsThenNobodyGoesOnMeanwhile) {
  constexpr int kThreads = 4;
  bool done = false;
  Barrier barrier(kThreads, [&] {
    for (int i = 0; i < 10; ++i) this_thread::yield();
    done = true;
  });
  runtime_.run([&] {
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      group.run([&] {
        barrier.arrive_and_wait();
        EXPECT_TRUE(done);
      });
    }
    group.wait();
  });
}

TEST_P(BarrierTest, GivenMoreThreadsThanExpectedWhenTheyMeetAgainAndAgainThenNoArrivalIsLost) {
  constexpr int kExpected = 2;
  constexpr int kArrivals = 10 * kPhases * kExpected;
  int completed = 0;
  std::atomic<int> begun{0};
  Barrier barrier(kExpected, [&] {
    this_thread::yield();  // others arrive meanwhile
    ++completed;
  });
  // Each arrival is one of a number that the expected one divides, so that nobody waits in the end.
  run_in_both_kinds(runtime_, 3, 2, [&] {
    while (begun++ < kArrivals) barrier.arrive_and_wait();
  });
  EXPECT_EQ(completed, kArrivals / kExpected);
}

TEST_P(BarrierTest, GivenThreadsThatArriveAndWaitLaterWhenThePhaseHasEndedThenTheyDoNotWait) {
  runtime_.run([] {
    Barrier barrier(2);
    auto first = barrier.arrive();
    auto second = barrier.arrive();
    barrier.wait(std::move(first));
    auto of_the_next_phase = barrier.arrive();
    barrier.wait(std::move(second));
    Thread other([&] { barrier.arrive_and_wait(); });
    barrier.wait(std::move(of_the_next_phase));
    other.join();
  });
}

TEST_P(BarrierTest, GivenOneThatArrivesForSeveralWhenTheRestComeThenThePhaseEnds) {
  runtime_.run([] {
    std::atomic<int> completed{0};
    Barrier barrier(5, [&] { ++completed; });
    auto arrival = barrier.arrive(4);
    EXPECT_EQ(completed, 0);
    barrier.arrive_and_wait();
    EXPECT_EQ(completed, 1);
    barrier.wait(std::move(arrival));
  });
}

TEST_P(BarrierTest, GivenThreadsThatDropOutOneByOneWhenTheOthersGoOnThenNobodyWaitsForThem) {
  constexpr int kThreads = 8;
  std::atomic<int> completed{0};
  Barrier barrier(kThreads, [&] { ++completed; });
  runtime_.run([&] {
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      group.run([&, i] {
        for (int phase = 0; phase < i; ++phase) barrier.arrive_and_wait();
        barrier.arrive_and_drop();
      });
    }
    group.wait();
  });
  EXPECT_EQ(completed, kThreads);
}

TEST_P(BarrierTest, GivenTheLastOneDropsWhenOthersWaitThenThePhaseEnds) {
  runtime_.run([] {
    Barrier barrier(2);
    Thread waiter([&] {
      barrier.arrive_and_wait();
      barrier.arrive_and_wait();  // alone now
    });
    barrier.arrive_and_drop();
    waiter.join();
  });
}

TEST_P(BarrierTest, GivenAllHaveReturnedFromTheirLastWaitWhenDestroyedThenNobodyTouchesIt) {
  runtime_.run([] {
    for (int i = 0; i < 100; ++i) {
      auto barrier = std::make_unique<Barrier>(2);
      std::atomic<int> returned{0};
      const auto meet = [&returned, &barrier = *barrier] {
        barrier.arrive_and_wait();
        ++returned;
      };
      Thread other([&] {
        this_thread::yield();
        meet();
      });
      meet();
      while (returned != 2) this_thread::yield();
      barrier.reset();
      other.join();
    }
  });
}

TEST(BarrierMisuse, GivenANumberThatCannotBeWhenConstructedThenInvalidArgument) {
  EXPECT_THROW(Barrier(0), std::invalid_argument);
}

}  // namespace
}  // namespace kumiko::runtime::test
