// Contract: readiness that comes to nothing (others were quicker, in this process or another) costs
// a needless attempt and nothing else: whoever still waits is served when there is something, each
// thing is taken once, and no worker blocks.
#include <array>

#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <kumiko/runtime/io/pipe.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class StormTest : public IoTest {};
KUMIKO_WITH_ENGINES(StormTest);

TEST_P(StormTest, GivenManyReadersOfOneStreamWhenBytesComeThenEachIsTakenOnce) {
  constexpr int kReaders = 64;
  constexpr int kBytes = kSanitized ? 2'000 : 20'000;
  for (const StreamKind kind : kStreamKinds) {
    for (const bool non_blocking : {false, true}) {
      SCOPED_TRACE(std::string(name_of(kind)) + (non_blocking ? ", non-blocking" : ""));
      Stream stream = make_stream(kind, non_blocking);
      std::array<std::atomic<int>, 251> taken{};
      runtime_->run([&] {
        TaskGroup group;
        for (int i = 0; i < kReaders; ++i) {
          group.run([&] {
            std::uint8_t byte = 0;
            while (io::read(stream.reader.get(), bytes_in(byte)).value() == 1) ++taken[byte];
          });
        }
        for (int i = 0; i < kBytes; ++i) {
          const auto byte = static_cast<std::uint8_t>(i % 251);
          ASSERT_TRUE(io::write(stream.writer.get(), std::as_bytes(std::span(&byte, 1))));
        }
        ASSERT_TRUE(stream.writer.close());
        group.wait();
      });
      for (int i = 0; i < 251; ++i) {
        ASSERT_EQ(taken[static_cast<std::size_t>(i)], kBytes / 251 + (i < kBytes % 251 ? 1 : 0));
      }
    }
  }
}

TEST_P(StormTest, GivenManyWritersOfOneStreamWhenTheyWriteRecordsThenNoneIsLost) {
  constexpr int kWriters = 64;
  constexpr int kRecords = kSanitized ? 20 : 200;
  // Small writes to a pipe are whole.
  Stream stream = make_stream(StreamKind::kPipe);
  std::vector<int> next(kWriters);
  runtime_->run([&] {
    TaskGroup group;
    for (int writer = 0; writer < kWriters; ++writer) {
      group.run([&, writer] {
        for (int i = 0; i < kRecords; ++i) {
          std::array<int, 32> record{};
          record.fill(writer * kRecords + i);
          ASSERT_EQ(io::write(stream.writer.get(), bytes_in(record)).value(), sizeof record);
        }
      });
    }
    for (int i = 0; i < kWriters * kRecords; ++i) {
      std::array<int, 32> record{};
      ASSERT_EQ(io::read_exactly(stream.reader.get(), bytes_in(record)).bytes, sizeof record);
      for (const int part : record) ASSERT_EQ(part, record[0]);
      const auto writer = static_cast<std::size_t>(record[0] / kRecords);
      ASSERT_EQ(next[writer]++, record[0] % kRecords);
    }
    group.wait();
  });
}

TEST_P(StormTest, GivenTwoReadersOfOneSocketWhenTheFirstComputesOnThenTheSecondIsServedToo) {
  if (GetParam().workers < 3) GTEST_SKIP() << "both compute, and somebody must be free to watch";
  constexpr int kRounds = kSanitized ? 20 : 200;
  const Stream elsewhere = make_stream(StreamKind::kPipe);
  Waiters watched(*runtime_);
  watched.start([&] {
    char byte = 0;
    ASSERT_TRUE(io::read(elsewhere.reader.get(), bytes_in(byte)));
  });
  int ends[2];
  checked(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), "socketpair");
  const Stream datagrams{io::FileDescriptor(ends[0]), io::FileDescriptor(ends[1])};
  std::atomic<int> served{0};
  std::atomic<int> given_up{0};
  run([&] {
    TaskGroup group;
    for (int reader = 0; reader < 2; ++reader) {
      group.run_near(reader, [&] {
        for (int round = 1; round <= kRounds; ++round) {
          char byte = 0;
          ASSERT_TRUE(io::recv(datagrams.reader.get(), bytes_in(byte)));
          ++served;
          // Without a word to the runtime, as a long computation would.
          const auto limit = std::chrono::steady_clock::now() + 10s;
          while (served < 2 * round && std::chrono::steady_clock::now() < limit) sched_yield();
          given_up += served < 2 * round ? 1 : 0;
          ASSERT_EQ(::send(datagrams.writer.get(), "x", 1, 0), 1);
        }
      });
    }
    for (int i = 0; i < 2; ++i) ASSERT_EQ(::send(datagrams.writer.get(), "x", 1, 0), 1);
    group.wait();
  });
  EXPECT_EQ(given_up, 0);
  ASSERT_EQ(::write(elsewhere.writer.get(), "x", 1), 1);
}

TEST_P(StormTest, GivenSomebodyElseWhoTakesTheDataWhenAReaderIsWokenThenItGoesOnWaiting) {
  constexpr int kRounds = kSanitized ? 50 : 200;
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    for (int round = 0; round < kRounds; ++round) {
      char received = 0;
      std::error_code error;
      Waiters waiters(*runtime_);
      waiters.start([&] {
        error = io::read(stream.reader.get(), bytes_in(received), io::within(10s)).error();
      });
      // As another process would.
      char byte = 't';
      ASSERT_EQ(::write(stream.writer.get(), &byte, 1), 1);
      if (round % 2 == 1) std::this_thread::sleep_for(std::chrono::microseconds(round % 30));
      const int flags = ::fcntl(stream.reader.get(), F_GETFL);
      ::fcntl(stream.reader.get(), F_SETFL, flags | O_NONBLOCK);
      const ssize_t taken = ::read(stream.reader.get(), &byte, 1);
      ::fcntl(stream.reader.get(), F_SETFL, flags);
      if (taken == 1) {
        byte = 'r';
        ASSERT_EQ(::write(stream.writer.get(), &byte, 1), 1);
      }
      waiters.join();
      ASSERT_FALSE(error) << "round " << round << ": " << error.message();
      ASSERT_EQ(received, taken == 1 ? 'r' : 't');
    }
  }
}

TEST_P(StormTest, GivenABlockingCounterWhenManyReadItThenEachUnitIsTakenOnceAndNoWorkerBlocks) {
  constexpr int kReaders = 16;
  constexpr int kUnits = kSanitized ? 10 : 50;
  const io::FileDescriptor counter(::eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC));
  std::atomic<int> taken{0};
  runtime_->run([&] {
    TaskGroup group;
    for (int i = 0; i < kReaders; ++i) {
      group.run([&] {
        for (int unit = 0; unit < kUnits; ++unit) {
          std::uint64_t value = 0;
          ASSERT_EQ(io::read(counter.get(), bytes_in(value)).value(), sizeof value);
          ASSERT_EQ(value, 1U);
          ++taken;
        }
      });
    }
    // One unit at a time, and only when the last was taken: a worker that blocks in a read whose
    // unit another took would have to be freed by a thread that it may be in the way of.
    for (int i = 0; i < kReaders * kUnits; ++i) {
      std::uint64_t one = 1;
      ASSERT_TRUE(io::write(counter.get(), bytes_in(one)));
      while (taken <= i) this_thread::yield();
    }
    group.wait();
  });
  EXPECT_EQ(taken, kReaders * kUnits);
}

TEST_P(StormTest, GivenATimerDescriptorWhenItTicksThenItsReadersWake) {
  const io::FileDescriptor timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  itimerspec ticks{};
  ticks.it_value.tv_nsec = 1'000'000;
  ticks.it_interval.tv_nsec = 1'000'000;
  ASSERT_EQ(::timerfd_settime(timer.get(), 0, &ticks, nullptr), 0);
  run([&] {
    for (int i = 0; i < 10; ++i) {
      std::uint64_t count = 0;
      EXPECT_EQ(io::read(timer.get(), bytes_in(count)).value(), sizeof count);
      EXPECT_GE(count, 1U);
    }
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
