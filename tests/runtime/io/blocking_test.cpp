// Contract: what blocks its OS thread within blocking() blocks no worker; values, references and
// exceptions come back, and within it the caller counts as an OS thread.
#include <memory>
#include <mutex>
#include <stdexcept>

#include <kumiko/runtime/io/blocking.hpp>
#include <kumiko/runtime/io/pipe.hpp>
#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/mutex.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class BlockingTest : public IoTest {};
KUMIKO_WITH_ENGINES(BlockingTest);

TEST_P(BlockingTest, GivenFunctionsWhenRunBlockingThenTheirValuesComeBack) {
  run([&] {
    EXPECT_EQ(io::blocking([] { return 7; }), 7);
    EXPECT_EQ(*io::blocking([] { return std::make_unique<int>(8); }), 8);
    int number = 9;
    int& reference = io::blocking([&]() -> int& { return number; });
    EXPECT_EQ(&reference, &number);
    io::blocking([&] { number = 10; });
    EXPECT_EQ(number, 10);
    const int& constant = io::blocking([&]() -> const int& { return number; });
    EXPECT_EQ(&constant, &number);
  });
}

TEST_P(BlockingTest, GivenAnExceptionWhenItLeavesTheFunctionThenItIsRethrown) {
  run([&] {
    EXPECT_THROW(io::blocking([] { throw std::out_of_range("x"); }), std::out_of_range);
    EXPECT_THROW(io::blocking([]() -> int { throw 5; }), int);
    EXPECT_EQ(io::blocking([] { return 1; }), 1);
  });
}

TEST_P(BlockingTest, GivenABlockingCallWhenItBlocksThenOtherThreadsGoOn) {
  const Stream stream = make_stream(StreamKind::kPipe);
  run(
      [&] {
        io::blocking([&] {
          char byte = 0;
          EXPECT_EQ(::read(stream.reader.get(), &byte, 1), 1);
        });
      },
      [&] {
        for (int i = 0; i < 100; ++i) this_thread::yield();
        ASSERT_EQ(::write(stream.writer.get(), "x", 1), 1);
      });
}

TEST_P(BlockingTest, Given100AtOnceWhenAllBlockThenTheyBlockTogether) {
  constexpr int kThreads = 100;
  Latch all_there(kThreads);
  std::atomic<int> ended{0};
  runtime_->run([&] {
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      group.run([&] {
        io::blocking([&] {
          all_there.count_down();
          all_there.wait();
        });
        ++ended;
      });
    }
    group.wait();
  });
  EXPECT_EQ(ended, kThreads);
}

TEST_P(BlockingTest, GivenMoreThanThereAreThreadsWhenRunBlockingThenAllHaveTheirTurn) {
  constexpr int kThreads = kSanitized ? 600 : 2000;
  std::atomic<int> ended{0};
  runtime_->run([&] {
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      group.run([&] {
        io::blocking([] { std::this_thread::sleep_for(100us); });
        ++ended;
      });
    }
    group.wait();
  });
  EXPECT_EQ(ended, kThreads);
}

TEST_P(BlockingTest, GivenABlockingCallWithinAnotherWhenRunThenOnTheSpot) {
  run([&] {
    io::blocking([] {
      const auto outer = std::this_thread::get_id();
      EXPECT_EQ(io::blocking([] { return std::this_thread::get_id(); }), outer);
    });
  });
}

TEST_P(BlockingTest, GivenABlockingCallWhenAskedWhoItIsThenAnOsThread) {
  run([&] {
    io::blocking([] {
      EXPECT_EQ(this_thread::worker_index(), -1);
      EXPECT_EQ(this_thread::id(), ThreadId());
      EXPECT_THROW(TaskGroup(), std::logic_error);
    });
    EXPECT_NE(this_thread::worker_index(), -1);
  });
}

TEST_P(BlockingTest, GivenALockThatALightweightThreadHoldsWhenLockedWithinThenItWaitsForIt) {
  Mutex mutex;
  int order = 0;
  run([&] {
    std::unique_lock lock(mutex);
    TaskGroup group;
    group.run([&] {
      io::blocking([&] {
        const std::lock_guard inner(mutex);
        EXPECT_EQ(order, 1);
      });
    });
    for (int i = 0; i < 10; ++i) this_thread::yield();
    order = 1;
    lock.unlock();
    group.wait();
  });
}

TEST_P(BlockingTest, GivenIoWithinABlockingCallWhenMadeThenItWorks) {
  run([&] {
    io::Pipe pipe = io::Pipe::create().value();
    TaskGroup group;
    group.run([&] {
      io::blocking([&] {
        char byte = 0;
        EXPECT_TRUE(pipe.read(bytes_in(byte)));
        EXPECT_EQ(byte, 'x');
        EXPECT_EQ(pipe.read(bytes_in(byte), io::within(1ms)).error(), std::errc::timed_out);
      });
    });
    ASSERT_TRUE(pipe.write_all(bytes_of("x")));
    group.wait();
  });
}

TEST_P(BlockingTest, GivenAnOsThreadWhenItBlocksThenOnTheSpot) {
  EXPECT_EQ(io::blocking([] { return std::this_thread::get_id(); }), std::this_thread::get_id());
}

}  // namespace
}  // namespace kumiko::runtime::test
