// Contract: files are read and written at any offset by any number of threads, and errors are the
// system's. A read ends early only at the end of the file.
#include <array>
#include <cstring>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/io/file.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class FileTest : public IoTest {
 protected:
  io::File open(const char* name, int flags) {
    return io::File::open(folder_ / name, flags).value();
  }

  TemporaryFolder folder_;
};
KUMIKO_WITH_ENGINES(FileTest);

TEST_P(FileTest, GivenAFileWhenWrittenAtOffsetsThenItIsReadBack) {
  run([&] {
    io::File file = open("file", O_RDWR | O_CREAT);
    std::vector<std::byte> bytes(1'000'000);
    fill(bytes, 1);
    ASSERT_EQ(file.write_at(500'000, std::span(bytes).subspan(500'000)).bytes, 500'000U);
    ASSERT_EQ(file.write_at(0, std::span(bytes).first(500'000)).bytes, 500'000U);
    EXPECT_EQ(file.size().value(), 1'000'000);
    std::vector<std::byte> read(1'000'000);
    ASSERT_EQ(file.read_at(0, read).bytes, read.size());
    EXPECT_EQ(first_difference(read, 1), read.size());
    ASSERT_EQ(file.read_at(123'456, std::span(read).first(1000)).bytes, 1000U);
    EXPECT_EQ(first_difference(std::span(read).first(1000), 1, 123'456), 1000U);
  });
}

TEST_P(FileTest, GivenAShortFileWhenReadBeyondItsEndThenOnlyWhatIsThereComes) {
  run([&] {
    io::File file = open("file", O_RDWR | O_CREAT);
    ASSERT_TRUE(file.write_at(0, bytes_of("short")));
    std::array<std::byte, 100> bytes{};
    const io::Transfer transfer = file.read_at(2, bytes);
    EXPECT_EQ(transfer.error, io::TransferError::kEndOfInput);
    EXPECT_EQ(transfer.bytes, 3U);
    EXPECT_EQ(std::memcmp(bytes.data(), "ort", 3), 0);
    EXPECT_EQ(io::pread(file.descriptor(), bytes, 5).value(), 0U);
    EXPECT_EQ(io::pread(file.descriptor(), bytes, 1000).value(), 0U);
  });
}

TEST_P(FileTest, GivenThePositionOfAFileWhenReadAndWrittenThenItMovesAndByOffsetItDoesNot) {
  run([&] {
    io::File file = open("file", O_RDWR | O_CREAT);
    ASSERT_EQ(file.write_all(bytes_of("one two")).bytes, 7U);
    ASSERT_TRUE(file.write_at(0, bytes_of("ONE")));
    ASSERT_EQ(file.write_all(bytes_of(" three")).bytes, 6U);
    ASSERT_EQ(::lseek(file.descriptor(), 0, SEEK_SET), 0);
    std::array<char, 20> text{};
    ASSERT_EQ(file.read(bytes_in(text)).value(), 13U);
    EXPECT_STREQ(text.data(), "ONE two three");
    EXPECT_EQ(file.read(bytes_in(text)).value(), 0U);
  });
}

TEST_P(FileTest, GivenAFileForAppendingWhenManyWriteThenEachRecordIsWhole) {
  constexpr int kWriters = 50;
  runtime_->run([&] {
    io::File file = open("file", O_RDWR | O_CREAT | O_APPEND);
    for_each_index(kWriters, [&](std::size_t i) {
      std::array<std::byte, 512> record{};
      record.fill(static_cast<std::byte>(i));
      ASSERT_EQ(io::write(file.descriptor(), record).value(), record.size());
    });
    ASSERT_EQ(file.size().value(), kWriters * 512);
    std::array<int, kWriters> seen{};
    for (int i = 0; i < kWriters; ++i) {
      std::array<std::byte, 512> record{};
      ASSERT_EQ(file.read_at(i * 512, record).bytes, record.size());
      for (const std::byte byte : record) ASSERT_EQ(byte, record[0]);
      ++seen[static_cast<std::size_t>(record[0])];
    }
    for (const int count : seen) EXPECT_EQ(count, 1);
  });
}

TEST_P(FileTest, Given256ThreadsWhenTheyWriteOneFileThenEachPartIsWhole) {
  constexpr std::size_t kThreads = 256;
  constexpr std::size_t kPart = 10'000;
  runtime_->run([&] {
    io::File file = open("file", O_RDWR | O_CREAT);
    for_each_index(kThreads, [&](std::size_t i) {
      std::vector<std::byte> part(kPart);
      fill(part, 2, i * kPart);
      ASSERT_EQ(file.write_at(static_cast<off_t>(i * kPart), part).bytes, kPart);
      ASSERT_TRUE(i % 64 != 0 || file.sync_data());
    });
    ASSERT_TRUE(file.sync());
    std::vector<std::byte> all(kThreads * kPart);
    ASSERT_EQ(file.read_at(0, all).bytes, all.size());
    EXPECT_EQ(first_difference(all, 2), all.size());
  });
}

TEST_P(FileTest, GivenVectorsAndAFileWhenTransferredThenTheyAreFilledInOrder) {
  run([&] {
    io::File file = open("file", O_RDWR | O_CREAT);
    std::string a = "one";
    std::string b = "two";
    const std::array from{iovec{a.data(), 3}, iovec{nullptr, 0}, iovec{b.data(), 3}};
    ASSERT_EQ(io::writev(file.descriptor(), from).value(), 6U);
    ASSERT_EQ(::lseek(file.descriptor(), 0, SEEK_SET), 0);
    const std::array into{iovec{b.data(), 3}, iovec{a.data(), 3}};
    ASSERT_EQ(io::readv(file.descriptor(), into).value(), 6U);
    EXPECT_EQ(b, "one");
    EXPECT_EQ(a, "two");
  });
}

TEST_P(FileTest, GivenFilesThatCannotBeOpenedWhenOpenedThenTheSystemsErrors) {
  run([&] {
    EXPECT_EQ(io::File::open(folder_ / "none", O_RDONLY).error(),
              std::errc::no_such_file_or_directory);
    EXPECT_EQ(io::File::open(folder_ / "", O_WRONLY).error(), std::errc::is_a_directory);
    const io::File file = open("file", O_RDWR | O_CREAT);
    EXPECT_EQ(io::File::open(folder_ / "file", O_RDWR | O_CREAT | O_EXCL).error(),
              std::errc::file_exists);
    EXPECT_EQ(io::File::open(folder_ / "file/below", O_RDONLY).error(), std::errc::not_a_directory);
    EXPECT_EQ(io::File::open("", O_RDONLY).error(), std::errc::no_such_file_or_directory);
    EXPECT_NE(::fcntl(file.descriptor(), F_GETFD) & FD_CLOEXEC, 0);
  });
}

TEST_P(FileTest, GivenAFileOpenedForOneDirectionWhenUsedInTheOtherThenBadFileDescriptor) {
  run([&] {
    io::File file = open("file", O_RDONLY | O_CREAT);
    EXPECT_EQ(file.write_at(0, bytes_of("x")).error, std::errc::bad_file_descriptor);
    EXPECT_EQ(file.write_all(bytes_of("x")).error, std::errc::bad_file_descriptor);
    EXPECT_TRUE(file.sync());
  });
}

TEST_P(FileTest, GivenADirectoryOrAPipeWhenUsedAsAFileThenTheSystemsErrors) {
  const Stream stream = make_stream(StreamKind::kPipe);
  run([&] {
    const io::FileDescriptor folder(io::open((folder_ / "").c_str(), O_RDONLY).value());
    std::array<std::byte, 10> bytes{};
    EXPECT_EQ(io::read(folder.get(), bytes).error(), std::errc::is_a_directory);
    EXPECT_EQ(io::pread(folder.get(), bytes, 0).error(), std::errc::is_a_directory);
    EXPECT_TRUE(io::fsync(folder.get()));
    EXPECT_EQ(io::pread(stream.reader.get(), bytes, 0).error(), std::errc::invalid_seek);
    EXPECT_EQ(io::pwrite(stream.writer.get(), bytes, 0).error(), std::errc::invalid_seek);
    EXPECT_EQ(io::fsync(stream.reader.get()).error(), std::errc::invalid_argument);
  });
}

TEST_P(FileTest, GivenANegativeOffsetWhenTransferredThenInvalidArgument) {
  run([&] {
    io::File file = open("file", O_RDWR | O_CREAT);
    ASSERT_TRUE(file.write_all(bytes_of("kumiko")));
    std::array<std::byte, 3> bytes{};
    for (const off_t offset : {off_t{-1}, off_t{-4096}}) {
      EXPECT_EQ(io::pread(file.descriptor(), bytes, offset).error(), std::errc::invalid_argument);
      EXPECT_EQ(io::pwrite(file.descriptor(), bytes, offset).error(), std::errc::invalid_argument);
    }
    EXPECT_EQ(file.size().value(), 6);
  });
}

TEST_P(FileTest, GivenFilesWhenRenamedThenTheNewNameHoldsTheContent) {
  run([&] {
    const std::string from = folder_ / "from";
    const std::string to = folder_ / "to";
    ASSERT_TRUE(open("from", O_RDWR | O_CREAT).write_all(bytes_of("new")));
    ASSERT_TRUE(open("to", O_RDWR | O_CREAT).write_all(bytes_of("old one")));
    ASSERT_TRUE(io::rename(from.c_str(), to.c_str()));
    EXPECT_EQ(open("to", O_RDONLY).size().value(), 3);
    EXPECT_EQ(io::rename(from.c_str(), to.c_str()).error(), std::errc::no_such_file_or_directory);
    const std::string below = folder_ / "none/to";
    EXPECT_EQ(io::rename(to.c_str(), below.c_str()).error(), std::errc::no_such_file_or_directory);
  });
}

TEST_P(FileTest, GivenAFullDeviceWhenWrittenThenNoSpaceOnDevice) {
  run([&] {
    const io::FileDescriptor full(io::open("/dev/full", O_WRONLY).value());
    EXPECT_EQ(io::write(full.get(), bytes_of("x")).error(), std::errc::no_space_on_device);
  });
}

TEST_P(FileTest, GivenANonBlockingFileWhenUsedThenItIsReadAndWritten) {
  run([&] {
    io::File file = open("file", O_RDWR | O_CREAT | O_NONBLOCK);
    std::vector<std::byte> bytes(100'000);
    fill(bytes, 6);
    ASSERT_EQ(file.write_at(0, bytes).bytes, bytes.size());
    ASSERT_EQ(::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED), 0);
    std::vector<std::byte> read(bytes.size());
    ASSERT_EQ(file.read_at(0, read).bytes, read.size());
    EXPECT_EQ(first_difference(read, 6), read.size());
  });
}

TEST_P(FileTest, GivenOsThreadsThatCloseAndEndWhenFilesAreUsedThenNoOperationIsCancelled) {
  // What an OS thread hands to the system for others must not end with it.
  constexpr int kRounds = kSanitized ? 20 : 150;
  std::atomic<bool> ended{false};
  std::thread closers([&] {
    while (!ended) {
      std::thread([] { Stream stream = make_stream(StreamKind::kUnix); }).join();
    }
  });
  runtime_->run([&] {
    io::File file = open("file", O_RDWR | O_CREAT);
    for_each_index(8, [&](std::size_t i) {
      std::vector<std::byte> part(20'000, static_cast<std::byte>(i));
      for (int round = 0; round < kRounds; ++round) {
        const auto offset = static_cast<off_t>(i * part.size());
        const io::Transfer written = file.write_at(offset, part);
        ASSERT_TRUE(written) << written.error.message();
        const auto synced = round % 20 == 0 ? file.sync_data() : io::Result<void>();
        ASSERT_TRUE(synced) << synced.error().message();
        const io::Transfer read = file.read_at(offset, part);
        ASSERT_TRUE(read) << read.error.message();
      }
    });
  });
  ended = true;
  closers.join();
}

}  // namespace
}  // namespace kumiko::runtime::test
