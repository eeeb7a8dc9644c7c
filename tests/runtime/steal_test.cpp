// Contract: what is runnable and visible runs, even if the worker that made it runnable is busy for
// ever: an idle worker, awake or asleep, takes it.
#include <atomic>
#include <chrono>
#include <thread>

#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class StealTest : public OnSeveralWorkers {};
KUMIKO_ON_SEVERAL_WORKERS(StealTest);

TEST_P(StealTest, GivenAChildThatHoldsItsWorkerWhenTheParentMustGoOnThenAnotherWorkerTakesIt) {
  runtime_.run([] {
    std::atomic<int> parent_worker{-1};
    int child_worker = -1;
    Thread child([&] {
      child_worker = this_thread::worker_index();
      hold_worker_until([&] { return parent_worker.load() >= 0; });
    });
    parent_worker = this_thread::worker_index();
    child.join();
    EXPECT_NE(parent_worker, child_worker);
  });
  EXPECT_GE(runtime_.statistics().total().steals, 1U);
}

TEST_P(StealTest, GivenSleepingWorkersWhenAContinuationIsPublishedThenOneWakesAndTakesIt) {
  runtime_.run([] {
    for (int round = 0; round < 3; ++round) {
      // Much longer than idle workers spin.
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      std::atomic<bool> gone_on{false};
      Thread child([&] { hold_worker_until([&] { return gone_on.load(); }); });
      gone_on = true;
      child.join();
    }
  });
}

TEST_P(StealTest, GivenAWorkerThatPollsAndYieldsWhenAnotherHoldsAContinuationThenItIsTaken) {
  runtime_.run([] {
    std::atomic<bool> gone_on{false};
    TaskGroup group;
    for (int i = 1; i < 8; ++i) {
      group.run([&] {
        while (!gone_on) this_thread::yield();
      });
    }
    group.run([&] { hold_worker_until([&] { return gone_on.load(); }); });
    gone_on = true;
    group.wait();
  });
}

TEST_P(StealTest, GivenAThreadWokenByABusyWorkerWhenOthersAreIdleThenItRunsElsewhere) {
  runtime_.run([] {
    std::atomic<bool> waiter_went_on{false};
    Latch gate(1);
    Thread waiter([&] {
      gate.wait();
      waiter_went_on = true;
    });
    gate.count_down();
    hold_worker_until([&] { return waiter_went_on.load(); });
    waiter.join();
  });
}

TEST_P(StealTest, GivenAYieldedThreadWhenItsWorkerIsHeldThenAThiefTakesIt) {
  runtime_.run([] {
    std::atomic<bool> yielder_went_on{false};
    Thread yielder([&] {
      this_thread::yield();
      yielder_went_on = true;
    });
    hold_worker_until([&] { return yielder_went_on.load(); });
    yielder.join();
  });
}

TEST_P(StealTest, GivenAllWorkersNeededWhenThreadsMeetThenEveryWorkerHasOne) {
  runtime_.run([this] {
    std::atomic<int> present{0};
    TaskGroup group;
    for (int i = 0; i < runtime_.workers(); ++i) {
      group.run([&] {
        ++present;
        hold_worker_until([&] { return present == runtime_.workers(); });
      });
    }
    group.wait();
  });
}

TEST(StealTestOnThreeWorkers, GivenSleepersWhenABusyOneWakesTwoThreadsThenTwoSleepersRiseForThem) {
  Runtime runtime({.workers = 3});
  runtime.run([] {
    for (int round = 0; round < 3; ++round) {
      Latch gate(1);
      std::atomic<int> present{0};
      const auto both_are_there = [&present] { return present == 2; };
      TaskGroup group;
      for (int i = 0; i < 2; ++i) {
        group.run([&] {
          gate.wait();
          ++present;
          hold_worker_until(both_are_there);
        });
      }
      // Much longer than idle workers spin. The second thread comes while the first sleeper rises,
      // who must see to it that another does.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gate.count_down();
      hold_worker_until(both_are_there);
      group.wait();
    }
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
