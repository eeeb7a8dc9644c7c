// Contract: run executes a function as a lightweight thread and returns when it has ended; runtimes
// are independent of each other and take work from any OS thread.
#include <atomic>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include <kumiko/runtime/barrier.hpp>
#include <kumiko/runtime/condition_variable.hpp>
#include <kumiko/runtime/counting_semaphore.hpp>
#include <kumiko/runtime/cpu_budget.hpp>
#include <kumiko/runtime/detail/lazy.hpp>
#include <kumiko/runtime/entry.hpp>
#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/once.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/shared_mutex.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "core/deque.hpp"
#include "core/scheduler.hpp"
#include "io/descriptor_table.hpp"
#include "io/operation.hpp"
#include "io/service.hpp"
#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

// What others point at stays where it is.
template <class... Types>
constexpr bool stay_in_place = ((!std::is_copy_constructible_v<Types> &&
                                 !std::is_move_constructible_v<Types> &&
                                 !std::is_copy_assignable_v<Types> &&
                                 !std::is_move_assignable_v<Types>)&&...);
static_assert(stay_in_place<Barrier, ConditionVariable, CountingSemaphore, Entry<int>, Latch, Mutex,
                            OnceFlag, Runtime, SharedMutex, TaskGroup>);
static_assert(
    stay_in_place<detail::Deque<int>, detail::DescriptorTable<int>, detail::IoService,
                  detail::JoinCounter, detail::JoinStateSource, detail::LazyFrame,
                  detail::OffloadPool, detail::Operation, detail::Parker, detail::Scheduler,
                  detail::SpinLock, detail::StackSource, detail::ThreadQueue, detail::Timekeeper,
                  detail::TimerHeap, detail::Waiter, detail::WaitQueue, detail::Worker>);

class RuntimeTest : public OnWorkers {};
KUMIKO_ON_WORKERS(RuntimeTest);

int free_function_calls = 0;
void free_function() { ++free_function_calls; }

TEST_P(RuntimeTest, GivenAFunctionWhenRunThenItHasEndedAfterwards) {
  int calls = 0;
  for (int i = 0; i < 50; ++i) runtime_.run([&calls] { ++calls; });
  EXPECT_EQ(calls, 50);
  free_function_calls = 0;
  runtime_.run(free_function);
  EXPECT_EQ(free_function_calls, 1);
}

TEST_P(RuntimeTest, GivenManyOsThreadsWhenTheySubmitAtOnceThenAllAreServed) {
  std::atomic<int> calls{0};
  std::vector<std::thread> os_threads;
  for (int i = 0; i < 8; ++i) {
    os_threads.emplace_back([&] {
      for (int n = 0; n < 20; ++n) {
        runtime_.run([&] {
          TaskGroup group;
          for (int k = 0; k < 3; ++k) group.run([&calls] { ++calls; });
          group.wait();
        });
      }
    });
  }
  for (std::thread& os_thread : os_threads) os_thread.join();
  EXPECT_EQ(calls, 8 * 20 * 3);
}

TEST_P(RuntimeTest, GivenTwoRuntimesWhenTheirThreadsMeetThenEachStaysAtHome) {
  Runtime other({.workers = 2});
  Latch both(2);
  Mutex mutex;
  int count = 0;
  const auto meet = [&] {
    for (int i = 0; i < 50; ++i) {
      const std::lock_guard lock(mutex);
      ++count;
      this_thread::yield();
    }
    both.arrive_and_wait();
  };
  std::thread os_thread([&] { other.run(meet); });
  runtime_.run(meet);
  os_thread.join();
  EXPECT_EQ(count, 100);
  EXPECT_EQ(other.statistics().total().executed, 1U);
}

TEST_P(RuntimeTest, GivenALightweightThreadWhenItCallsRunThenLogicError) {
  runtime_.run([this] { EXPECT_THROW(runtime_.run([] {}), std::logic_error); });
}

TEST_P(RuntimeTest, GivenARuntimeWhenDestroyedUnusedThenNothingHangs) {
  for (int i = 0; i < 20; ++i) Runtime unused({.workers = GetParam()});
}

TEST_P(RuntimeTest, GivenAnOsThreadThatWakesTheLastThreadWhenTheRuntimeDiesThenItIsNotTouched) {
  for (int i = 0; i < 20; ++i) {
    Latch latch(1);
    std::thread waker;
    {
      Runtime runtime({.workers = GetParam()});
      waker = std::thread([&latch] { latch.count_down(); });
      runtime.run([&latch] { latch.wait(); });
    }
    waker.join();
  }
}

TEST_P(RuntimeTest, GivenWorkDoneWhenAskedForStatisticsThenTheyAddUp) {
  constexpr std::uint64_t kThreads = 25;
  runtime_.run([] {
    for (std::uint64_t i = 0; i < kThreads; ++i) Thread([] {}).join();
  });
  const Statistics statistics = runtime_.statistics();
  EXPECT_EQ(statistics.workers.size(), static_cast<std::size_t>(GetParam()));
  EXPECT_EQ(statistics.roots, 1U);
  EXPECT_EQ(statistics.total().spawned, kThreads);
}

TEST(RuntimeOptions, GivenNoRequestWhenConstructedThenThereAreAsManyWorkersAsCores) {
  EXPECT_EQ(Runtime().workers(), available_cores());
}

TEST(RuntimeOptions, GivenNonsenseWhenConstructedThenInvalidArgument) {
  EXPECT_THROW(Runtime({.workers = -1}), std::invalid_argument);
  EXPECT_THROW(Runtime({.workers = 5000}), std::invalid_argument);
  EXPECT_THROW(Runtime({.workers = 1, .stack_size = 100}), std::invalid_argument);
  EXPECT_THROW(Runtime({.workers = 1, .stack_size = ~std::size_t{0}}), std::invalid_argument);
}

TEST(RuntimeOptions, GivenStacksThatCannotBeMappedWhenRunThenSystemErrorNamesTheLimit) {
  Runtime runtime({.workers = 1, .stack_size = std::size_t{1} << 45});
  try {
    runtime.run([] {});
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("vm.overcommit_memory"), std::string::npos);
  }
}

}  // namespace
}  // namespace kumiko::runtime::test
