// Contract: each connection that is made is accepted once; connect() and accept() tell what the
// system tells, and addresses are what they say.
#include <array>

#include <netinet/tcp.h>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class AcceptConnectTest : public IoTest {};
KUMIKO_WITH_ENGINES(AcceptConnectTest);

/// Listeners of every family that there is here.
std::vector<io::Address> places(const TemporaryFolder& folder) {
  std::vector<io::Address> addresses{io::Address::loopback(),
                                     io::Address::path(folder / "socket").value()};
  const io::Address v6 = io::Address::parse("::1", 0).value();
  if (io::Listener::listen(v6)) addresses.push_back(v6);
  return addresses;
}

TEST_P(AcceptConnectTest, GivenAListenerWhenManyConnectAtOnceThenEachIsAcceptedAndAnswered) {
  constexpr int kClients = 100;
  TemporaryFolder folder;
  for (const io::Address& place : places(folder)) {
    SCOPED_TRACE(place.to_string());
    io::Listener listener = io::Listener::listen(place).value();
    const io::Address where = listener.address().value();
    std::atomic<int> answered{0};
    runtime_->run([&] {
      TaskGroup group;
      for (int i = 0; i < 4; ++i) {
        group.run([&] {
          for (int k = 0; k < kClients / 4; ++k) {
            io::Socket socket = listener.accept().value();
            int number = 0;
            ASSERT_EQ(socket.read_exactly(bytes_in(number)).bytes, sizeof number);
            ++number;
            ASSERT_TRUE(socket.write_all(bytes_in(number)));
          }
        });
      }
      for (int i = 0; i < kClients; ++i) {
        group.run([&, i] {
          io::Socket socket = io::Socket::connect(where).value();
          int number = i;
          ASSERT_TRUE(socket.write_all(bytes_in(number)));
          ASSERT_EQ(socket.read_exactly(bytes_in(number)).bytes, sizeof number);
          ASSERT_EQ(number, i + 1);
          ++answered;
        });
      }
      group.wait();
    });
    EXPECT_EQ(answered, kClients);
  }
}

TEST_P(AcceptConnectTest, GivenNobodyListensWhenConnectedThenConnectionRefused) {
  run([&] {
    io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
    const io::Address where = listener.address().value();
    ASSERT_TRUE(listener.close());
    EXPECT_EQ(io::Socket::connect(where).error(), std::errc::connection_refused);
    TemporaryFolder folder;
    EXPECT_EQ(io::Socket::connect(io::Address::path(folder / "none").value()).error(),
              std::errc::no_such_file_or_directory);
  });
}

TEST_P(AcceptConnectTest, GivenAPlaceThatIsTakenWhenListenedThenAddressInUse) {
  TemporaryFolder folder;
  for (const io::Address& place : places(folder)) {
    const io::Listener listener = io::Listener::listen(place).value();
    EXPECT_EQ(io::Listener::listen(listener.address().value()).error(), std::errc::address_in_use);
  }
}

TEST_P(AcceptConnectTest, GivenAConnectionWhenAskedForItsAddressesThenBothEndsAgree) {
  run([&] {
    io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
    const io::Address where = listener.address().value();
    EXPECT_NE(where.port(), 0);
    EXPECT_EQ(where.to_string(), "127.0.0.1:" + std::to_string(where.port()));
    const io::Socket client = io::Socket::connect(where).value();
    const io::Socket server = listener.accept().value();
    EXPECT_EQ(client.peer_address().value().port(), where.port());
    EXPECT_EQ(server.peer_address().value().port(), client.local_address().value().port());
    for (const int end : {client.descriptor(), server.descriptor()}) {
      int on = 0;
      socklen_t size = sizeof on;
      ASSERT_EQ(::getsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, &size), 0);
      EXPECT_NE(on, 0);
      EXPECT_NE(::fcntl(end, F_GETFD) & FD_CLOEXEC, 0);
      EXPECT_EQ(::fcntl(end, F_GETFL) & O_NONBLOCK, 0);
    }
  });
}

TEST_P(AcceptConnectTest, GivenAcceptsAddressWhenAcceptedThenItIsThePeers) {
  run([&] {
    const io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
    const io::Socket client = io::Socket::connect(listener.address().value()).value();
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    const io::FileDescriptor accepted(
        io::accept(listener.descriptor(), reinterpret_cast<sockaddr*>(&peer), &size).value());
    EXPECT_EQ(size, sizeof peer);
    EXPECT_EQ(ntohs(peer.sin_port), client.local_address().value().port());
  });
}

TEST_P(AcceptConnectTest, GivenWhatDoesNotListenWhenAcceptedThenTheSystemsErrors) {
  const Stream pipe = make_stream(StreamKind::kPipe);
  const Stream tcp = make_stream(StreamKind::kTcp);
  run([&] {
    EXPECT_EQ(io::accept(pipe.reader.get()).error(), std::errc::not_a_socket);
    EXPECT_EQ(io::accept(tcp.reader.get()).error(), std::errc::invalid_argument);
    const io::Address where = io::Address::loopback(1);
    EXPECT_EQ(io::connect(pipe.reader.get(), where.get(), where.size()).error(),
              std::errc::not_a_socket);
    EXPECT_EQ(io::connect(tcp.reader.get(), where.get(), where.size()).error(),
              std::errc::already_connected);
  });
}

TEST_P(AcceptConnectTest, GivenAFullQueueWhenTheListenerAcceptsThenThoseWhoConnectGoOn) {
  constexpr int kClients = 50;
  TemporaryFolder folder;
  for (const io::Address& place : places(folder)) {
    SCOPED_TRACE(place.to_string());
    io::Listener listener = io::Listener::listen(place, 1).value();
    const io::Address where = listener.address().value();
    std::atomic<int> connected{0};
    runtime_->run([&] {
      TaskGroup group;
      for (int i = 0; i < kClients; ++i) {
        group.run([&] {
          const auto socket = io::Socket::connect(where, io::within(kForEver));
          ASSERT_TRUE(socket) << socket.error().message();
          ++connected;
        });
      }
      // A SYN that was dropped comes again after a second: take what comes until all are through.
      while (connected < kClients) static_cast<void>(listener.accept(io::within(5ms)));
      group.wait();
    });
    EXPECT_EQ(connected, kClients);
  }
}

TEST_P(AcceptConnectTest,
       GivenAListenerInBlockingModeWhenAnotherTakesTheConnectionThenNobodyBlocks) {
  const io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  const io::Address where = listener.address().value();
  std::error_code error;
  Waiters waiters(*runtime_);
  waiters.start([&] { error = io::accept(listener.descriptor()).error(); });
  // As another process would.
  for (int i = 0; i < 20; ++i) {
    const io::FileDescriptor client(checked(::socket(AF_INET, SOCK_STREAM, 0), "socket"));
    checked(::connect(client.get(), where.get(), where.size()), "connect");
    const int taken = ::accept(listener.descriptor(), nullptr, nullptr);
    if (taken < 0) break;
    ::close(taken);
  }
  const io::FileDescriptor last(checked(::socket(AF_INET, SOCK_STREAM, 0), "socket"));
  checked(::connect(last.get(), where.get(), where.size()), "connect");
  waiters.join();
  EXPECT_FALSE(error) << error.message();
}

TEST(AddressTest, GivenTextsWhenParsedThenAddressesOrInvalidArgument) {
  EXPECT_EQ(io::Address::parse("127.0.0.1", 80).value().to_string(), "127.0.0.1:80");
  EXPECT_EQ(io::Address::parse("::1", 80).value().to_string(), "[::1]:80");
  for (const char* const text : {"", "localhost", "1.2.3", "1.2.3.4.5", "::g", "127.0.0.1:80"}) {
    EXPECT_EQ(io::Address::parse(text, 80).error(), std::errc::invalid_argument) << text;
  }
}

TEST(AddressTest, GivenPathsWhenTheyFitThenAddressesElseFilenameTooLong) {
  const std::string longest(107, 'x');
  EXPECT_EQ(io::Address::path(longest).value().to_string(), longest);
  EXPECT_EQ(io::Address::path(longest + "x").error(), std::errc::filename_too_long);
}

TEST(AddressTest, GivenNoAddressWhenAskedThenItIsEmpty) {
  const io::Address none;
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.port(), 0);
  EXPECT_EQ(none.to_string(), "");
}

}  // namespace
}  // namespace kumiko::runtime::test
