// Contract: a Future gets what its Promise or its async() function delivers, value or exception,
// once; a SharedFuture as often as asked; a promise that is given up breaks, it does not hang.
#include <atomic>
#include <chrono>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <kumiko/runtime/future.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using namespace std::chrono_literals;

class FutureTest : public OnWorkers {};
KUMIKO_ON_WORKERS(FutureTest);

/// The code of the std::future_error that `call` throws.
template <class Call>
std::error_code error_of(Call call) {
  try {
    call();
  } catch (const future_error& error) {
    return error.code();
  }
  return {};
}

TEST_P(FutureTest, GivenAPromiseKeptByAnOsThreadWhenReadThenTheValueArrivesOnce) {
  Promise<std::string> promise;
  Future<std::string> future = promise.get_future();
  std::thread keeper([&] { promise.set_value("kept"); });
  runtime_.run([&] {
    EXPECT_TRUE(future.valid());
    EXPECT_EQ(future.get(), "kept");
    EXPECT_FALSE(future.valid());
  });
  keeper.join();
}

TEST_P(FutureTest, GivenAPromiseKeptByALightweightThreadWhenAnOsThreadReadsThenItArrives) {
  Promise<int> promise;
  std::thread reader([future = promise.get_future()]() mutable { EXPECT_EQ(future.get(), 3); });
  runtime_.run([&] { promise.set_value(3); });
  reader.join();
}

TEST_P(FutureTest, GivenAVoidPromiseWhenKeptThenTheReaderGoesOnAndSeesWhatCameBefore) {
  runtime_.run([] {
    Promise<void> promise;
    Future<void> future = promise.get_future();
    int written = 0;
    Thread keeper([&] {
      this_thread::yield();
      written = 1;
      promise.set_value();
    });
    future.wait();
    EXPECT_EQ(written, 1);
    future.get();
    EXPECT_FALSE(future.valid());
    keeper.join();
  });
}

TEST_P(FutureTest, GivenMoveOnlyValuesWhenDeliveredThenTheyAreMovedOut) {
  runtime_.run([] {
    Future<std::unique_ptr<int>> future = async([] { return std::make_unique<int>(4); });
    const std::unique_ptr<int> value = future.get();
    EXPECT_EQ(*value, 4);
  });
}

TEST_P(FutureTest, GivenAPromiseThatIsGivenUpWhenReadThenBrokenPromise) {
  runtime_.run([] {
    Promise<int> promise;
    Future<int> future = promise.get_future();
    Thread giver_up([promise = std::move(promise)] { this_thread::yield(); });
    EXPECT_EQ(error_of([&] { future.get(); }), future_errc::broken_promise);
    EXPECT_FALSE(future.valid());
    giver_up.join();
  });
}

TEST(FutureMisuse, GivenAPromiseThatIsReplacedWhenItsFutureIsReadThenBrokenPromise) {
  Promise<int> promise;
  Future<int> old = promise.get_future();
  promise = Promise<int>();
  EXPECT_EQ(error_of([&] { old.get(); }), future_errc::broken_promise);
  Future<int> current = promise.get_future();
  promise.set_value(1);
  EXPECT_EQ(current.get(), 1);
}

TEST(FutureMisuse, GivenAPromiseWhenUsedTwiceOrMovedFromThenFutureErrorsAsInTheStandard) {
  Promise<int> promise;
  Future<int> future = promise.get_future();
  EXPECT_EQ(error_of([&] { promise.get_future(); }), future_errc::future_already_retrieved);
  promise.set_value(1);
  EXPECT_EQ(error_of([&] { promise.set_value(2); }), future_errc::promise_already_satisfied);
  EXPECT_EQ(error_of([&] { promise.set_exception(nullptr); }),
            future_errc::promise_already_satisfied);
  const Promise<int> moved = std::move(promise);
  EXPECT_EQ(error_of([&] { promise.set_value(3); }), future_errc::no_state);
  EXPECT_EQ(error_of([&] { promise.get_future(); }), future_errc::no_state);
  EXPECT_EQ(future.get(), 1);
}

TEST(FutureMisuse, GivenNoResultWhenAFutureIsReadThenNoState) {
  Future<int> future;
  EXPECT_EQ(error_of([&] { future.get(); }), future_errc::no_state);
  EXPECT_EQ(error_of([&] { future.wait(); }), future_errc::no_state);
  EXPECT_EQ(error_of([&] { future.wait_for(1s); }), future_errc::no_state);
  SharedFuture<void> shared;
  EXPECT_FALSE(shared.valid());
  EXPECT_EQ(error_of([&] { shared.get(); }), future_errc::no_state);
}

TEST_P(FutureTest, GivenExceptionsWhenDeliveredThenTheReaderGetsThemThrown) {
  runtime_.run([] {
    Promise<int> promise;
    Future<int> of_promise = promise.get_future();
    promise.set_exception(std::make_exception_ptr(std::out_of_range("promise")));
    EXPECT_THROW(of_promise.get(), std::out_of_range);
    Future<int> of_async = async([]() -> int { throw std::range_error("async"); });
    EXPECT_THROW(of_async.get(), std::range_error);
    Future<void> of_void = async([] { throw std::range_error("async"); });
    EXPECT_THROW(of_void.get(), std::range_error);
  });
}

TEST_P(FutureTest, GivenASharedFutureWhenManyOfBothKindsReadThenAllGetTheSameObject) {
  Promise<std::string> promise;
  const SharedFuture<std::string> shared = promise.get_future().share();
  std::atomic<const std::string*> seen{nullptr};
  std::thread keeper([&] { promise.set_value("for all"); });
  run_in_both_kinds(runtime_, 8, 3, [&seen, copy = shared] {
    EXPECT_EQ(copy.get(), "for all");
    const std::string* const before = seen.exchange(&copy.get());
    EXPECT_TRUE(before == nullptr || before == &copy.get());
  });
  keeper.join();
  EXPECT_TRUE(shared.valid());
}

TEST_P(FutureTest, GivenASharedVoidFutureWhenAnExceptionComesThenEveryReaderGetsIt) {
  runtime_.run([] {
    Future<void> future = async([] {
      this_thread::yield();
      throw std::runtime_error("for all");
    });
    const SharedFuture<void> shared = future.share();
    EXPECT_FALSE(future.valid());
    TaskGroup group;
    for (int i = 0; i < 5; ++i) {
      group.run([shared] { EXPECT_THROW(shared.get(), std::runtime_error); });
    }
    group.wait();
  });
}

TEST_P(FutureTest, GivenNoResultYetWhenTheTimeRunsOutThenTimeoutAndReadyLater) {
  Promise<int> promise;
  const SharedFuture<int> future = promise.get_future().share();
  run_in_both_kinds(runtime_, 1, 1, [&] {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(future.wait_for(2ms), future_status::timeout);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
    EXPECT_EQ(future.wait_until(std::chrono::system_clock::now() + 1ms), future_status::timeout);
    EXPECT_EQ(future.wait_for(0s), future_status::timeout);
  });
  promise.set_value(1);
  run_in_both_kinds(runtime_, 1, 1, [&] {
    EXPECT_EQ(future.wait_for(0s), future_status::ready);
    EXPECT_EQ(future.wait_until(std::chrono::steady_clock::time_point::min()),
              future_status::ready);
  });
}

int fibonacci_of_futures(int n) {
  if (n < 2) return n;
  Future<int> left = async([n] { return fibonacci_of_futures(n - 1); });
  const int right = fibonacci_of_futures(n - 2);
  return left.get() + right;
}

TEST_P(FutureTest, GivenNestedAsyncsWhenReadThenTheSumIsRight) {
  runtime_.run([] {
    EXPECT_EQ(fibonacci_of_futures(kThreadSanitizer ? 10 : 15), kThreadSanitizer ? 55 : 610);
  });
}

TEST(FutureOrder, GivenOneWorkerWhenAsyncIsCalledThenItRunsAtOnce) {
  Runtime runtime({.workers = 1});
  runtime.run([] {
    bool has_run = false;
    Future<void> future = async([&] { has_run = true; });
    EXPECT_TRUE(has_run);
    EXPECT_EQ(future.wait_for(0s), future_status::ready);
  });
}

TEST(FutureOrder, GivenATraceWhenAsyncIsCalledThenTheThreadIsNamedByThePlaceOfTheCall) {
  Runtime runtime({.workers = 1});
  runtime.start_trace();
  runtime.run([] { async([] {}).get(); });
  std::ostringstream trace;
  runtime.stop_trace(trace);
  EXPECT_EQ(trace.str().find("future.hpp"), std::string::npos);
  EXPECT_NE(trace.str().find("future_test.cpp"), std::string::npos);
}

TEST_P(FutureTest, GivenReferencesWhenDeliveredThenTheyReferToTheSameObject) {
  runtime_.run([] {
    int number = 1;
    int other = 2;
    Promise<int&> promise;
    Future<int&> future = promise.get_future();
    promise.set_value(number);
    EXPECT_EQ(&future.get(), &number);
    const SharedFuture<int&> shared = async([&]() -> int& { return other; }).share();
    EXPECT_EQ(&shared.get(), &other);
    shared.get() = 3;
    EXPECT_EQ(other, 3);
  });
}

TEST_P(FutureTest, GivenAFutureThatIsDroppedWhenTheResultComesThenItIsDestroyed) {
  const auto shared = std::make_shared<int>(1);
  {
    Runtime runtime({.workers = GetParam()});
    runtime.run([&] {
      Future<std::shared_ptr<int>> future = async([shared] {
        this_thread::yield();
        return shared;
      });
    });
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(FutureMisuse, GivenAnOsThreadWhenItCallsAsyncThenLogicError) {
  EXPECT_THROW(static_cast<void>(async([] {})), std::logic_error);
}

}  // namespace
}  // namespace kumiko::runtime::test
