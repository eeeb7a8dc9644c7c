// Contract: those who wait for one direction of a descriptor are served in the order of their
// arrival, and nobody is served before them who came later. Who does not take what is there does
// not keep others from it.
#include <array>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class FifoOrderTest : public IoTest {};
KUMIKO_WITH_ENGINES(FifoOrderTest);

TEST_P(FifoOrderTest, GivenReadersInARowWhenBytesComeThenEachGetsTheByteOfItsPlace) {
  constexpr std::size_t kReaders = 20;
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    std::array<char, kReaders> received{};
    Waiters waiters(*runtime_);
    for (char& byte : received) {
      waiters.start([&] { ASSERT_TRUE(io::read(stream.reader.get(), bytes_in(byte))); });
    }
    std::string sent;
    for (std::size_t i = 0; i < kReaders; ++i) sent += static_cast<char>('a' + i);
    // Some at once, then one by one.
    ASSERT_EQ(::write(stream.writer.get(), sent.data(), 5), 5);
    for (std::size_t i = 5; i < kReaders; ++i) {
      ASSERT_EQ(::write(stream.writer.get(), &sent[i], 1), 1);
    }
    waiters.join();
    EXPECT_EQ(std::string_view(received.data(), kReaders), sent);
  }
}

TEST_P(FifoOrderTest, GivenWritersInARowWhenThereIsRoomThenTheirBytesComeInTheirOrder) {
  constexpr std::size_t kWriters = 10;
  constexpr std::size_t kBytes = 3000;  // a pipe takes less than PIPE_BUF whole
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    const std::size_t before = fill_up(stream.writer.get());
    Waiters waiters(*runtime_);
    for (std::size_t i = 0; i < kWriters; ++i) {
      waiters.start([&, i] {
        const std::vector<std::byte> bytes(kBytes, static_cast<std::byte>(i));
        ASSERT_EQ(io::write(stream.writer.get(), bytes).value(), kBytes);
      });
    }
    std::vector<std::byte> received(before + kWriters * kBytes);
    run([&] { ASSERT_TRUE(io::read_exactly(stream.reader.get(), received)); });
    waiters.join();
    for (std::size_t i = 0; i < kWriters * kBytes; ++i) {
      ASSERT_EQ(received[before + i], static_cast<std::byte>(i / kBytes)) << i;
    }
  }
}

TEST_P(FifoOrderTest, GivenThreadsThatAcceptInARowWhenConnectionsComeThenInTheirOrder) {
  constexpr std::size_t kThreads = 10;
  io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  const io::Address where = listener.address().value();
  std::array<io::Socket, kThreads> accepted;
  std::array<io::Socket, kThreads> connected;
  Waiters waiters(*runtime_);
  for (io::Socket& socket : accepted) {
    waiters.start([&] { socket = listener.accept().value(); });
  }
  for (io::Socket& socket : connected) socket = io::Socket::connect(where).value();
  waiters.join();
  for (std::size_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(accepted[i].peer_address().value().port(),
              connected[i].local_address().value().port());
  }
}

TEST_P(FifoOrderTest, GivenReadersOfSeveralBytesWhenBytesComeThenTheFirstTakesWhatIsThere) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    std::array<char, 3> first{};
    char second = 0;
    Waiters waiters(*runtime_);
    waiters.start([&] { ASSERT_EQ(io::read(stream.reader.get(), bytes_in(first)).value(), 3U); });
    waiters.start([&] { ASSERT_EQ(io::read(stream.reader.get(), bytes_in(second)).value(), 1U); });
    ASSERT_EQ(::write(stream.writer.get(), "abcd", 4), 4);
    waiters.join();
    EXPECT_EQ(std::string_view(first.data(), 3), "abc");
    EXPECT_EQ(second, 'd');
  }
}

class BystanderTest : public IoTest {};
KUMIKO_WITH_ENGINES(BystanderTest);

TEST_P(BystanderTest, GivenAThreadThatPollsForAHangUpWhenAnotherReadsThenItIsServed) {
  for (const StreamKind kind : {StreamKind::kUnix, StreamKind::kTcp}) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    short events = 0;
    std::error_code error;
    char byte = 0;
    {
      Waiters bystander(*runtime_);
      bystander.start([&] { events = io::poll(stream.reader.get(), POLLRDHUP).value(); });
      {
        Waiters reader(*runtime_);
        reader.start(
            [&] { error = io::read(stream.reader.get(), bytes_in(byte), io::within(5s)).error(); });
        ASSERT_EQ(::write(stream.writer.get(), "x", 1), 1);
      }
      EXPECT_TRUE(stream.writer.close());
    }
    EXPECT_FALSE(error) << error.message();
    EXPECT_EQ(byte, 'x');
    EXPECT_NE(events & POLLRDHUP, 0);
  }
}

TEST_P(BystanderTest, GivenThreadsThatPollWhenDataComesThenAllSeeItAndNoneTakesIt) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    std::array<short, 5> events{};
    Waiters waiters(*runtime_);
    for (short& seen : events) {
      waiters.start([&] { seen = io::poll(stream.reader.get(), POLLIN).value(); });
    }
    ASSERT_EQ(::write(stream.writer.get(), "x", 1), 1);
    waiters.join();
    for (const short seen : events) EXPECT_NE(seen & POLLIN, 0);
    char byte = 0;
    run([&] { EXPECT_TRUE(io::read(stream.reader.get(), bytes_in(byte))); });
    EXPECT_EQ(byte, 'x');
  }
}

}  // namespace
}  // namespace kumiko::runtime::test
