// Contract: signals never show. Calls that they interrupt go on, and transfer what they would have;
// a peer that is gone is an error, never SIGPIPE.
#include <array>
#include <csignal>
#include <cstring>
#include <latch>

#include <dirent.h>
#include <sys/syscall.h>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/pipe.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

std::atomic<int> signals_seen{0};

extern "C" void count_signal(int) { signals_seen.fetch_add(1, std::memory_order_relaxed); }

/// While it lives, each OS thread of the process but itself and its creator gets SIGUSR1 again and
/// again, with a handler that interrupts system calls (no SA_RESTART).
class SignalStorm {
 public:
  SignalStorm() {
    signals_seen = 0;
    struct sigaction action {};
    action.sa_handler = count_signal;
    sigaction(SIGUSR1, &action, nullptr);  // for good: the last ones may come late
    creator_ = static_cast<pid_t>(syscall(SYS_gettid));
    sender_ = std::thread([this] { send_all(); });
  }
  SignalStorm(const SignalStorm&) = delete;
  SignalStorm& operator=(const SignalStorm&) = delete;
  ~SignalStorm() {
    ended_ = true;
    sender_.join();
  }

 private:
  void send_all() {
    const auto self = static_cast<pid_t>(syscall(SYS_gettid));
    while (!ended_) {
      DIR* const folder = opendir("/proc/self/task");
      while (const dirent* const entry = readdir(folder)) {
        const int id = std::atoi(entry->d_name);
        if (id == 0 || id == self || id == creator_) continue;
        syscall(SYS_tgkill, getpid(), id, SIGUSR1);
      }
      closedir(folder);
      std::this_thread::sleep_for(50us);
    }
  }

  pid_t creator_ = 0;
  std::atomic<bool> ended_{false};
  std::thread sender_;
};

class SignalsTest : public IoTest {};
KUMIKO_WITH_ENGINES(SignalsTest);

TEST_P(SignalsTest, GivenAStormOfSignalsWhenBytesAreTransferredThenEachArrives) {
  constexpr std::size_t kBytes = kSanitized ? 100'000 : 1'000'000;
  constexpr int kMostRounds = 100;
  const SignalStorm storm;
  const auto transfer = [&](StreamKind kind) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    std::vector<std::byte> received(kBytes);
    io::Transfer in;
    run(
        [&] {
          std::array<std::byte, 5000> block{};
          for (std::size_t done = 0; done < kBytes; done += block.size()) {
            fill(block, 4, done);
            ASSERT_TRUE(io::write_all(stream.writer.get(), block));
            if (done % 50'000 == 0) this_thread::sleep_for(300us);
          }
        },
        [&] { in = io::read_exactly(stream.reader.get(), received); });
    EXPECT_TRUE(in) << in.error.message();
    EXPECT_EQ(in.bytes, kBytes);
    EXPECT_EQ(first_difference(received, 4), kBytes);
  };
  // On a busy machine the first transfers may be over before the storm breaks.
  for (int round = 0; round < kMostRounds && (round == 0 || signals_seen == 0); ++round) {
    for (const StreamKind kind : kStreamKinds) transfer(kind);
  }
  EXPECT_GT(signals_seen, 0);
}

TEST_P(SignalsTest, GivenAStormOfSignalsWhenOtherCallsAreMadeThenTheySucceed) {
  TemporaryFolder folder;
  const SignalStorm storm;
  io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  const io::Address where = listener.address().value();
  run(
      [&] {
        for (int i = 0; i < 50; ++i) {
          const io::Socket socket = io::Socket::connect(where).value();
          ASSERT_EQ(io::poll(socket.descriptor(), POLLIN).value() & POLLIN, POLLIN);
        }
      },
      [&] {
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(listener.accept());
      },
      [&] {
        const io::FileDescriptor file(io::open((folder / "f").c_str(), O_RDWR | O_CREAT).value());
        for (int i = 0; i < 50; ++i) {
          ASSERT_EQ(io::pwrite_all(file.get(), bytes_of("kumiko"), 6 * i).bytes, 6U);
        }
        ASSERT_TRUE(io::fsync(file.get()));
      },
      [&] {
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(io::sleep(io::within(100us)));
      });
}

TEST_P(SignalsTest, GivenAWaitWithADeadlineWhenSignalsComeThenItIsNeitherEndedNorProlonged) {
  const SignalStorm storm;
  const Stream stream = make_stream(StreamKind::kPipe);
  run([&] {
    const auto begin = std::chrono::steady_clock::now();
    char byte = 0;
    EXPECT_EQ(io::read(stream.reader.get(), bytes_in(byte), io::within(50ms)).error(),
              std::errc::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 50ms);
    EXPECT_LE(std::chrono::steady_clock::now() - begin, 10s);
  });
}

TEST_P(SignalsTest, GivenAnOsThreadWhenSignalsComeWhileItWaitsThenItsCallGoesOn) {
  const Stream stream = make_stream(StreamKind::kUnix);
  char byte = 0;
  std::error_code late;
  std::latch first_is_over(1);
  std::thread os_thread;
  {
    const SignalStorm storm;
    os_thread = std::thread([&] {
      late = io::read(stream.reader.get(), bytes_in(byte), io::within(20ms)).error();
      first_is_over.count_down();
      EXPECT_TRUE(io::read(stream.reader.get(), bytes_in(byte)));
    });
    first_is_over.wait();
    std::this_thread::sleep_for(20ms);
    ASSERT_EQ(::write(stream.writer.get(), "x", 1), 1);
    os_thread.join();
  }
  EXPECT_EQ(late, std::errc::timed_out);
  EXPECT_EQ(byte, 'x');
}

/// SIGPIPE keeps its default, which would end the process.
TEST_P(SignalsTest, GivenAPeerThatIsGoneWhenWrittenThenBrokenPipeAndNoSignal) {
  for (const StreamKind kind : kStreamKinds) {
    for (const bool os_thread : {false, true}) {
      SCOPED_TRACE(std::string(name_of(kind)) + (os_thread ? " by an OS thread" : ""));
      Stream stream = make_stream(kind);
      const auto write_until_error = [&] {
        ASSERT_TRUE(stream.reader.close());
        std::error_code error;
        // TCP learns of it by the answer to the first one.
        for (int i = 0; i < 1000 && !error; ++i) {
          error = io::write(stream.writer.get(), bytes_of("x")).error();
          if (!error) this_thread::sleep_for(1ms);
        }
        EXPECT_TRUE(error == std::errc::broken_pipe || error == std::errc::connection_reset)
            << error.message();
        error = io::write(stream.writer.get(), bytes_of("x")).error();
        EXPECT_EQ(error, std::errc::broken_pipe) << error.message();
      };
      os_thread ? write_until_error() : run(write_until_error);
    }
  }
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST_P(SignalsTest, GivenAWriterThatWaitsWhenTheReaderClosesThenAnErrorAndNoSignal) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    fill_up(stream.writer.get());
    std::error_code error;
    Waiters waiters(*runtime_);
    waiters.start([&] {
      const std::vector<std::byte> bytes(4'000'000);
      error = io::write_all(stream.writer.get(), bytes, io::within(kForEver)).error;
    });
    run([&] { ASSERT_TRUE(stream.reader.close()); });
    waiters.join();
    EXPECT_TRUE(error == std::errc::broken_pipe || error == std::errc::connection_reset)
        << error.message();
  }
}

TEST_P(SignalsTest, GivenSendsToAPeerThatIsGoneWhenMadeThenBrokenPipeAndNoSignal) {
  Stream stream = make_stream(StreamKind::kUnix);
  run([&] {
    ASSERT_TRUE(stream.reader.close());
    EXPECT_EQ(io::send(stream.writer.get(), bytes_of("x")).error(), std::errc::broken_pipe);
    EXPECT_EQ(io::send(stream.writer.get(), bytes_of("x"), MSG_DONTWAIT).error(),
              std::errc::broken_pipe);
    char byte = 'x';
    iovec vector{&byte, 1};
    msghdr message{};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    EXPECT_EQ(io::sendmsg(stream.writer.get(), message).error(), std::errc::broken_pipe);
    const std::array vectors{vector, vector};
    EXPECT_EQ(io::writev(stream.writer.get(), vectors).error(), std::errc::broken_pipe);
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
