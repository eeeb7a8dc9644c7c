// Contract: wait releases the mutex and sleeps as one step, so no notification is lost; notify_one
// wakes the one who has waited longest, notify_all everybody.
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class ConditionVariableTest : public OnWorkers {};
KUMIKO_ON_WORKERS(ConditionVariableTest);

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

TEST_P(ConditionVariableTest,
       GivenProducersAndConsumers_WhenTheyShareAChannel_ThenEachItemArrives) {
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

TEST_P(ConditionVariableTest, GivenAnOsThreadThatWaits_WhenALightweightOneNotifies_ThenItGoesOn) {
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

TEST_P(ConditionVariableTest,
       GivenALightweightThreadThatWaits_WhenAnOsThreadNotifies_ThenItGoesOn) {
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

TEST(ConditionVariableOrder, GivenWaitersInARow_WhenNotifiedOneByOne_ThenInTheOrderOfArrival) {
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

}  // namespace
}  // namespace kumiko::runtime::test
