// Contract: ten thousand connections that wait cost no worker's time; those that are active are
// served meanwhile, and when all become active at once each is served.
#include <array>
#include <csignal>

#include <sys/resource.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

constexpr int kConnections = 10'000;
constexpr int kActive = 20;
constexpr int kRoundsOfMany = 100;

/// The other ends, in a process of its own, for the limit on descriptors is each process's. Plain
/// system calls only, as after any fork(). Returns the exit code: 0, or which step went wrong.
int be_the_clients(const io::Address& where) {
  static std::array<int, kConnections> sockets;
  for (int& socket : sockets) {
    socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (socket < 0) return 1;
    if (::connect(socket, where.get(), where.size()) != 0) return 2;
  }
  const auto ping = [](int socket, char byte) {
    char answer = 0;
    return ::write(socket, &byte, 1) == 1 && ::read(socket, &answer, 1) == 1 && answer == byte;
  };
  for (int round = 0; round < kRoundsOfMany; ++round) {
    for (int i = 0; i < kActive; ++i) {
      const int socket = sockets[static_cast<std::size_t>(i) * (kConnections / kActive)];
      if (!ping(socket, static_cast<char>(round))) return 3;
    }
  }
  // All at once.
  for (const int socket : sockets) {
    if (::write(socket, "a", 1) != 1) return 4;
  }
  for (const int socket : sockets) {
    char answer = 0;
    if (::read(socket, &answer, 1) != 1 || answer != 'a') return 5;
  }
  return 0;
}

class ManyTest : public IoTest {};
KUMIKO_WITH_ENGINES(ManyTest);

TEST_P(ManyTest, GivenTenThousandIdleConnectionsWhenAFewAndThenAllAreActiveThenAllAreServed) {
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer's own threads do not survive a fork";
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < kConnections + 500) GTEST_SKIP() << "too few descriptors are allowed";
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  {
    TemporaryFolder folder;
    io::Listener listener =
        io::Listener::listen(io::Address::path(folder / "socket").value()).value();
    const io::Address where = listener.address().value();
    const pid_t child = checked(fork(), "fork");
    if (child == 0) _exit(be_the_clients(where));
    std::atomic<int> served{0};
    int status = -1;
    runtime_->run([&] {
      TaskGroup group;
      for (int i = 0; i < kConnections; ++i) {
        auto accepted = listener.accept(io::within(kForEver));
        ASSERT_TRUE(accepted) << accepted.error().message();
        group.run([&served, socket = std::move(*accepted)]() mutable {
          char byte = 0;
          while (socket.read(bytes_in(byte)).value_or(0U) == 1) {
            if (!socket.write_all(bytes_in(byte))) return;
          }
          ++served;
        });
      }
      status = io::wait_for_process(child).value();
      group.wait();
    });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(served, kConnections);
  }
  limit.rlim_cur = before;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
}

}  // namespace
}  // namespace kumiko::runtime::test
