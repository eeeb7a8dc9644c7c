// Contract: a SharedMutex is owned by one thread or shared by several; neither side starves, since
// whoever comes after an exclusive waiter waits behind it; who gives up waiting holds up nobody.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/shared_mutex.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using namespace std::chrono_literals;

class SharedMutexTest : public OnWorkers {};
KUMIKO_ON_WORKERS(SharedMutexTest);

/// Sees to it that nobody is inside whom the mutex should have kept out.
class Room {
 public:
  void enter_alone() {
    EXPECT_EQ(writers_.fetch_add(1), 0);
    EXPECT_EQ(readers_, 0);
    this_thread::yield();
    --writers_;
  }
  void enter_shared() {
    ++readers_;
    EXPECT_EQ(writers_, 0);
    this_thread::yield();
    --readers_;
  }

 private:
  std::atomic<int> writers_{0};
  std::atomic<int> readers_{0};
};

TEST_P(SharedMutexTest, GivenReadersAndWritersOfBothKindsWhenTheyEnterThenWritersAreAlone) {
  constexpr int kRounds = kSanitized ? 15 : 30;
  SharedMutex mutex;
  Room room;
  std::atomic<int> seed{0};
  run_in_both_kinds(runtime_, 9, 3, [&] {
    const int me = seed++;
    for (int i = 0; i < kRounds; ++i) {
      if ((me + i) % 4 == 0) {
        const std::unique_lock lock(mutex);
        room.enter_alone();
      } else {
        const std::shared_lock lock(mutex);
        room.enter_shared();
      }
    }
  });
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST_P(SharedMutexTest, GivenTimedAndUntimedUsersWhenTimesRunOutThenWritersAreAloneAndAllEnd) {
  constexpr int kRounds = kSanitized ? 15 : 30;
  SharedMutex mutex;
  Room room;
  std::atomic<int> seed{0};
  run_in_both_kinds(runtime_, 9, 3, [&] {
    const int me = seed++;
    for (int i = 0; i < kRounds; ++i) {
      const std::chrono::microseconds patience((me + i) * 7 % 40);
      switch ((me + i) % 5) {
        case 0:
          if (const std::unique_lock lock(mutex, patience); lock) room.enter_alone();
          break;
        case 1:
          if (const std::shared_lock lock(mutex, patience); lock) room.enter_shared();
          break;
        case 2: {
          const std::unique_lock lock(mutex);
          room.enter_alone();
          break;
        }
        default: {
          const std::shared_lock lock(mutex);
          room.enter_shared();
        }
      }
    }
  });
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST_P(SharedMutexTest, GivenOneReaderInsideWhenOthersComeThenTheyShareIt) {
  runtime_.run([] {
    constexpr int kReaders = 5;
    SharedMutex mutex;
    Latch all_inside(kReaders);
    TaskGroup group;
    for (int i = 0; i < kReaders; ++i) {
      group.run([&] {
        const std::shared_lock lock(mutex);
        all_inside.arrive_and_wait();
      });
    }
    group.wait();
  });
}

TEST_P(SharedMutexTest, GivenManyReadersInsideWhenManyWritersWaitThenTheyEnterOneByOneAfterThem) {
  constexpr int kReaders = 12;
  constexpr int kWriters = 8;
  SharedMutex mutex;
  std::atomic<int> inside{0};
  std::atomic<bool> may_leave{false};
  int written = 0;
  runtime_.run([&] {
    TaskGroup group;
    for (int i = 0; i < kReaders; ++i) {
      group.run([&] {
        const std::shared_lock lock(mutex);
        ++inside;
        while (!may_leave) this_thread::yield();
        EXPECT_EQ(written, 0);
        --inside;
      });
    }
    while (inside != kReaders) this_thread::yield();
    for (int i = 0; i < kWriters; ++i) {
      group.run([&] {
        const std::unique_lock lock(mutex);
        EXPECT_EQ(inside, 0);
        const int seen = written;
        this_thread::yield();
        written = seen + 1;
      });
    }
    may_leave = true;
    group.wait();
  });
  EXPECT_EQ(written, kWriters);
}

TEST_P(SharedMutexTest, GivenAnOwnerOrASharerWhenTriedThenOnlySharersGetIn) {
  runtime_.run([] {
    SharedMutex mutex;
    ASSERT_TRUE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock_shared());
    mutex.unlock();
    ASSERT_TRUE(mutex.try_lock_shared());
    EXPECT_TRUE(mutex.try_lock_shared());
    EXPECT_FALSE(mutex.try_lock());
    mutex.unlock_shared();
    EXPECT_FALSE(mutex.try_lock());
    mutex.unlock_shared();
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
  });
}

TEST(SharedMutexOrder, GivenReadersAndAWriterInARowWhenUnlockedThenReadersTogetherAndInTurn) {
  Runtime runtime({.workers = 1});
  std::string order;
  runtime.run([&] {
    SharedMutex mutex;
    Latch first_readers(2);
    TaskGroup group;
    const auto read = [&](char name) {
      const std::shared_lock lock(mutex);
      if (name == 'r') first_readers.arrive_and_wait();
      order += name;
    };
    const auto write = [&](char name) {
      const std::unique_lock lock(mutex);
      order += name;
    };
    mutex.lock();
    group.run([&] { read('r'); });
    group.run([&] { read('r'); });
    group.run([&] { write('W'); });
    group.run([&] { read('s'); });
    group.run([&] { read('s'); });
    group.run([&] { write('V'); });
    mutex.unlock();
    group.wait();
  });
  EXPECT_EQ(order, "rrWssV");
}

TEST(SharedMutexOrder, GivenAWriterThatWaitsWhenAReaderComesThenItDoesNotOvertake) {
  Runtime runtime({.workers = 1});
  runtime.run([] {
    SharedMutex mutex;
    std::string order;
    mutex.lock_shared();
    TaskGroup group;
    group.run([&] {
      const std::unique_lock lock(mutex);
      order += 'W';
    });
    EXPECT_FALSE(mutex.try_lock_shared());
    group.run([&] {
      const std::shared_lock lock(mutex);
      order += 'r';
    });
    this_thread::yield();
    EXPECT_EQ(order, "");
    mutex.unlock_shared();
    group.wait();
    EXPECT_EQ(order, "Wr");
  });
}

TEST_P(SharedMutexTest, GivenAReaderBehindAWriterWhenTheWriterGivesUpThenTheReaderSharesIt) {
  runtime_.run([] {
    SharedMutex mutex;
    mutex.lock_shared();
    Thread writer([&] { EXPECT_FALSE(mutex.try_lock_for(2ms)); });
    Thread reader([&] { const std::shared_lock lock(mutex); });
    // While we still share it.
    reader.join();
    writer.join();
    mutex.unlock_shared();
  });
}

TEST_P(SharedMutexTest, GivenAnOsWriterThatGivesUpWhenReadersWaitBehindItThenTheyShareIt) {
  SharedMutex mutex;
  mutex.lock_shared();
  std::thread writer([&] { EXPECT_FALSE(mutex.try_lock_for(2ms)); });
  run_in_both_kinds(runtime_, 3, 1, [&] {
    const std::shared_lock lock(mutex);
    this_thread::yield();
  });
  writer.join();
  mutex.unlock_shared();
}

TEST_P(SharedMutexTest, GivenAnOwnerWhenTheTimeOfOthersRunsOutThenFalseAndNotBefore) {
  SharedMutex mutex;
  mutex.lock();
  run_in_both_kinds(runtime_, 1, 1, [&] {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(mutex.try_lock_for(1ms));
    EXPECT_FALSE(mutex.try_lock_shared_for(1ms));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
    EXPECT_FALSE(mutex.try_lock_until(std::chrono::system_clock::now() + 1ms));
    EXPECT_FALSE(mutex.try_lock_shared_until(std::chrono::system_clock::now() + 1ms));
  });
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_shared());
  mutex.unlock_shared();
}

TEST_P(SharedMutexTest, GivenTheLastOwnerWhenItDestroysTheMutexThenThePreviousOneDoesNotTouchIt) {
  runtime_.run([] {
    for (int i = 0; i < 50; ++i) {
      auto mutex = std::make_unique<SharedMutex>();
      std::atomic<bool> locked{false};
      Thread previous([&locked, &mutex = *mutex] {
        const std::unique_lock lock(mutex);
        locked = true;
      });
      while (!locked) this_thread::yield();
      mutex->lock();
      mutex->unlock();
      mutex.reset();
      previous.join();
    }
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
