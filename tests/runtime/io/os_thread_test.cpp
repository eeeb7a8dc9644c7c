// Contract: an OS thread that is not a worker may make the same calls, with the same results; it
// blocks meanwhile. It may share descriptors with lightweight threads.
#include <array>
#include <stop_token>

#include <sys/wait.h>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/file.hpp>
#include <kumiko/runtime/io/pipe.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

TEST(OsThreadIoTest, GivenStreamsWhenWrittenAndReadByOsThreadsThenEachByteArrives) {
  constexpr std::size_t kBytes = 1'000'003;
  for (const StreamKind kind : kStreamKinds) {
    for (const bool non_blocking : {false, true}) {
      SCOPED_TRACE(std::string(name_of(kind)) + (non_blocking ? ", non-blocking" : ""));
      Stream stream = make_stream(kind, non_blocking);
      std::thread writer([&] {
        std::vector<std::byte> bytes(kBytes);
        fill(bytes, 1);
        EXPECT_EQ(io::write_all(stream.writer.get(), bytes).bytes, kBytes);
        EXPECT_TRUE(stream.writer.close());
      });
      std::vector<std::byte> bytes(kBytes + 1);
      EXPECT_EQ(io::read_exactly(stream.reader.get(), bytes).bytes, kBytes);
      EXPECT_EQ(first_difference(std::span(bytes).first(kBytes), 1), kBytes);
      writer.join();
    }
  }
}

TEST(OsThreadIoTest, GivenCallsThatCannotGoOnWhenTheirLimitsAreReachedThenTheyEnd) {
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    char byte = 0;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(io::read(stream.reader.get(), bytes_in(byte), io::within(10ms)).error(),
              std::errc::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 10ms);
    std::stop_source stop;
    std::thread stopper([&] { stop.request_stop(); });
    EXPECT_EQ(io::read(stream.reader.get(), bytes_in(byte), io::unless(stop.get_token())).error(),
              std::errc::operation_canceled);
    stopper.join();
    fill_up(stream.writer.get());
    EXPECT_EQ(io::poll(stream.writer.get(), POLLOUT, io::within(1ms)).error(),
              std::errc::timed_out);
    EXPECT_EQ(io::poll(stream.writer.get(), POLLOUT, io::unless(stop.get_token())).error(),
              std::errc::operation_canceled);
  }
  std::stop_source stop;
  std::thread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(io::sleep(io::unless(stop.get_token())).error(), std::errc::operation_canceled);
  stopper.join();
  EXPECT_TRUE(io::sleep(io::within(1ms)));
}

TEST(OsThreadIoTest, GivenFilesConnectionsAndChildrenWhenUsedThenAsByLightweightThreads) {
  TemporaryFolder folder;
  io::File file = io::File::open(folder / "file", O_RDWR | O_CREAT).value();
  EXPECT_EQ(file.write_at(3, bytes_of("kumiko")).bytes, 6U);
  EXPECT_TRUE(file.sync());
  std::array<std::byte, 100> bytes{};
  EXPECT_EQ(file.read_at(0, bytes).bytes, 9U);
  EXPECT_TRUE(io::rename((folder / "file").c_str(), (folder / "new").c_str()));

  io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  io::Socket client = io::Socket::connect(listener.address().value()).value();
  io::Socket server = listener.accept().value();
  EXPECT_EQ(listener.accept(io::within(1ms)).error(), std::errc::timed_out);
  EXPECT_TRUE(client.write_all(bytes_of("x")));
  EXPECT_TRUE(client.finish_writing());
  EXPECT_EQ(server.read_exactly(bytes).bytes, 1U);
  EXPECT_EQ(io::resolve("127.0.0.1", "80").value().size(), 1U);

  if (kThreadSanitizer) return;
  const pid_t child = fork();
  if (child == 0) _exit(3);
  EXPECT_EQ(WEXITSTATUS(io::wait_for_process(child).value()), 3);
}

class SharedWithOsThreadTest : public IoTest {};
KUMIKO_WITH_ENGINES(SharedWithOsThreadTest);

TEST_P(SharedWithOsThreadTest, GivenOsAndLightweightReadersWhenBytesComeThenEachIsTakenOnce) {
  constexpr int kBytes = kSanitized ? 1'000 : 10'000;
  for (const StreamKind kind : kStreamKinds) {
    SCOPED_TRACE(name_of(kind));
    Stream stream = make_stream(kind);
    std::array<std::atomic<int>, 251> taken{};
    const auto take = [&] {
      std::uint8_t byte = 0;
      while (io::read(stream.reader.get(), bytes_in(byte)).value() == 1) ++taken[byte];
    };
    std::thread writer([&] {
      for (int i = 0; i < kBytes; ++i) {
        const auto byte = static_cast<std::uint8_t>(i % 251);
        ASSERT_TRUE(io::write(stream.writer.get(), std::as_bytes(std::span(&byte, 1))));
      }
      ASSERT_TRUE(stream.writer.close());
    });
    run_in_both_kinds(*runtime_, 8, 2, take);
    writer.join();
    for (int i = 0; i < 251; ++i) {
      ASSERT_EQ(taken[static_cast<std::size_t>(i)], kBytes / 251 + (i < kBytes % 251 ? 1 : 0));
    }
  }
}

TEST_P(SharedWithOsThreadTest, GivenAStopFromAnOsThreadWhenManyWaitThenAllEnd) {
  constexpr int kThreads = 50;
  const Stream stream = make_stream(StreamKind::kUnix);
  std::stop_source stop;
  std::atomic<int> waiting{0};
  std::atomic<int> cancelled{0};
  std::thread stopper([&] {
    while (waiting < kThreads) std::this_thread::yield();
    stop.request_stop();
  });
  run_in_both_kinds(*runtime_, kThreads, 3, [&] {
    char byte = 0;
    ++waiting;
    const auto read = io::read(stream.reader.get(), bytes_in(byte), io::unless(stop.get_token()));
    cancelled += read.error() == std::errc::operation_canceled ? 1 : 0;
  });
  stopper.join();
  EXPECT_EQ(cancelled, kThreads + 3);
}

}  // namespace
}  // namespace kumiko::runtime::test
