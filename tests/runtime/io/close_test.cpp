// Contract: close() ends everybody's wait for the descriptor with bad_file_descriptor, whoever
// closes and however many wait; nobody is forgotten who came a little earlier or later. What gets
// the number afterwards is never mistaken for what had it before.
#include <array>
#include <mutex>

#include <sys/eventfd.h>
#include <sys/wait.h>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/blocking.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class CloseTest : public IoTest {
 protected:
  CloseTest() : IoTest(IdlePolicy::kAdaptive) {}

  /// Another number for `descriptor`, which stays free once it is closed: whoever else opens
  /// something in this process (the engine, UBSan's look at a pointer) gets the lowest free number.
  static int lonely(const io::FileDescriptor& descriptor) {
    return checked(::fcntl(descriptor.get(), F_DUPFD, 600), "F_DUPFD");
  }

  /// How one reader and one writer of a full buffer, several times each, end when close() closes
  /// both of their descriptors.
  template <class Close>
  void expect_all_fail(int waiters_each, Close close) {
    for (const StreamKind kind : kStreamKinds) {
      SCOPED_TRACE(name_of(kind));
      Stream in = make_stream(kind);
      Stream out = make_stream(kind);
      fill_up(out.writer.get());
      std::atomic<int> failed{0};
      {
        Waiters waiters(*runtime_);
        for (int i = 0; i < waiters_each; ++i) {
          waiters.start([&failed, end = in.reader.get()] {
            std::array<std::byte, 10> bytes{};
            failed += io::read(end, bytes).error() == std::errc::bad_file_descriptor ? 1 : 0;
          });
          waiters.start([&failed, end = out.writer.get()] {
            const std::vector<std::byte> bytes(4'000'000);
            failed += io::write_all(end, bytes).error == std::errc::bad_file_descriptor ? 1 : 0;
          });
        }
        close(in.reader, out.writer);
      }
      EXPECT_EQ(failed, 2 * waiters_each);
    }
  }
};
KUMIKO_WITH_ENGINES(CloseTest);

TEST_P(CloseTest, GivenOneWaiterInEachDirectionWhenALightweightThreadClosesThenTheyFail) {
  expect_all_fail(1, [&](io::FileDescriptor& in, io::FileDescriptor& out) {
    run([&] {
      EXPECT_TRUE(in.close());
      EXPECT_TRUE(out.close());
    });
  });
}

TEST_P(CloseTest, GivenManyWaitersInEachDirectionWhenALightweightThreadClosesThenAllFail) {
  expect_all_fail(20, [&](io::FileDescriptor& in, io::FileDescriptor& out) {
    run([&] {
      EXPECT_TRUE(in.close());
      EXPECT_TRUE(out.close());
    });
  });
}

TEST_P(CloseTest, GivenManyWaitersInEachDirectionWhenAnOsThreadClosesThenAllFail) {
  expect_all_fail(5, [&](io::FileDescriptor& in, io::FileDescriptor& out) {
    EXPECT_TRUE(in.close());
    EXPECT_TRUE(out.close());
  });
}

TEST_P(CloseTest, GivenWaitersWhenClosedWithinABlockingCallThenTheyFail) {
  expect_all_fail(2, [&](io::FileDescriptor& in, io::FileDescriptor& out) {
    run([&] {
      io::blocking([&] {
        EXPECT_TRUE(in.close());
        EXPECT_TRUE(out.close());
      });
    });
  });
}

TEST_P(CloseTest, GivenReadersAndWritersOfOneSocketWhenClosedThenAllFail) {
  for (const StreamKind kind : {StreamKind::kUnix, StreamKind::kTcp}) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    fill_up(stream.writer.get());
    const int end = stream.writer.get();
    std::array<std::error_code, 5> errors;
    Waiters waiters(*runtime_);
    waiters.start([&] {
      char byte = 0;
      errors[0] = io::read(end, bytes_in(byte)).error();
    });
    waiters.start([&] {
      const std::vector<std::byte> bytes(4'000'000);
      errors[1] = io::write_all(end, bytes).error;
    });
    // Not for POLLOUT: what fill_up() left full may drain a little into the other end's buffer.
    waiters.start([&] { errors[2] = io::poll(end, POLLIN | POLLRDHUP).error(); });
    waiters.start([&] { errors[3] = io::poll(end, POLLPRI).error(); });
    waiters.start([&] {
      char byte = 0;
      errors[4] = io::recv(end, bytes_in(byte)).error();
    });
    run([&] { EXPECT_TRUE(stream.writer.close()); });
    waiters.join();
    for (const std::error_code& error : errors) EXPECT_EQ(error, std::errc::bad_file_descriptor);
  }
}

TEST_P(CloseTest, GivenThreadsThatAcceptWhenTheListenerIsClosedThenTheyFail) {
  io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  const int descriptor = listener.descriptor();
  std::array<std::error_code, 3> errors;
  Waiters waiters(*runtime_);
  for (std::error_code& error : errors) {
    waiters.start([&] { error = io::accept(descriptor).error(); });
  }
  run([&] { EXPECT_TRUE(listener.close()); });
  waiters.join();
  for (const std::error_code& error : errors) EXPECT_EQ(error, std::errc::bad_file_descriptor);
}

TEST_P(CloseTest, GivenAnEndThatIsClosedWhenItsPeerReadsThenItReadsTheEnd) {
  // Nothing of the runtime may keep the connection open.
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    if (kind == StreamKind::kPipe) std::swap(stream.reader, stream.writer);
    const int end = stream.reader.get();
    Waiters waiters(*runtime_);
    if (kind != StreamKind::kPipe) {
      waiters.start([&] {
        char byte = 0;
        EXPECT_EQ(io::read(end, bytes_in(byte)).error(), std::errc::bad_file_descriptor);
      });
    } else {
      fill_up(end);
      waiters.start([&] {
        const std::vector<std::byte> bytes(4'000'000);
        EXPECT_EQ(io::write_all(end, bytes).error, std::errc::bad_file_descriptor);
      });
    }
    run([&] {
      EXPECT_TRUE(stream.reader.close());
      std::vector<std::byte> rest(2'000'000);
      const io::Transfer transfer =
          io::read_exactly(stream.writer.get(), rest, io::within(kForEver));
      EXPECT_EQ(transfer.error, io::TransferError::kEndOfInput);
    });
  }
}

TEST_P(CloseTest, GivenAClosedNumberWhenSomethingElseGetsItThenItWorks) {
  run([&] {
    for (int round = 0; round < 30; ++round) {
      Stream stream = make_stream(kStreamKinds[round % 3]);
      char byte = 0;
      TaskGroup group;
      group.run([&] {
        ASSERT_EQ(io::read(stream.reader.get(), bytes_in(byte), io::within(kForEver)).value(), 1U);
      });
      ASSERT_TRUE(io::write(stream.writer.get(), bytes_of("x")));
      group.wait();
      ASSERT_EQ(byte, 'x');
    }
  });
}

TEST_P(CloseTest, GivenAProcessThatWasWaitedForWhenItsDescriptorsNumberIsReusedThenReadersWake) {
  if (kThreadSanitizer) GTEST_SKIP() << "forks";
  Stream go = make_stream(StreamKind::kPipe);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    _exit(::read(go.reader.get(), &byte, 1) == 1 ? 7 : 1);
  }
  int status = 0;
  Waiters waiters(*runtime_);
  // The wait uses the lowest free number, which the stream below gets next.
  waiters.start([&] { status = io::wait_for_process(child).value(); });
  ASSERT_EQ(::write(go.writer.get(), "x", 1), 1);
  waiters.join();
  EXPECT_EQ(WEXITSTATUS(status), 7);
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    std::error_code error;
    waiters.start([&] {
      char byte = 0;
      error = io::read(stream.reader.get(), bytes_in(byte), io::within(5s)).error();
    });
    ASSERT_EQ(::write(stream.writer.get(), "x", 1), 1);
    waiters.join();
    EXPECT_FALSE(error) << error.message();
  }
}

TEST_P(CloseTest, GivenAConnectThatIsClosedUnderWhenItEndsThenItLeavesTheReusedNumberAlone) {
  io::Listener listener = io::Listener::listen(io::Address::loopback(), 0).value();
  const io::Address where = listener.address().value();
  std::vector<io::FileDescriptor> fillers;
  for (int i = 0; i < 4; ++i) {
    fillers.emplace_back(checked(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket"));
    static_cast<void>(::connect(fillers.back().get(), where.get(), where.size()));
  }
  bool same_number = false;
  // Another thread of the process may open a file for a moment and so take the number first.
  for (int attempt = 0; attempt < 20 && !same_number; ++attempt) {
    const int number = checked(::socket(AF_INET, SOCK_STREAM, 0), "socket");
    std::error_code error;
    Waiters waiters(*runtime_);
    waiters.start([&] { error = io::connect(number, where.get(), where.size()).error(); });
    int next = -1;
    run([&] {
      EXPECT_TRUE(io::close(number));
      next = ::eventfd(0, EFD_NONBLOCK);
    });
    waiters.join();
    EXPECT_EQ(error, std::errc::bad_file_descriptor);
    const io::FileDescriptor reused(checked(next, "eventfd"));
    EXPECT_NE(::fcntl(reused.get(), F_GETFL) & O_NONBLOCK, 0);
    same_number = reused.get() == number;
  }
  EXPECT_TRUE(same_number);
}

TEST_P(CloseTest, GivenAReaderThatKeepsReadingWhenAnotherClosesThenItsLoopEnds) {
  constexpr int kRounds = kSanitized ? 100 : 1000;
  if (kThreadSanitizer) GTEST_SKIP() << "a call that begins while another closes is a race to it";
  runtime_->run([&] {
    for (int round = 0; round < kRounds; ++round) {
      const Stream stream = make_stream(kStreamKinds[round % 3]);
      io::FileDescriptor reader(lonely(stream.reader));
      const int end = reader.get();
      std::error_code error;
      TaskGroup group;
      group.run([&] {
        char byte = 0;
        for (;;) {
          const auto read = io::read(end, bytes_in(byte), io::within(kForEver));
          if (!read) {
            error = read.error();
            return;
          }
        }
      });
      for (int i = 0; i < round % 7; ++i)
        ASSERT_TRUE(io::write(stream.writer.get(), bytes_of("x")));
      ASSERT_TRUE(reader.close());
      group.wait();
      ASSERT_EQ(error, std::errc::bad_file_descriptor) << round << ": " << error.message();
    }
  });
}

TEST_P(CloseTest, GivenTwoWhoCloseWhenTheyDoSoAtOnceThenEachWaiterFailsOnce) {
  constexpr int kRounds = kSanitized ? 50 : 300;
  if (kThreadSanitizer) GTEST_SKIP() << "a call that begins while another closes is a race to it";
  runtime_->run([&] {
    for (int round = 0; round < kRounds; ++round) {
      const Stream stream = make_stream(kStreamKinds[round % 3]);
      const int end = lonely(stream.reader);
      std::atomic<int> failed{0};
      std::atomic<int> closed{0};
      TaskGroup group;
      for (int i = 0; i < 3; ++i) {
        group.run([&] {
          char byte = 0;
          failed += io::read(end, bytes_in(byte)).error() == std::errc::bad_file_descriptor ? 1 : 0;
        });
      }
      for (int i = 0; i < 2; ++i) group.run([&] { closed += io::close(end) ? 1 : 0; });
      group.wait();
      ASSERT_EQ(failed, 3);
      ASSERT_EQ(closed, 1);
    }
  });
}

TEST_P(CloseTest, GivenNumbersThatAreReusedAtOnceWhenManyThreadsOpenAndCloseThenNoneIsConfused) {
  // Each stream carries the number of its owner; a byte of another owner's would be noticed.
  constexpr int kOwners = 16;
  constexpr int kRounds = kSanitized ? 30 : 200;
  runtime_->run([&] {
    TaskGroup group;
    for (int owner = 0; owner < kOwners; ++owner) {
      group.run([owner] {
        for (int round = 0; round < kRounds; ++round) {
          const StreamKind kind = kStreamKinds[(owner + round) % 3];
          Stream stream = make_stream(kind, round % 2 == 0);
          std::array<std::byte, 64> received{};
          io::Transfer transfer;
          TaskGroup pair;
          pair.run([&] { transfer = io::read_exactly(stream.reader.get(), received); });
          std::array<std::byte, 64> sent{};
          fill(sent, static_cast<std::uint64_t>(owner));
          ASSERT_TRUE(io::write_all(stream.writer.get(), std::span(sent).first(32)));
          if (round % 4 == 1) this_thread::yield();
          ASSERT_TRUE(io::write_all(stream.writer.get(), std::span(sent).subspan(32)));
          pair.wait();
          ASSERT_TRUE(transfer) << transfer.error.message();
          ASSERT_EQ(transfer.bytes, 64U);
          ASSERT_EQ(first_difference(received, static_cast<std::uint64_t>(owner)), 64U);
        }
      });
    }
    group.wait();
  });
}

TEST_P(CloseTest, GivenAWaiterWhenItsNumberIsClosedAndReusedAtOnceThenItFailsAndTheNewOneWorks) {
  constexpr int kRounds = kSanitized ? 30 : 300;
  Stream stream = make_stream(kStreamKinds[0]);
  stream.reader = io::FileDescriptor(lonely(stream.reader));
  const int number = stream.reader.get();
  for (int round = 1; round <= kRounds; ++round) {
    std::error_code error;
    char byte = 0;
    {
      Waiters waiters(*runtime_);
      waiters.start([&] { error = io::read(number, bytes_in(byte)).error(); });
      run([&] {
        ASSERT_TRUE(stream.reader.close());
        Stream next = make_stream(kStreamKinds[round % 3], round % 2 == 0);
        next.reader = io::FileDescriptor(checked(::dup2(next.reader.get(), number), "dup2"));
        // What comes for the new one must not go to the old one's waiter.
        ASSERT_TRUE(io::write(next.writer.get(), bytes_of("new")));
        std::array<char, 10> received{};
        ASSERT_EQ(io::read(next.reader.get(), bytes_in(received)).value(), 3U);
        std::swap(stream, next);
      });
    }
    ASSERT_EQ(error, std::errc::bad_file_descriptor) << error.message();
    ASSERT_EQ(byte, 0);
  }
}

TEST_P(CloseTest, GivenADescriptorHandedToAnotherRuntimeWhenClosedThereThenItsNumberIsForgotten) {
  Runtime other(options());
  Stream stream = make_stream(StreamKind::kUnix);
  stream.reader = io::FileDescriptor(lonely(stream.reader));
  const int number = stream.reader.get();
  run([&] {
    char byte = 0;
    EXPECT_EQ(io::read(number, bytes_in(byte), io::within(1ms)).error(), std::errc::timed_out);
  });
  other.run([&] {
    char byte = 0;
    EXPECT_EQ(io::read(number, bytes_in(byte), io::within(1ms)).error(), std::errc::timed_out);
    EXPECT_TRUE(stream.reader.close());
  });
  Stream next = make_stream(StreamKind::kPipe);
  next.reader = io::FileDescriptor(checked(::dup2(next.reader.get(), number), "dup2"));
  std::error_code error;
  Waiters waiters(*runtime_);
  waiters.start([&] {
    char byte = 0;
    error = io::read(number, bytes_in(byte), io::within(5s)).error();
  });
  ASSERT_EQ(::write(next.writer.get(), "x", 1), 1);
  waiters.join();
  EXPECT_FALSE(error) << error.message();
}

}  // namespace
}  // namespace kumiko::runtime::test
