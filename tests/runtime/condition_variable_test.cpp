// Contract: wait releases the mutex and sleeps as one step, so no notification is lost; notify_one
// wakes the one who has waited longest and whose time has not run out, notify_all everybody; a
// request to stop ends the waits that know of it.
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using namespace std::chrono_literals;

class ConditionVariableTest : public OnWorkers {};
KUMIKO_ON_WORKERS(ConditionVariableTest);

/// Whoever has set `flag` under the mutex is in the queue of what it waits for when this returns.
void wait_until_set(Mutex& mutex, const bool& flag) {
  for (;;) {
    {
      const std::lock_guard lock(mutex);
      if (flag) return;
    }
    this_thread::yield();
  }
}

/// A queue that holds two items.
class Channel {
 public:
  void put(int item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return items_.size() < 2; });
    items_.push_back(item);
    changed_.notify_all();
  }
  int get() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty(); });
    const int item = items_.front();
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  std::deque<int> items_;
};

TEST_P(ConditionVariableTest, GivenProducersAndConsumersWhenTheyShareAChannelThenEachItemArrives) {
  constexpr int kPairs = 4;
  constexpr int kItems = 100;
  Channel channel;
  std::vector<int> sums(kPairs);
  runtime_.run([&] {
    TaskGroup group;
    for (int pair = 0; pair < kPairs; ++pair) {
      group.run([&] {
        for (int i = 1; i <= kItems; ++i) channel.put(i);
      });
      group.run([&, pair] {
        for (int i = 0; i < kItems; ++i) sums[static_cast<std::size_t>(pair)] += channel.get();
      });
    }
    group.wait();
  });
  int sum = 0;
  for (const int part : sums) sum += part;
  EXPECT_EQ(sum, kPairs * kItems * (kItems + 1) / 2);
}

TEST_P(ConditionVariableTest, GivenAnOsThreadThatWaitsWhenALightweightOneNotifiesThenItGoesOn) {
  Channel channel;
  int sum = 0;
  std::thread consumer([&] {
    for (int i = 0; i < 50; ++i) sum += channel.get();
  });
  runtime_.run([&] {
    for (int i = 1; i <= 50; ++i) channel.put(i);
  });
  consumer.join();
  EXPECT_EQ(sum, 50 * 51 / 2);
}

TEST_P(ConditionVariableTest, GivenALightweightThreadThatWaitsWhenAnOsThreadNotifiesThenItGoesOn) {
  Channel channel;
  int sum = 0;
  std::thread producer([&] {
    for (int i = 1; i <= 50; ++i) channel.put(i);
  });
  runtime_.run([&] {
    for (int i = 0; i < 50; ++i) sum += channel.get();
  });
  producer.join();
  EXPECT_EQ(sum, 50 * 51 / 2);
}

TEST(ConditionVariableOrder, GivenWaitersInARowWhenNotifiedOneByOneThenInTheOrderOfArrival) {
  Runtime runtime({.workers = 1});
  std::vector<int> order;
  runtime.run([&] {
    Mutex mutex;
    ConditionVariable turn;
    TaskGroup group;
    for (int i = 0; i < 5; ++i) {
      group.run([&, i] {
        std::unique_lock lock(mutex);
        turn.wait(lock);
        order.push_back(i);
      });
    }
    turn.notify_one();
    this_thread::yield();
    EXPECT_EQ(order, (std::vector<int>{0}));
    turn.notify_one();
    this_thread::yield();
    EXPECT_EQ(order, (std::vector<int>{0, 1}));
    turn.notify_all();
    group.wait();
  });
  EXPECT_EQ(order.size(), 5U);
}

TEST_P(ConditionVariableTest, GivenMoreWaitersThanNotificationsWhenNotifiedThenEachLetsOneGoOn) {
  constexpr int kLightweight = 12;
  constexpr int kOs = 3;
  constexpr int kNotified = 10;
  Mutex mutex;
  ConditionVariable changed;
  int waiting = 0;
  int gone_on = 0;
  const auto wait_until_equal = [&mutex](const int& number, int value) {
    for (;;) {
      {
        const std::lock_guard lock(mutex);
        if (number == value) return;
      }
      std::this_thread::yield();
    }
  };
  std::thread notifier([&] {
    wait_until_equal(waiting, kLightweight + kOs);
    for (int i = 1; i <= kNotified; ++i) {
      changed.notify_one();
      wait_until_equal(gone_on, i);
    }
    const std::lock_guard lock(mutex);
    EXPECT_EQ(gone_on, kNotified);
    changed.notify_all();
  });
  run_in_both_kinds(runtime_, kLightweight, kOs, [&] {
    std::unique_lock lock(mutex);
    ++waiting;
    changed.wait(lock);  // never ends for nothing
    ++gone_on;
  });
  notifier.join();
  EXPECT_EQ(gone_on, kLightweight + kOs);
}

TEST_P(ConditionVariableTest, GivenNoNotificationWhenTheTimeRunsOutThenTimeoutAndTheLockIsOwned) {
  Mutex mutex;
  ConditionVariable never;
  run_in_both_kinds(runtime_, 2, 2, [&] {
    std::unique_lock lock(mutex);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(never.wait_for(lock, 2ms), cv_status::timeout);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_FALSE(mutex.try_lock());
    const auto time = std::chrono::system_clock::now() + 1ms;
    EXPECT_EQ(never.wait_until(lock, time), cv_status::timeout);
    EXPECT_GE(std::chrono::system_clock::now(), time);
    EXPECT_FALSE(never.wait_for(lock, 1ms, [] { return false; }));
    EXPECT_TRUE(never.wait_for(lock, -1s, [] { return true; }));
  });
}

TEST_P(ConditionVariableTest, GivenLongTimedWaitsWhenNotifiedThenNoTimeout) {
  Mutex mutex;
  ConditionVariable changed;
  bool ready = false;
  std::thread notifier([&] {
    const std::lock_guard lock(mutex);
    ready = true;
    changed.notify_all();
  });
  run_in_both_kinds(runtime_, 3, 2, [&] {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, 1h, [&] { return ready; }));
    EXPECT_TRUE(changed.wait_until(lock, std::chrono::steady_clock::time_point::max(),
                                   [&] { return ready; }));
  });
  notifier.join();
}

TEST_P(ConditionVariableTest, GivenANotificationAsTheTimeRunsOutWhenSomebodyWaitsThenOneGetsIt) {
  constexpr int kRounds = kSanitized ? 20 : 60;
  runtime_.run([] {
    for (int round = 0; round < kRounds; ++round) {
      Mutex mutex;
      ConditionVariable changed;
      cv_status of_timed = cv_status::no_timeout;
      bool patient_waits = false;
      bool patient_woken = false;
      const auto time = std::chrono::steady_clock::now() + 100us;
      Thread timed([&] {
        std::unique_lock lock(mutex);
        of_timed = changed.wait_until(lock, time);
      });
      Thread patient([&] {
        std::unique_lock lock(mutex);
        patient_waits = true;
        changed.wait(lock);
        patient_woken = true;
      });
      wait_until_set(mutex, patient_waits);
      while (std::chrono::steady_clock::now() < time) this_thread::poll();
      changed.notify_one();
      timed.join();
      if (of_timed == cv_status::no_timeout) {
        {
          const std::lock_guard lock(mutex);
          EXPECT_FALSE(patient_woken);
        }
        changed.notify_one();
      }
      patient.join();
    }
  });
}

/// A clock that stands still, as the system clock seems to do when it is set back.
struct FrozenClock {
  using duration = std::chrono::microseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<FrozenClock>;
  [[maybe_unused]] static constexpr bool is_steady = false;
  static time_point now() { return {}; }
};

TEST_P(ConditionVariableTest, GivenAClockSetBackWhenNotifiedBetweenTwoLooksAtItThenTheWaitEnds) {
  runtime_.run([] {
    Mutex mutex;
    ConditionVariable changed;
    bool ready = false;
    Thread waiter([&] {
      std::unique_lock lock(mutex);
      EXPECT_TRUE(changed.wait_until(lock, FrozenClock::time_point(100us), [&] { return ready; }));
    });
    {
      // So long that the waiter has looked at the clock and wants the mutex back.
      const std::lock_guard lock(mutex);
      this_thread::sleep_for(2ms);
      ready = true;
      changed.notify_one();
    }
    waiter.join();
  });
}

TEST_P(ConditionVariableTest, GivenWaitersThatKnowAStopTokenWhenAStopIsRequestedThenAllGoOn) {
  Mutex mutex;
  ConditionVariable never;
  std::stop_source source;
  std::thread stopper([&] { source.request_stop(); });
  run_in_both_kinds(runtime_, 4, 2, [&] {
    std::unique_lock lock(mutex);
    EXPECT_FALSE(never.wait(lock, source.get_token(), [] { return false; }));
    EXPECT_TRUE(lock.owns_lock());
    // And at once from now on; a state that is as wished counts all the same.
    EXPECT_FALSE(never.wait(lock, source.get_token(), [] { return false; }));
    EXPECT_TRUE(never.wait(lock, source.get_token(), [] { return true; }));
  });
  stopper.join();
}

TEST_P(ConditionVariableTest, GivenAStopThatMeetsTheBeginOfAWaitWhenRequestedThenItIsNotLost) {
  runtime_.run([] {
    for (int round = 0; round < (kSanitized ? 20 : 100); ++round) {
      Mutex mutex;
      ConditionVariable never;
      std::stop_source source;
      Thread waiter([&] {
        this_thread::yield();
        std::unique_lock lock(mutex);
        never.wait(lock, source.get_token(), [] { return false; });
      });
      source.request_stop();
      waiter.join();
    }
  });
}

TEST_P(ConditionVariableTest, GivenAStopTokenWhenNotifiedWithoutAStopThenThePredicateDecides) {
  runtime_.run([] {
    Mutex mutex;
    ConditionVariable changed;
    std::stop_source source;
    bool ready = false;
    Thread waiter([&] {
      std::unique_lock lock(mutex);
      EXPECT_TRUE(changed.wait(lock, source.get_token(), [&] { return ready; }));
    });
    changed.notify_all();
    {
      const std::lock_guard lock(mutex);
      ready = true;
    }
    changed.notify_all();
    waiter.join();
    EXPECT_FALSE(source.stop_requested());
  });
}

TEST_P(ConditionVariableTest, GivenAStopTokenAndADeadlineWhenEitherComesThenTheWaitEnds) {
  run_in_both_kinds(runtime_, 1, 1, [] {
    Mutex mutex;
    ConditionVariable never;
    std::stop_source source;
    const auto no = [] { return false; };
    std::unique_lock lock(mutex);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(never.wait_for(lock, source.get_token(), 5ms, no));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 5ms);
    EXPECT_FALSE(never.wait_until(lock, source.get_token(), std::chrono::system_clock::now(), no));
    std::thread stopper([&] { source.request_stop(); });
    EXPECT_FALSE(never.wait_for(lock, source.get_token(), 1h, no));
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_TRUE(never.wait_for(lock, source.get_token(), 1h, [] { return true; }));
    stopper.join();
  });
}

TEST_P(ConditionVariableTest, GivenAPollWithoutPatienceWhenRepeatedThenOthersRunMeanwhile) {
  runtime_.run([] {
    Mutex mutex;
    ConditionVariable changed;
    bool ready = false;
    Thread setter([&] {
      this_thread::yield();
      const std::lock_guard lock(mutex);
      ready = true;
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, 0ms, [&] { return ready; })) {
    }
    lock.unlock();
    setter.join();
  });
}

TEST_P(ConditionVariableTest, GivenTheLastWaiterNotifiedWhenDestroyedAtOnceThenNobodyTouchesIt) {
  runtime_.run([] {
    for (int i = 0; i < 50; ++i) {
      Mutex mutex;
      auto changed = std::make_unique<ConditionVariable>();
      bool waits = false;
      bool ready = false;
      Thread waiter([&] {
        std::unique_lock lock(mutex);
        waits = true;
        changed->wait(lock, [&] { return ready; });
      });
      wait_until_set(mutex, waits);
      {
        const std::lock_guard lock(mutex);
        ready = true;
        changed->notify_all();
        changed.reset();
      }
      waiter.join();
    }
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
