// C++: thread_local objects and their destructors, unwinding by pthread_exit() and cancellation,
// exceptions, and the waiting classes of the standard library.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "check.h"

namespace {

constexpr int kThreads = 100;

std::atomic<int> alive{0};

struct Counted {
  Counted() { ++alive; }
  ~Counted() {
    // Its thread can still wait here.
    std::this_thread::yield();
    --alive;
  }
  std::string text = "a text that is too long for the small string";
};

thread_local Counted counted;

std::atomic<int> unwound{0};

struct Unwound {
  ~Unwound() { ++unwound; }
};

void* exit_through_frames(void*) {
  const Unwound outer;
  try {
    const Unwound inner;
    pthread_exit(&unwound);
  } catch (...) {
    ++unwound;
    throw;
  }
}

void* wait_for_ever(void*) {
  const Unwound here;
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  condition.wait(lock, [] { return false; });
  return nullptr;
}

void check_unwinding() {
  pthread_t thread{};
  void* result = nullptr;
  CHECK_EQUAL(pthread_create(&thread, nullptr, &exit_through_frames, nullptr), 0);
  CHECK_EQUAL(pthread_join(thread, &result), 0);
  CHECK(result == &unwound);
  CHECK_EQUAL(unwound, 3);
  CHECK_EQUAL(pthread_create(&thread, nullptr, &wait_for_ever, nullptr), 0);
  usleep(1000);
  CHECK_EQUAL(pthread_cancel(thread), 0);
  CHECK_EQUAL(pthread_join(thread, &result), 0);
  CHECK(result == PTHREAD_CANCELED);
  CHECK_EQUAL(unwound, 4);
}

void check_thread_local_objects() {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([i] {
      counted.text += std::to_string(i);
      std::this_thread::yield();
      CHECK(counted.text.ends_with(std::to_string(i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQUAL(alive, 0);
}

// Exceptions in flight while their threads wait and change workers.
void check_exceptions() {
  std::vector<std::future<int>> results;
  for (int i = 0; i < kThreads; ++i) {
    results.push_back(std::async(std::launch::async, [i] {
      try {
        throw std::runtime_error(std::to_string(i));
      } catch (const std::exception& error) {
        for (int k = 0; k < 10; ++k) std::this_thread::yield();
        CHECK_EQUAL(std::uncaught_exceptions(), 0);
        CHECK(std::string(error.what()) == std::to_string(i));
        if (i % 2 == 0) throw;
      }
      return i;
    }));
  }
  int thrown = 0;
  for (int i = 0; i < kThreads; ++i) {
    try {
      CHECK_EQUAL(results[static_cast<std::size_t>(i)].get(), i);
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  CHECK_EQUAL(thrown, kThreads / 2);
}

void check_once() {
  std::once_flag flag;
  std::atomic<int> calls{0};
  std::atomic<int> failures{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      try {
        std::call_once(flag, [&calls] {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          if (++calls < 3) throw std::logic_error("not yet");
        });
      } catch (const std::logic_error&) {
        ++failures;
      }
    });
  }
  threads.clear();
  CHECK_EQUAL(calls, 3);
  CHECK_EQUAL(failures, 2);
}

void check_waiting_classes() {
  std::latch begin(kThreads);
  std::barrier round(kThreads);
  std::counting_semaphore<3> permits(3);
  std::shared_timed_mutex shared;
  std::atomic<int> inside{0};
  std::atomic<int> flag{0};
  long sum = 0;
  std::promise<int> promise;
  const std::shared_future<int> future = promise.get_future().share();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      begin.arrive_and_wait();
      for (int k = 0; k < 10; ++k) {
        permits.acquire();
        CHECK(++inside <= 3);
        std::this_thread::yield();
        --inside;
        permits.release();
        round.arrive_and_wait();
      }
      flag.wait(0);
      const std::lock_guard lock(shared);
      sum += future.get();
    });
  }
  begin.wait();
  promise.set_value(2);
  flag = 1;
  flag.notify_all();
  for (std::thread& thread : threads) thread.join();
  CHECK_EQUAL(sum, 2 * kThreads);
  CHECK(!permits.try_acquire_for(std::chrono::milliseconds(0)) || inside == 0);
}

struct SlowToMake {
  SlowToMake() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++made;
  }
  static inline std::atomic<int> made{0};
};

void check_local_static_objects() {
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      static const SlowToMake object;
      CHECK_EQUAL(SlowToMake::made, 1);
    });
  }
}

void check_stop_token() {
  bool stopped = false;
  {
    const std::jthread waiter([&stopped](std::stop_token stop) {
      std::mutex mutex;
      std::condition_variable_any condition;
      std::unique_lock lock(mutex);
      stopped = !condition.wait(lock, stop, [] { return false; });
    });
  }
  CHECK(stopped);
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  CHECK(condition.wait_for(lock, std::chrono::milliseconds(10)) == std::cv_status::timeout);
}

}  // namespace

int main() {
  check_unwinding();
  check_thread_local_objects();
  check_exceptions();
  check_once();
  check_waiting_classes();
  check_local_static_objects();
  check_stop_token();
  puts("passed");
}
