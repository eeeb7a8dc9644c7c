// Contract: of all the calls by one OnceFlag one returns, and everybody else sees what it has done;
// a call that throws does not count.
#include <atomic>
#include <memory>
#include <stdexcept>

#include <kumiko/runtime/once.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class OnceTest : public OnWorkers {};
KUMIKO_ON_WORKERS(OnceTest);

TEST_P(OnceTest, GivenManyThreadsOfBothKindsWhenTheyCallOnceThenOneDoesAndAllSeeIt) {
  OnceFlag flag;
  int done = 0;
  run_in_both_kinds(runtime_, 20, 3, [&] {
    call_once(flag, [&] {
      this_thread::yield();
      ++done;
    });
    EXPECT_EQ(done, 1);
  });
}

TEST_P(OnceTest, GivenCallsThatThrowWhenOthersWaitThenTheNextOneTriesUntilOneReturns) {
  constexpr int kFailures = 5;
  OnceFlag flag;
  int calls = 0;
  std::atomic<int> caught{0};
  run_in_both_kinds(runtime_, 20, 2, [&] {
    try {
      call_once(flag, [&] {
        this_thread::yield();
        if (++calls <= kFailures) throw std::runtime_error("not yet");
      });
    } catch (const std::runtime_error&) {
      ++caught;
    }
  });
  EXPECT_EQ(calls, kFailures + 1);
  EXPECT_EQ(caught, kFailures);
}

TEST_P(OnceTest, GivenArgumentsWhenCalledOnceThenTheyArriveAndTheSecondCallKeepsIts) {
  runtime_.run([] {
    OnceFlag flag;
    std::unique_ptr<int> kept;
    const auto keep = [&](std::unique_ptr<int> value, int summand) {
      kept = std::move(value);
      *kept += summand;
    };
    call_once(flag, keep, std::make_unique<int>(3), 4);
    EXPECT_EQ(*kept, 7);
    auto unused = std::make_unique<int>(5);
    call_once(flag, keep, std::move(unused), 6);
    EXPECT_EQ(*kept, 7);
    EXPECT_NE(unused, nullptr);
  });
}

TEST(OnceOutside, GivenOsThreadsOnlyWhenCalledTwiceThenOnce) {
  OnceFlag flag;
  int done = 0;
  call_once(flag, [&] { ++done; });
  call_once(flag, [&] { ++done; });
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace kumiko::runtime::test
