// Contract: what goes into a stream comes out of it, each byte once and in order, whatever the
// sizes of the calls and of the system's buffers. A read returns at least one byte, or 0 at the
// end; a write at least one byte; the forms for all of it go on until all is done.
#include <array>
#include <climits>
#include <cstring>
#include <numeric>

#include <sys/mman.h>
#include <sys/socket.h>

#include <kumiko/runtime/io/pipe.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class ReadWriteTest : public IoTest {
 protected:
  /// Calls test(stream) for each kind of stream in each mode.
  template <class Test>
  void with_each_stream(Test test) {
    for (const StreamKind kind : kStreamKinds) {
      for (const bool non_blocking : {false, true}) {
        SCOPED_TRACE(std::string(name_of(kind)) + (non_blocking ? ", non-blocking" : ""));
        Stream stream = make_stream(kind, non_blocking);
        test(stream);
      }
    }
  }
};
KUMIKO_WITH_ENGINES(ReadWriteTest);

TEST_P(ReadWriteTest, GivenDataThatIsThereWhenReadThenItComesAtOnce) {
  with_each_stream([&](Stream& stream) {
    run([&] {
      ASSERT_EQ(io::write(stream.writer.get(), bytes_of("kumiko")).value(), 6U);
      std::array<std::byte, 100> buffer{};
      ASSERT_EQ(io::read(stream.reader.get(), buffer).value(), 6U);
      EXPECT_EQ(std::memcmp(buffer.data(), "kumiko", 6), 0);
    });
  });
}

TEST_P(ReadWriteTest, GivenAReaderThatWaitsWhenDataComesThenItReturnsIt) {
  with_each_stream([&](Stream& stream) {
    std::size_t count = 0;
    std::array<std::byte, 100> buffer{};
    Waiters waiters(*runtime_);
    waiters.start([&] { count = io::read(stream.reader.get(), buffer).value(); });
    run([&] { ASSERT_TRUE(io::write(stream.writer.get(), bytes_of("kumiko"))); });
    waiters.join();
    ASSERT_EQ(count, 6U);
    EXPECT_EQ(std::memcmp(buffer.data(), "kumiko", 6), 0);
  });
}

TEST_P(ReadWriteTest, GivenAReaderThatWaitsWhenAnOsThreadWritesThenItReturnsTheData) {
  with_each_stream([&](Stream& stream) {
    std::size_t count = 0;
    Waiters waiters(*runtime_);
    waiters.start([&] {
      std::array<std::byte, 100> buffer{};
      count = io::read(stream.reader.get(), buffer).value();
    });
    ASSERT_EQ(::write(stream.writer.get(), "kumiko", 6), 6);
    waiters.join();
    EXPECT_EQ(count, 6U);
  });
}

TEST_P(ReadWriteTest, GivenEmptySpansWhenReadOrWrittenThenNothingHappens) {
  with_each_stream([&](Stream& stream) {
    run([&] {
      EXPECT_EQ(io::read(stream.reader.get(), {}).value(), 0U);
      EXPECT_EQ(io::write(stream.writer.get(), {}).value(), 0U);
      EXPECT_EQ(io::readv(stream.reader.get(), {}).value(), 0U);
      EXPECT_EQ(io::writev(stream.writer.get(), {}).value(), 0U);
      const io::Transfer read = io::read_exactly(stream.reader.get(), {});
      EXPECT_TRUE(read);
      EXPECT_EQ(read.bytes, 0U);
      EXPECT_TRUE(io::write_all(stream.writer.get(), {}));
    });
  });
}

TEST_P(ReadWriteTest, GivenBuffersOfGigabytesThenTheyAreTakenAsTheSystemTakesThem) {
  for (const std::size_t size : {std::size_t{1} << 31U, (std::size_t{1} << 32U) + 8}) {
    // Mapped, and never touched beyond what is transferred.
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    const std::span large(static_cast<std::byte*>(memory), size);
    with_each_stream([&](Stream& stream) {
      run([&] {
        ASSERT_TRUE(io::write_all(stream.writer.get(), bytes_of("some")));
        EXPECT_EQ(io::read(stream.reader.get(), large).value(), 4U);
        EXPECT_GT(io::write(stream.writer.get(), large).value(), 8U);
      });
    });
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    run([&] {
      EXPECT_EQ(io::send(ends[1], bytes_of("some")).value(), 4U);
      EXPECT_EQ(io::recv(ends[0], large).value(), 4U);
      EXPECT_GT(io::send(ends[0], large).value(), 8U);
      for (const int end : ends) ASSERT_TRUE(io::close(end));
    });
    ::munmap(memory, size);
  }
}

TEST_P(ReadWriteTest, GivenTheWriterClosesWhenReadThenTheRestComesAndThenTheEnd) {
  with_each_stream([&](Stream& stream) {
    run([&] {
      ASSERT_TRUE(io::write_all(stream.writer.get(), bytes_of("the rest")));
      ASSERT_TRUE(stream.writer.close());
      std::array<std::byte, 100> buffer{};
      const io::Transfer transfer = io::read_exactly(stream.reader.get(), buffer);
      EXPECT_FALSE(transfer);
      EXPECT_EQ(transfer.error, io::TransferError::kEndOfInput);
      EXPECT_EQ(transfer.error.message(), "the input ended before all was read");
      EXPECT_EQ(transfer.bytes, 8U);
      EXPECT_EQ(io::read(stream.reader.get(), buffer).value(), 0U);
      EXPECT_EQ(io::read(stream.reader.get(), buffer).value(), 0U);
    });
  });
}

TEST_P(ReadWriteTest, GivenAReaderThatWaitsWhenTheWriterClosesThenItReadsTheEnd) {
  with_each_stream([&](Stream& stream) {
    std::size_t count = 1;
    Waiters waiters(*runtime_);
    waiters.start([&] {
      std::array<std::byte, 100> buffer{};
      count = io::read(stream.reader.get(), buffer).value();
    });
    run([&] { ASSERT_TRUE(stream.writer.close()); });
    waiters.join();
    EXPECT_EQ(count, 0U);
  });
}

TEST_P(ReadWriteTest, GivenABufferWithLittleRoomWhenWrittenThenExactlyWhatWentInIsReported) {
  with_each_stream([&](Stream& stream) {
    const std::size_t before = fill_up(stream.writer.get(), 7);
    // Some room, but less than will be asked for.
    std::vector<std::byte> taken(before / 2);
    std::size_t written = 0;
    run([&] {
      ASSERT_EQ(io::read_exactly(stream.reader.get(), taken).bytes, taken.size());
      std::vector<std::byte> more(4 * before);
      fill(more, 7, before);
      written = io::write(stream.writer.get(), more).value();
      EXPECT_GT(written, 0U);
      EXPECT_LT(written, more.size());
      ASSERT_TRUE(stream.writer.close());
      std::vector<std::byte> rest(5 * before);
      const io::Transfer transfer = io::read_exactly(stream.reader.get(), rest);
      ASSERT_EQ(transfer.bytes, before - taken.size() + written);
      EXPECT_EQ(first_difference(std::span(rest).first(transfer.bytes), 7, taken.size()),
                transfer.bytes);
    });
  });
}

TEST_P(ReadWriteTest, GivenMoreThanTheBuffersHoldWhenWrittenAndReadThenEachByteArrivesInOrder) {
  constexpr std::size_t kBytes = 3'000'001;
  with_each_stream([&](Stream& stream) {
    std::vector<std::byte> sent(kBytes);
    fill(sent, 1);
    std::vector<std::byte> received(kBytes);
    io::Transfer out;
    io::Transfer in;
    run([&] { out = io::write_all(stream.writer.get(), sent); },
        [&] { in = io::read_exactly(stream.reader.get(), received); });
    EXPECT_TRUE(out);
    EXPECT_EQ(out.bytes, kBytes);
    EXPECT_TRUE(in);
    EXPECT_EQ(in.bytes, kBytes);
    EXPECT_EQ(first_difference(received, 1), kBytes);
  });
}

TEST_P(ReadWriteTest, GivenVectorsWhenGatheredAndScatteredThenTheyAreFilledInOrder) {
  with_each_stream([&](Stream& stream) {
    run([&] {
      std::string a = "one";
      std::string b;
      std::string c = "three";
      const std::array from{iovec{a.data(), a.size()}, iovec{b.data(), 0},
                            iovec{c.data(), c.size()}};
      ASSERT_EQ(io::writev(stream.writer.get(), from).value(), 8U);
      std::array<char, 4> first{};
      std::array<char, 10> second{};
      const std::array into{iovec{first.data(), first.size()}, iovec{nullptr, 0},
                            iovec{second.data(), second.size()}};
      ASSERT_EQ(io::readv(stream.reader.get(), into).value(), 8U);
      EXPECT_EQ(std::string_view(first.data(), 4), "onet");
      EXPECT_EQ(std::string_view(second.data(), 4), "hree");
    });
  });
}

TEST_P(ReadWriteTest, GivenVectorsThatMustWaitWhenTheOtherSideComesThenEachByteArrivesInOrder) {
  with_each_stream([&](Stream& stream) {
    const std::size_t before = fill_up(stream.writer.get(), 3);
    std::array<std::byte, 1000> a{};
    std::array<std::byte, 3000> b{};
    fill(a, 3, before);
    fill(b, 3, before + a.size());
    std::size_t written = 0;
    Waiters waiters(*runtime_);
    waiters.start([&] {
      const std::array from{iovec{a.data(), a.size()}, iovec{b.data(), b.size()}};
      written = io::writev(stream.writer.get(), from).value();
      ASSERT_TRUE(stream.writer.close());
    });
    std::vector<std::byte> received(before + 4000);
    std::size_t count = 0;
    run([&] {
      for (;;) {
        const std::span<std::byte> rest = std::span(received).subspan(count);
        const iovec into[] = {{rest.data(), std::min<std::size_t>(rest.size(), 10)},
                              {rest.data() + std::min<std::size_t>(rest.size(), 10),
                               rest.size() - std::min<std::size_t>(rest.size(), 10)}};
        const std::size_t moved = io::readv(stream.reader.get(), into).value();
        count += moved;
        if (moved == 0) break;
      }
    });
    waiters.join();
    EXPECT_GT(written, 0U);
    ASSERT_EQ(count, before + written);
    EXPECT_EQ(first_difference(std::span(received).first(count), 3), count);
  });
}

TEST_P(ReadWriteTest, GivenTooManyVectorsWhenTransferredThenInvalidArgument) {
  Stream stream = make_stream(StreamKind::kPipe);
  run([&] {
    char byte = 'x';
    const std::vector<iovec> vectors(IOV_MAX + 1, iovec{&byte, 1});
    EXPECT_EQ(io::writev(stream.writer.get(), vectors).error(), std::errc::invalid_argument);
    EXPECT_EQ(io::readv(stream.reader.get(), vectors).error(), std::errc::invalid_argument);
    const std::span<const iovec> most(vectors.data(), IOV_MAX);
    EXPECT_EQ(io::writev(stream.writer.get(), most).value(), std::size_t{IOV_MAX});
    EXPECT_EQ(io::readv(stream.reader.get(), most).value(), std::size_t{IOV_MAX});
  });
}

TEST_P(ReadWriteTest, GivenNoSuchDescriptorWhenUsedThenBadFileDescriptor) {
  run([&] {
    std::array<std::byte, 1> byte{};
    for (const int descriptor : {-1, 19'999, INT_MAX}) {
      EXPECT_EQ(io::read(descriptor, byte).error(), std::errc::bad_file_descriptor);
      EXPECT_EQ(io::write(descriptor, byte).error(), std::errc::bad_file_descriptor);
      EXPECT_EQ(io::pread(descriptor, byte, 0).error(), std::errc::bad_file_descriptor);
      EXPECT_EQ(io::fsync(descriptor).error(), std::errc::bad_file_descriptor);
      EXPECT_EQ(io::accept(descriptor).error(), std::errc::bad_file_descriptor);
      EXPECT_EQ(io::recv(descriptor, byte).error(), std::errc::bad_file_descriptor);
      EXPECT_EQ(io::poll(descriptor, POLLIN).error(), std::errc::bad_file_descriptor);
      EXPECT_EQ(io::close(descriptor).error(), std::errc::bad_file_descriptor);
    }
  });
}

TEST_P(ReadWriteTest, GivenTheWrongEndWhenUsedThenBadFileDescriptor) {
  Stream stream = make_stream(StreamKind::kPipe);
  run([&] {
    std::array<std::byte, 1> byte{};
    EXPECT_EQ(io::read(stream.writer.get(), byte, io::within(kForEver)).error(),
              std::errc::bad_file_descriptor);
    EXPECT_EQ(io::write(stream.reader.get(), byte, io::within(kForEver)).error(),
              std::errc::bad_file_descriptor);
  });
}

TEST_P(ReadWriteTest, GivenDevicesWhenUsedThenTheyAreReadAndWritten) {
  run([&] {
    const io::FileDescriptor null(io::open("/dev/null", O_RDWR).value());
    const io::FileDescriptor zero(io::open("/dev/zero", O_RDWR).value());
    std::array<std::byte, 100> buffer{};
    buffer.fill(std::byte{1});
    EXPECT_EQ(io::write(null.get(), buffer).value(), buffer.size());
    EXPECT_EQ(io::read(null.get(), buffer).value(), 0U);
    EXPECT_EQ(io::read_exactly(zero.get(), buffer).bytes, buffer.size());
    for (const std::byte byte : buffer) EXPECT_EQ(byte, std::byte{0});
  });
}

TEST_P(ReadWriteTest, GivenBothDirectionsOfASocketWhenUsedAtOnceThenNeitherWaitsForTheOther) {
  for (const StreamKind kind : {StreamKind::kUnix, StreamKind::kTcp}) {
    SCOPED_TRACE(name_of(kind));
    const Stream stream = make_stream(kind);
    constexpr std::size_t kBytes = 500'000;
    const auto send = [&](int end, std::uint64_t number) {
      std::vector<std::byte> bytes(kBytes);
      fill(bytes, number);
      EXPECT_EQ(io::write_all(end, bytes).bytes, kBytes);
    };
    const auto receive = [&](int end, std::uint64_t number) {
      std::vector<std::byte> bytes(kBytes);
      EXPECT_EQ(io::read_exactly(end, bytes).bytes, kBytes);
      EXPECT_EQ(first_difference(bytes, number), kBytes);
    };
    run([&] { send(stream.reader.get(), 1); }, [&] { send(stream.writer.get(), 2); },
        [&] { receive(stream.reader.get(), 2); }, [&] { receive(stream.writer.get(), 1); });
  }
}

TEST_P(ReadWriteTest, GivenAChainOfPipesWhenBytesGoThroughItThenTheLastGetsThemAll) {
  constexpr std::size_t kPipes = 50;
  constexpr std::size_t kBytes = 10'000;
  std::vector<io::Pipe> pipes;
  for (std::size_t i = 0; i < kPipes; ++i) pipes.push_back(io::Pipe::create().value());
  std::vector<std::byte> sent(kBytes);
  fill(sent, 1);
  std::vector<std::byte> received(kBytes + 1);
  std::size_t count = 0;
  runtime_->run([&] {
    TaskGroup group;
    for (std::size_t i = 0; i + 1 < kPipes; ++i) {
      group.run([&from = pipes[i], &to = pipes[i + 1]] {
        std::array<std::byte, 333> buffer{};
        while (const std::size_t moved = from.read(buffer).value()) {
          ASSERT_TRUE(to.write_all(std::span(buffer).first(moved)));
        }
        ASSERT_TRUE(to.writer.close());
      });
    }
    group.run([&] {
      ASSERT_TRUE(pipes.front().write_all(sent));
      ASSERT_TRUE(pipes.front().writer.close());
    });
    count = io::read_exactly(pipes.back().reader.get(), received).bytes;
    group.wait();
  });
  ASSERT_EQ(count, kBytes);
  EXPECT_EQ(first_difference(std::span(received).first(count), 1), kBytes);
}

TEST_P(ReadWriteTest, GivenTheModeOfADescriptorWhenUsedThenItStaysAsItWas) {
  with_each_stream([&](Stream& stream) {
    const int reader = ::fcntl(stream.reader.get(), F_GETFL);
    const int writer = ::fcntl(stream.writer.get(), F_GETFL);
    run([&] {
      std::array<std::byte, 1> byte{};
      ASSERT_TRUE(io::write(stream.writer.get(), byte));
      ASSERT_TRUE(io::read(stream.reader.get(), byte));
      ASSERT_FALSE(io::read(stream.reader.get(), byte, io::within(1ms)));
    });
    EXPECT_EQ(::fcntl(stream.reader.get(), F_GETFL), reader);
    EXPECT_EQ(::fcntl(stream.writer.get(), F_GETFL), writer);
  });
}

TEST_P(ReadWriteTest, GivenThousandsOfMessagesWhenPingedAndPongedThenEachIsAnswered) {
  with_each_stream([&](Stream& there) {
    const Stream back = make_stream(StreamKind::kPipe);
    constexpr int kMessages = kSanitized ? 200 : 2000;
    int answered = 0;
    run(
        [&] {
          int number = 0;
          while (io::read_exactly(there.reader.get(), bytes_in(number)).bytes == sizeof number) {
            ++number;
            ASSERT_TRUE(io::write_all(back.writer.get(), bytes_in(number)));
          }
        },
        [&] {
          for (int i = 0; i < kMessages; ++i) {
            int number = i;
            ASSERT_TRUE(io::write_all(there.writer.get(), bytes_in(number)));
            ASSERT_EQ(io::read_exactly(back.reader.get(), bytes_in(number)).bytes, sizeof number);
            ASSERT_EQ(number, i + 1);
            ++answered;
          }
          ASSERT_TRUE(there.writer.close());
        });
    EXPECT_EQ(answered, kMessages);
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
