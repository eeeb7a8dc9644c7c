// Contract: a call ends with timed_out when its deadline has come and with operation_canceled when
// a stop is requested, whatever it waits for and wherever it stands in a queue; it ends promptly
// then, and never before. What can be done at once is done. Nothing that was transferred is lost,
// and the descriptor is as good as before.
#include <array>
#include <deque>
#include <stop_token>

#include <poll.h>
#include <signal.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/blocking.hpp>
#include <kumiko/runtime/io/pipe.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

using std::chrono::steady_clock;

/// A call that cannot go on.
struct Call {
  const char* name;
  std::function<std::error_code(const io::Limits&)> make;
};

/// Descriptors of which nothing comes and into which nothing goes, and all the calls that wait for
/// that.
class Stuck {
 public:
  Stuck() {
    for (const StreamKind kind : kStreamKinds) add_stream(kind);
    add_full_listeners();
    add_messages();
    const pid_t parent = getpid();
    child_ = checked(fork(), "fork");
    if (child_ == 0) {
      while (getppid() == parent) ::poll(nullptr, 0, 100);
      _exit(0);
    }
    add("wait_for_process",
        [this](const io::Limits& limits) { return io::wait_for_process(child_, limits).error(); });
  }
  Stuck(const Stuck&) = delete;
  Stuck& operator=(const Stuck&) = delete;
  ~Stuck() {
    ::kill(child_, SIGKILL);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  const std::vector<Call>& calls() const { return calls_; }

 private:
  void add(const char* name, std::function<std::error_code(const io::Limits&)> make) {
    calls_.push_back({name, std::move(make)});
  }

  void add_stream(StreamKind kind) {
    Stream& stream = streams_.emplace_back(make_stream(kind));
    const int in = stream.reader.get();
    const int out = stream.writer.get();
    // A full TCP socket has room again when its peer's side has settled.
    const bool tcp = kind == StreamKind::kTcp;
    Stream& full = streams_.emplace_back(make_stream(tcp ? StreamKind::kUnix : kind));
    fill_up(full.writer.get());
    const int full_out = full.writer.get();
    add(name_of(kind), [in](const io::Limits& limits) {
      std::array<std::byte, 10> bytes{};
      return io::read(in, bytes, limits).error();
    });
    add("read_exactly", [in](const io::Limits& limits) {
      std::array<std::byte, 10> bytes{};
      const io::Transfer transfer = io::read_exactly(in, bytes, limits);
      EXPECT_EQ(transfer.bytes, 0U);
      return transfer.error;
    });
    add("readv", [in](const io::Limits& limits) {
      std::array<std::byte, 10> bytes{};
      const iovec vectors[] = {{bytes.data(), 5}, {bytes.data() + 5, 5}};
      return io::readv(in, vectors, limits).error();
    });
    add("write", [full_out](const io::Limits& limits) {
      const std::array<std::byte, 10'000> bytes{};
      return io::write(full_out, bytes, limits).error();
    });
    add("write_all", [full_out](const io::Limits& limits) {
      const std::array<std::byte, 10'000> bytes{};
      const io::Transfer transfer = io::write_all(full_out, bytes, limits);
      EXPECT_EQ(transfer.bytes, 0U);
      return transfer.error;
    });
    add("writev", [full_out](const io::Limits& limits) {
      std::array<std::byte, 10'000> bytes{};
      const iovec vectors[] = {{bytes.data(), 5000}, {bytes.data() + 5000, 5000}};
      return io::writev(full_out, vectors, limits).error();
    });
    add("poll in", [in](const io::Limits& limits) { return io::poll(in, POLLIN, limits).error(); });
    add("poll out", [full_out](const io::Limits& limits) {
      return io::poll(full_out, POLLOUT, limits).error();
    });
    add("poll priority",
        [in](const io::Limits& limits) { return io::poll(in, POLLPRI, limits).error(); });
    add("poll nothing",
        [out](const io::Limits& limits) { return io::poll(out, 0, limits).error(); });
    if (kind == StreamKind::kPipe) return;
    add("poll for both", [full_out](const io::Limits& limits) {
      return io::poll(full_out, POLLIN | POLLOUT, limits).error();
    });
    add("recv", [in](const io::Limits& limits) {
      std::array<std::byte, 10> bytes{};
      return io::recv(in, bytes, MSG_PEEK, limits).error();
    });
    add("send", [full_out](const io::Limits& limits) {
      const std::array<std::byte, 10'000> bytes{};
      return io::send(full_out, bytes, 0, limits).error();
    });
  }

  void add_full_listeners() {
    listeners_.push_back(io::Listener::listen(io::Address::loopback()).value());
    add("accept", [&listener = listeners_.back()](const io::Limits& limits) {
      return listener.accept(limits).error();
    });
    const io::Address path = io::Address::path(folder_ / "socket").value();
    for (const io::Address& address : {io::Address::loopback(), path}) {
      listeners_.push_back(io::Listener::listen(address, 0).value());
      const io::Address where = listeners_.back().address().value();
      // Linux lets one more in than the backlog says.
      for (int i = 0; i < 4; ++i) {
        io::FileDescriptor& filler = fillers_.emplace_back(
            checked(::socket(where.family(), SOCK_STREAM | SOCK_NONBLOCK, 0), "socket"));
        static_cast<void>(::connect(filler.get(), where.get(), where.size()));
      }
      add(address.family() == AF_UNIX ? "connect a path" : "connect",
          [where](const io::Limits& limits) { return io::Socket::connect(where, limits).error(); });
    }
  }

  void add_messages() {
    int ends[2];
    checked(::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), "socketpair");
    Stream& datagrams = streams_.emplace_back();
    datagrams.reader = io::FileDescriptor(ends[0]);
    datagrams.writer = io::FileDescriptor(ends[1]);
    while (::send(ends[1], "kumiko", 6, MSG_DONTWAIT) == 6) {
    }
    add("recvmsg", [end = ends[1]](const io::Limits& limits) {
      std::array<std::byte, 10> bytes{};
      iovec vector{bytes.data(), bytes.size()};
      msghdr message{};
      message.msg_iov = &vector;
      message.msg_iovlen = 1;
      return io::recvmsg(end, message, 0, limits).error();
    });
    add("sendmsg", [end = ends[1]](const io::Limits& limits) {
      std::array<std::byte, 10> bytes{};
      iovec vector{bytes.data(), bytes.size()};
      msghdr message{};
      message.msg_iov = &vector;
      message.msg_iovlen = 1;
      return io::sendmsg(end, message, 0, limits).error();
    });
  }

  TemporaryFolder folder_;
  std::deque<Stream> streams_;
  std::deque<io::Listener> listeners_;
  std::deque<io::FileDescriptor> fillers_;
  pid_t child_ = -1;
  std::vector<Call> calls_;
};

class LimitsTest : public IoTest {
 protected:
  /// What each of the stuck calls says, made at once by a thread for each.
  std::vector<std::error_code> make_all(const Stuck& stuck, const io::Limits& limits) {
    std::vector<std::error_code> errors(stuck.calls().size());
    runtime_->run([&] {
      TaskGroup group;
      for (std::size_t i = 0; i < errors.size(); ++i) {
        group.run([&, i] { errors[i] = stuck.calls()[i].make(limits); });
      }
      group.wait();
    });
    return errors;
  }

  static void expect_all(const Stuck& stuck, const std::vector<std::error_code>& errors,
                         std::errc expected) {
    for (std::size_t i = 0; i < errors.size(); ++i) {
      EXPECT_EQ(errors[i], expected) << stuck.calls()[i].name << ": " << errors[i].message();
    }
  }
};
KUMIKO_WITH_ENGINES(LimitsTest);

TEST_P(LimitsTest, GivenCallsThatCannotGoOnWhenTheirDeadlineComesThenAllTimeOutAndNotBefore) {
  const Stuck stuck;
  const auto deadline = steady_clock::now() + 30ms;
  expect_all(stuck, make_all(stuck, io::until(deadline)), std::errc::timed_out);
  EXPECT_GE(steady_clock::now(), deadline);
}

TEST_P(LimitsTest, GivenCallsThatCannotGoOnWhenTheDeadlineIsInThePastThenAllTimeOut) {
  const Stuck stuck;
  for (const auto deadline : {steady_clock::now() - 1h, steady_clock::time_point::min()}) {
    expect_all(stuck, make_all(stuck, io::until(deadline)), std::errc::timed_out);
  }
}

TEST_P(LimitsTest, GivenNumbersThatAreReusedAtOnceWhenReadersGiveUpAtOnceThenNoneIsForgotten) {
  // Events of what was closed come late, so that one worker ends the close while another uses the
  // number anew.
  constexpr int kThreads = 4;
  constexpr int kRounds = kSanitized ? 200 : 2000;
  std::atomic<int> timed_out{0};
  runtime_->run([&] {
    TaskGroup group;
    for (int thread = 0; thread < kThreads; ++thread) {
      group.run([&] {
        for (int round = 0; round < kRounds; ++round) {
          const Stream stream = make_stream(StreamKind::kUnix);
          char byte = 0;
          const auto read = io::read(stream.reader.get(), bytes_in(byte), io::until({}));
          timed_out += read.error() == std::errc::timed_out ? 1 : 0;
        }
      });
    }
    group.wait();
  });
  EXPECT_EQ(timed_out, kThreads * kRounds);
}

TEST_P(LimitsTest, GivenAStopWasRequestedWhenACallCannotGoOnThenItIsCancelled) {
  const Stuck stuck;
  std::stop_source stop;
  stop.request_stop();
  expect_all(stuck, make_all(stuck, io::unless(stop.get_token())), std::errc::operation_canceled);
}

TEST_P(LimitsTest, GivenCallsThatWaitWhenAStopIsRequestedThenAllAreCancelled) {
  const Stuck stuck;
  std::stop_source stop;
  std::vector<std::error_code> errors(stuck.calls().size());
  {
    Waiters waiters(*runtime_);
    for (std::size_t i = 0; i < errors.size(); ++i) {
      waiters.start(
          [&, i] { errors[i] = stuck.calls()[i].make(io::within(kForEver, stop.get_token())); });
    }
    stop.request_stop();
  }
  expect_all(stuck, errors, std::errc::operation_canceled);
}

TEST_P(LimitsTest, GivenCallsThatWaitWhenALightweightThreadRequestsTheStopThenAllAreCancelled) {
  const Stuck stuck;
  std::stop_source stop;
  std::vector<std::error_code> errors(stuck.calls().size());
  runtime_->run([&] {
    TaskGroup group;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      group.run([&, i] { errors[i] = stuck.calls()[i].make(io::unless(stop.get_token())); });
    }
    stop.request_stop();
    group.wait();
  });
  expect_all(stuck, errors, std::errc::operation_canceled);
}

TEST_P(LimitsTest, GivenManyWhoWaitForOneDirectionWhenTheLastOnesTimeRunsOutThenOnlyItEnds) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    std::array<char, 3> received{};
    std::error_code late;
    Waiters waiters(*runtime_);
    for (char& byte : received) {
      waiters.start([&] { EXPECT_TRUE(io::read(stream.reader.get(), bytes_in(byte))); });
    }
    run([&] {
      char byte = 0;
      late = io::read(stream.reader.get(), bytes_in(byte), io::within(1ms)).error();
    });
    EXPECT_EQ(late, std::errc::timed_out);
    ASSERT_EQ(::write(stream.writer.get(), "abc", 3), 3);
    waiters.join();
    std::sort(received.begin(), received.end());
    EXPECT_EQ(std::string_view(received.data(), 3), "abc");
  }
}

TEST_P(LimitsTest, GivenManyWhoWaitForOneDirectionWhenTheFirstOnesTimeRunsOutThenTheNextIsServed) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    char received = 0;
    std::stop_source stop;
    std::error_code first;
    Waiters impatient(*runtime_);
    impatient.start([&] {
      char byte = 0;
      first = io::read(stream.reader.get(), bytes_in(byte), io::unless(stop.get_token())).error();
    });
    Waiters patient(*runtime_);
    patient.start([&] { EXPECT_TRUE(io::read(stream.reader.get(), bytes_in(received))); });
    stop.request_stop();
    impatient.join();
    ASSERT_EQ(::write(stream.writer.get(), "x", 1), 1);
    patient.join();
    EXPECT_EQ(first, std::errc::operation_canceled);
    EXPECT_EQ(received, 'x');
  }
}

TEST_P(LimitsTest, GivenDataThatIsThereWhenTheLimitsAreReachedAlreadyThenItIsTransferred) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    std::stop_source stop;
    stop.request_stop();
    run([&] {
      for (const io::Limits& limits :
           {io::until(steady_clock::now() - 1s), io::unless(stop.get_token()),
            io::until(steady_clock::time_point::min(), stop.get_token())}) {
        char byte = 'x';
        EXPECT_EQ(io::write(stream.writer.get(), bytes_in(byte), limits).value(), 1U);
        byte = 0;
        EXPECT_EQ(io::poll(stream.reader.get(), POLLIN, limits).value() & POLLIN, POLLIN);
        EXPECT_EQ(io::read(stream.reader.get(), bytes_in(byte), limits).value(), 1U);
        EXPECT_EQ(byte, 'x');
      }
    });
  }
}

TEST_P(LimitsTest, GivenAReadThatTimedOutWhenDataComesLaterThenTheNextReadHasIt) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    run([&] {
      char byte = 0;
      EXPECT_EQ(io::read(stream.reader.get(), bytes_in(byte), io::within(1ms)).error(),
                std::errc::timed_out);
      EXPECT_TRUE(io::write(stream.writer.get(), bytes_of("x")));
      EXPECT_TRUE(io::read(stream.reader.get(), bytes_in(byte)));
      EXPECT_EQ(byte, 'x');
    });
  }
}

TEST_P(LimitsTest, GivenATransferInPartsWhenItsTimeRunsOutThenWhatWasTransferredIsReported) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    run([&] {
      std::vector<std::byte> sent(10'000'000);
      fill(sent, 5);
      const io::Transfer out = io::write_all(stream.writer.get(), sent, io::within(20ms));
      EXPECT_EQ(out.error, std::errc::timed_out);
      EXPECT_GT(out.bytes, 0U);
      std::vector<std::byte> received(out.bytes + 1);
      const io::Transfer in = io::read_exactly(stream.reader.get(), received, io::within(20ms));
      EXPECT_EQ(in.error, std::errc::timed_out);
      EXPECT_EQ(in.bytes, out.bytes);
      EXPECT_EQ(first_difference(std::span(received).first(in.bytes), 5), in.bytes);
    });
  }
}

TEST_P(LimitsTest, GivenDeadlinesThatRaceWithTheDataWhenReadAndWrittenThenNoByteIsLost) {
  constexpr std::size_t kBytes = kSanitized ? 20'000 : 200'000;
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    std::vector<std::byte> received(kBytes);
    std::size_t count = 0;
    std::vector<std::byte> sent(kBytes);
    fill(sent, 9);
    run(
        [&] {
          std::size_t done = 0;
          for (unsigned turn = 0; done < kBytes; ++turn) {
            const auto some = std::span(sent).subspan(done).first(
                std::min<std::size_t>(kBytes - done, 1 + turn * 37 % 900));
            const io::Transfer moved = io::write_all(
                stream.writer.get(), some, io::within(std::chrono::microseconds(turn % 50)));
            if (!moved) {
              ASSERT_EQ(moved.error, std::errc::timed_out);
            }
            done += moved.bytes;
            if (turn % 3 == 0) this_thread::yield();
          }
          ASSERT_TRUE(stream.writer.close());
        },
        [&] {
          for (unsigned turn = 0; count < kBytes; ++turn) {
            const auto room = std::span(received).subspan(count).first(
                std::min<std::size_t>(kBytes - count, 1 + turn * 53 % 700));
            const auto moved = io::read(stream.reader.get(), room,
                                        io::within(std::chrono::microseconds(turn % 40)));
            if (!moved) {
              ASSERT_EQ(moved.error(), std::errc::timed_out);
              continue;
            }
            if (*moved == 0) break;
            count += *moved;
          }
        });
    ASSERT_EQ(count, kBytes);
    EXPECT_EQ(first_difference(received, 9), kBytes);
  }
}

TEST_P(LimitsTest, GivenStopsThatRaceWithTheDataWhenReadThenEachByteIsReadOnce) {
  constexpr int kRounds = kSanitized ? 200 : 2000;
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    run([&] {
      int received = 0;
      for (int round = 0; round < kRounds; ++round) {
        std::stop_source stop;
        char byte = 0;
        bool stopped = false;
        TaskGroup group;
        group.run([&] {
          const auto read =
              io::read(stream.reader.get(), bytes_in(byte), io::unless(stop.get_token()));
          stopped = !read;
          if (stopped) {
            ASSERT_EQ(read.error(), std::errc::operation_canceled);
          }
        });
        group.run([&] { ASSERT_TRUE(io::write(stream.writer.get(), bytes_of("x"))); });
        stop.request_stop();
        group.wait();
        if (stopped) {
          ASSERT_TRUE(io::read(stream.reader.get(), bytes_in(byte)));
        }
        ASSERT_EQ(byte, 'x');
        ++received;
      }
      EXPECT_EQ(received, kRounds);
      char none = 0;
      EXPECT_EQ(io::read(stream.reader.get(), bytes_in(none), io::within(1ms)).error(),
                std::errc::timed_out);
    });
  }
}

TEST_P(LimitsTest, GivenSleepersWhenTheirTimeComesThenTheyWakeWithoutError) {
  run([&] {
    const auto time = steady_clock::now() + 10ms;
    TaskGroup group;
    for (int i = 0; i < 100; ++i) {
      group.run([&] {
        EXPECT_TRUE(io::sleep(io::until(time)));
        EXPECT_GE(steady_clock::now(), time);
      });
    }
    group.wait();
    EXPECT_TRUE(io::sleep(io::until(time)));
  });
}

TEST_P(LimitsTest, GivenASleeperWhenAStopIsRequestedThenItWakesWithOperationCanceled) {
  std::stop_source stop;
  std::error_code forever;
  std::error_code long_time;
  Waiters waiters(*runtime_);
  waiters.start([&] { forever = io::sleep(io::unless(stop.get_token())).error(); });
  waiters.start([&] { long_time = io::sleep(io::within(1h, stop.get_token())).error(); });
  stop.request_stop();
  waiters.join();
  EXPECT_EQ(forever, std::errc::operation_canceled);
  EXPECT_EQ(long_time, std::errc::operation_canceled);
}

TEST_P(LimitsTest, GivenAConnectThatTimedOutWhenThereIsRoomLaterThenANewSocketConnects) {
  TemporaryFolder folder;
  const io::Address path = io::Address::path(folder / "socket").value();
  io::Listener listener = io::Listener::listen(path, 0).value();
  run([&] {
    const io::Socket first = io::Socket::connect(path).value();
    EXPECT_EQ(io::Socket::connect(path, io::within(5ms)).error(), std::errc::timed_out);
    TaskGroup group;
    group.run([&] { EXPECT_TRUE(io::Socket::connect(path, io::within(kForEver))); });
    EXPECT_TRUE(listener.accept());
    EXPECT_TRUE(listener.accept());
    group.wait();
  });
}

TEST_P(LimitsTest, GivenFileOperationsThatBeganWhenTheirTimeIsOverThenTheirResultIsReported) {
  TemporaryFolder folder;
  run([&] {
    const io::FileDescriptor file(io::open((folder / "file").c_str(), O_RDWR | O_CREAT).value());
    for (int i = 0; i < 100; ++i) {
      const auto written =
          io::pwrite(file.get(), bytes_of("kumiko"), 0, io::until(steady_clock::now()));
      // Either it was done and says so, or it was not begun.
      if (!written) {
        EXPECT_EQ(written.error(), std::errc::timed_out);
      }
      if (written) {
        EXPECT_EQ(*written, 6U);
      }
    }
  });
}

TEST_P(LimitsTest, GivenManyTimersWhenReadsWaitTogetherThenEachTimesOutByItsOwn) {
  constexpr int kReaders = 200;
  const Stream stream = make_stream(StreamKind::kUnix);
  runtime_->run([&] {
    TaskGroup group;
    for (int i = 0; i < kReaders; ++i) {
      group.run([&, i] {
        const auto deadline = steady_clock::now() + std::chrono::microseconds(i * 97 % 5000);
        char byte = 0;
        EXPECT_EQ(io::read(stream.reader.get(), bytes_in(byte), io::until(deadline)).error(),
                  std::errc::timed_out);
        EXPECT_GE(steady_clock::now(), deadline);
      });
    }
    group.wait();
  });
}

TEST_P(LimitsTest, GivenDataThatHasJustComeWhenReadWithAPastDeadlineThenItIsRead) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    run([&] {
      std::array<std::byte, 100> buffer{};
      for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(io::read(stream.reader.get(), buffer, io::within(0s)).error(),
                  std::errc::timed_out);
        ASSERT_TRUE(io::write_all(stream.writer.get(), bytes_of("now")));
        // TCP takes a moment on its way.
        ASSERT_EQ(::poll(std::array{pollfd{stream.reader.get(), POLLIN, 0}}.data(), 1, 1000), 1);
        EXPECT_EQ(io::read(stream.reader.get(), buffer, io::within(0s)).value_or(0), 3U);
      }
    });
  }
}

}  // namespace
}  // namespace kumiko::runtime::test
