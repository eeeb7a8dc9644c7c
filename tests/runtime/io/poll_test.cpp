// Contract: poll() waits until one of the events holds, takes nothing, and returns what holds.
#include <sys/eventfd.h>

#include <kumiko/runtime/io/pipe.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class PollTest : public IoTest {};
KUMIKO_WITH_ENGINES(PollTest);

TEST_P(PollTest, GivenWhatIsReadyWhenPolledThenItReturnsAtOnce) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    run([&] {
      EXPECT_EQ(io::poll(stream.writer.get(), POLLOUT).value(), POLLOUT);
      ASSERT_TRUE(io::write(stream.writer.get(), bytes_of("x")));
      EXPECT_EQ(io::poll(stream.reader.get(), POLLIN).value(), POLLIN);
      EXPECT_NE(io::poll(stream.reader.get(), POLLIN | POLLOUT).value() & POLLIN, 0);
    });
  }
}

TEST_P(PollTest, GivenAFullBufferWhenItIsReadThenPollSaysThatThereIsRoom) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    const std::size_t before = fill_up(stream.writer.get());
    short events = 0;
    short both = 0;
    Waiters waiters(*runtime_);
    waiters.start([&] { events = io::poll(stream.writer.get(), POLLOUT).value(); });
    waiters.start([&] { both = io::poll(stream.writer.get(), POLLIN | POLLOUT).value(); });
    run([&] {
      std::vector<std::byte> bytes(before);
      ASSERT_TRUE(io::read_exactly(stream.reader.get(), bytes));
    });
    waiters.join();
    EXPECT_EQ(events, POLLOUT);
    EXPECT_EQ(both, POLLOUT);
  }
}

TEST_P(PollTest, GivenAnEventDescriptorWhenSignalledThenPollReturns) {
  const io::FileDescriptor event(::eventfd(0, EFD_CLOEXEC));
  short events = 0;
  Waiters waiters(*runtime_);
  waiters.start([&] { events = io::poll(event.get(), POLLIN).value(); });
  ASSERT_EQ(::eventfd_write(event.get(), 1), 0);
  waiters.join();
  EXPECT_EQ(events, POLLIN);
}

TEST_P(PollTest, GivenAFileWhenPolledThenItIsAlwaysReady) {
  TemporaryFolder folder;
  run([&] {
    const io::FileDescriptor file(io::open((folder / "f").c_str(), O_RDWR | O_CREAT).value());
    EXPECT_EQ(io::poll(file.get(), POLLIN | POLLOUT, io::within(kForEver)).value(),
              POLLIN | POLLOUT);
  });
}

TEST_P(PollTest, GivenAPeerThatHasShutDownWhenPolledForItThenPollReturns) {
  for (const StreamKind kind : {StreamKind::kUnix, StreamKind::kTcp}) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    short events = 0;
    Waiters waiters(*runtime_);
    waiters.start([&] { events = io::poll(stream.reader.get(), POLLRDHUP).value(); });
    ASSERT_EQ(::shutdown(stream.writer.get(), SHUT_WR), 0);
    waiters.join();
    EXPECT_NE(events & POLLRDHUP, 0);
  }
}

TEST_P(PollTest, GivenAPipeWithoutReaderWhenItsWriterIsPolledThenPollReturnsAnError) {
  Stream stream = make_stream(StreamKind::kPipe);
  fill_up(stream.writer.get());
  short events = 0;
  Waiters waiters(*runtime_);
  waiters.start([&] { events = io::poll(stream.writer.get(), 0).value(); });
  run([&] { ASSERT_TRUE(stream.reader.close()); });
  waiters.join();
  EXPECT_NE(events & POLLERR, 0);
}

TEST_P(PollTest, GivenManyRoundsWhenPollsAndReadsAlternateThenNoneIsLost) {
  constexpr int kRounds = kSanitized ? 100 : 1000;
  const Stream there = make_stream(StreamKind::kUnix);
  run(
      [&] {
        for (int i = 0; i < kRounds; ++i) {
          ASSERT_NE(io::poll(there.reader.get(), POLLIN).value() & POLLIN, 0);
          char byte = 0;
          ASSERT_EQ(io::recv(there.reader.get(), bytes_in(byte), MSG_DONTWAIT).value(), 1U);
          ASSERT_TRUE(io::write(there.reader.get(), bytes_in(byte)));
        }
      },
      [&] {
        for (int i = 0; i < kRounds; ++i) {
          char byte = 'x';
          ASSERT_TRUE(io::write(there.writer.get(), bytes_in(byte)));
          ASSERT_NE(io::poll(there.writer.get(), POLLIN).value() & POLLIN, 0);
          ASSERT_TRUE(io::read(there.writer.get(), bytes_in(byte)));
        }
      });
}

}  // namespace
}  // namespace kumiko::runtime::test
