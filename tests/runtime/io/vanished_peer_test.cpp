// Contract: whatever becomes of a peer, those who wait for it are told: the end of its data, or an
// error. What it had sent before it left in good order can still be read.
#include <array>

#include <sys/socket.h>

#include <kumiko/runtime/io/pipe.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class VanishedPeerTest : public IoTest {};
KUMIKO_WITH_ENGINES(VanishedPeerTest);

/// The next close() resets the connection.
void reset_at_close(int socket) {
  const linger at_once{1, 0};
  ASSERT_EQ(::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
}

TEST_P(VanishedPeerTest, GivenAReaderAndAWriterThatWaitWhenThePeerResetsThenBothFail) {
  Stream stream = make_stream(StreamKind::kTcp);
  fill_up(stream.writer.get());
  reset_at_close(stream.reader.get());
  std::error_code read;
  std::error_code written;
  Waiters waiters(*runtime_);
  waiters.start([&] {
    char byte = 0;
    const auto result = io::read(stream.writer.get(), bytes_in(byte), io::within(kForEver));
    read = result.error();
    EXPECT_EQ(result.value_or(0U), 0U);
  });
  waiters.start([&] {
    const std::vector<std::byte> bytes(4'000'000);
    written = io::write_all(stream.writer.get(), bytes, io::within(kForEver)).error;
  });
  run([&] { EXPECT_TRUE(stream.reader.close()); });
  waiters.join();
  // The system tells one of ECONNRESET, the others of the end or EPIPE.
  EXPECT_TRUE(!read || read == std::errc::connection_reset) << read.message();
  EXPECT_TRUE(written == std::errc::broken_pipe || written == std::errc::connection_reset)
      << written.message();
  EXPECT_TRUE(read == std::errc::connection_reset || written == std::errc::connection_reset);
}

TEST_P(VanishedPeerTest, GivenThePeerHasResetWhenReadThenConnectionReset) {
  Stream stream = make_stream(StreamKind::kTcp);
  reset_at_close(stream.writer.get());
  run([&] {
    EXPECT_TRUE(stream.writer.close());
    char byte = 0;
    EXPECT_EQ(io::read(stream.reader.get(), bytes_in(byte)).error(), std::errc::connection_reset);
    EXPECT_EQ(io::read(stream.reader.get(), bytes_in(byte)).value(), 0U);
  });
}

TEST_P(VanishedPeerTest, GivenManyReadersWhenThePeerClosesThenAllReadTheEnd) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    std::array<std::size_t, 10> counts{};
    Waiters waiters(*runtime_);
    for (std::size_t& count : counts) {
      count = 1;
      waiters.start([&] {
        char byte = 0;
        count = io::read(stream.reader.get(), bytes_in(byte)).value();
      });
    }
    run([&] { EXPECT_TRUE(stream.writer.close()); });
    waiters.join();
    for (const std::size_t count : counts) EXPECT_EQ(count, 0U);
  }
}

TEST_P(VanishedPeerTest, GivenManyWritersWhenThePeerClosesThenAllFail) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    fill_up(stream.writer.get());
    std::array<std::error_code, 10> errors;
    Waiters waiters(*runtime_);
    for (std::error_code& error : errors) {
      waiters.start([&] {
        const std::vector<std::byte> bytes(4'000'000);
        error = io::write_all(stream.writer.get(), bytes).error;
      });
    }
    run([&] { EXPECT_TRUE(stream.reader.close()); });
    waiters.join();
    for (const std::error_code& error : errors) {
      EXPECT_TRUE(error == std::errc::broken_pipe || error == std::errc::connection_reset)
          << error.message();
    }
  }
}

TEST_P(VanishedPeerTest, GivenHalfAConnectionIsClosedWhenTheOtherHalfIsUsedThenItWorks) {
  for (const StreamKind kind : {StreamKind::kUnix, StreamKind::kTcp}) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    const int a = stream.reader.get();
    const int b = stream.writer.get();
    std::size_t at_end = 1;
    Waiters waiters(*runtime_);
    waiters.start([&] {
      char byte = 0;
      at_end = io::read(a, bytes_in(byte)).value();
    });
    ASSERT_EQ(::shutdown(b, SHUT_WR), 0);
    waiters.join();
    EXPECT_EQ(at_end, 0U);
    run([&] {
      EXPECT_EQ(io::write(b, bytes_of("x")).error(), std::errc::broken_pipe);
      char byte = 0;
      TaskGroup group;
      group.run([&] { EXPECT_EQ(io::read(b, bytes_in(byte)).value(), 1U); });
      EXPECT_TRUE(io::write(a, bytes_of("y")));
      group.wait();
      EXPECT_EQ(byte, 'y');
      EXPECT_EQ(io::read(a, bytes_in(byte)).value(), 0U);
    });
  }
}

TEST_P(VanishedPeerTest, GivenAReaderThatWaitsWhenItsOwnSideIsShutDownThenItReadsTheEnd) {
  for (const StreamKind kind : {StreamKind::kUnix, StreamKind::kTcp}) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    std::size_t count = 1;
    Waiters waiters(*runtime_);
    waiters.start([&] {
      char byte = 0;
      count = io::read(stream.reader.get(), bytes_in(byte)).value();
    });
    ASSERT_EQ(::shutdown(stream.reader.get(), SHUT_RD), 0);
    waiters.join();
    EXPECT_EQ(count, 0U);
  }
}

/// TCP only: poll(2) does not tell of it where a socket of AF_UNIX is full.
TEST_P(VanishedPeerTest, GivenAWriterThatWaitsWhenItsOwnSideIsShutDownThenBrokenPipe) {
  const Stream stream = make_stream(StreamKind::kTcp);
  fill_up(stream.writer.get());
  std::error_code error;
  Waiters waiters(*runtime_);
  waiters.start([&] {
    const std::vector<std::byte> bytes(4'000'000);
    error = io::write_all(stream.writer.get(), bytes).error;
  });
  ASSERT_EQ(::shutdown(stream.writer.get(), SHUT_WR), 0);
  waiters.join();
  EXPECT_EQ(error, std::errc::broken_pipe) << error.message();
}

TEST_P(VanishedPeerTest, GivenThreadsThatPollWhenThePeerHangsUpThenTheyAreTold) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    short in = 0;
    short nothing = 0;
    Waiters waiters(*runtime_);
    waiters.start([&] { in = io::poll(stream.reader.get(), POLLIN).value(); });
    waiters.start([&] { nothing = io::poll(stream.reader.get(), 0).value(); });
    run([&] { EXPECT_TRUE(stream.writer.close()); });
    if (kind == StreamKind::kTcp) {
      // One direction that ended is not a hang-up yet.
      ASSERT_EQ(::shutdown(stream.reader.get(), SHUT_WR), 0);
    }
    waiters.join();
    EXPECT_NE(in & (POLLIN | POLLHUP), 0);
    EXPECT_NE(nothing & POLLHUP, 0);
  }
}

TEST_P(VanishedPeerTest, GivenDataAndThenTheEndWhenItComesInShortReadsThenNothingIsOverlooked) {
  // Where the end of the data is announced together with the last of it.
  constexpr int kRounds = kSanitized ? 50 : 500;
  run([&] {
    for (int round = 0; round < kRounds; ++round) {
      Stream stream = make_stream(kStreamKinds[round % 3]);
      std::size_t count = 0;
      TaskGroup group;
      group.run([&] {
        std::array<std::byte, 1000> bytes{};
        while (const std::size_t moved =
                   io::read(stream.reader.get(), bytes, io::within(kForEver)).value()) {
          count += moved;
        }
      });
      group.run([&] {
        ASSERT_TRUE(io::write_all(stream.writer.get(), bytes_of("a few bytes")));
        if (round % 2 == 0) this_thread::yield();
        ASSERT_TRUE(io::write_all(stream.writer.get(), bytes_of("a few bytes")));
        ASSERT_TRUE(stream.writer.close());
      });
      group.wait();
      ASSERT_EQ(count, 22U);
    }
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
