// Contract: what has readiness but no way to be asked for a part only (FIFOs, terminals) blocks its
// thread and not its worker, however much is written.
#include <array>
#include <filesystem>
#include <vector>

#include <pty.h>
#include <sys/stat.h>
#include <termios.h>

#include <kumiko/runtime/io/pipe.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

using DeviceTest = IoTest;
KUMIKO_WITH_ENGINES(DeviceTest);

constexpr std::size_t kMuch = 300'000;

/// Writes much by two threads and reads it by one.
void write_and_read(int writer, int reader) {
  TaskGroup group;
  for (int i = 0; i < 2; ++i) {
    group.run([writer] {
      const std::vector<std::byte> bytes(kMuch, std::byte{'x'});
      EXPECT_EQ(io::write_all(writer, bytes).bytes, kMuch);
    });
  }
  group.run([reader] {
    std::vector<std::byte> bytes(2 * kMuch);
    EXPECT_EQ(io::read_exactly(reader, bytes, io::within(kForEver)).bytes, bytes.size());
  });
  group.wait();
}

TEST_P(DeviceTest, GivenAFifoWhenMoreIsWrittenThanFitsThenWorkersGoOn) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("kumiko-fifo-" + std::to_string(::getpid())))
          .string();
  ::unlink(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  // Open for both, so that neither open waits for the other side.
  const io::FileDescriptor fifo(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  ::unlink(path.c_str());
  ASSERT_TRUE(fifo);
  run([&] { write_and_read(fifo.get(), fifo.get()); });
}

TEST_P(DeviceTest, GivenATerminalWhenMoreIsWrittenThanFitsThenWorkersGoOn) {
  int leader = -1;
  int follower = -1;
  ASSERT_EQ(::openpty(&leader, &follower, nullptr, nullptr, nullptr), 0);
  const io::FileDescriptor owner(leader);
  const io::FileDescriptor terminal(follower);
  termios raw{};
  ASSERT_EQ(::tcgetattr(follower, &raw), 0);
  ::cfmakeraw(&raw);
  ASSERT_EQ(::tcsetattr(follower, TCSANOW, &raw), 0);
  run([&] { write_and_read(terminal.get(), owner.get()); });
}

}  // namespace
}  // namespace kumiko::runtime::test
