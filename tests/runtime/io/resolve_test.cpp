// Contract: resolve() gives what getaddrinfo() gives, and its errors; a limit ends the wait.
#include <cstdlib>
#include <stop_token>

#include <netdb.h>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

/// A name server that does not answer must not hold up those who wait for its threads to end: some
/// tests ask for a name that does not exist.
[[maybe_unused]] const int kImpatient = ::setenv("RES_OPTIONS", "timeout:1 attempts:1", 1);

class ResolveTest : public IoTest {};
KUMIKO_WITH_ENGINES(ResolveTest);

TEST_P(ResolveTest, GivenANumericHostWhenResolvedThenItIsTheAddress) {
  run([&] {
    for (const io::Limits& limits : {io::Limits{}, io::within(kForEver)}) {
      const auto addresses = io::resolve("127.0.0.1", "80", limits).value();
      ASSERT_EQ(addresses.size(), 1U);
      EXPECT_EQ(addresses[0].to_string(), "127.0.0.1:80");
    }
  });
}

TEST_P(ResolveTest, GivenAHostOfThisMachineWhenConnectedByNameThenAConnection) {
  io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  const std::string port = std::to_string(listener.address().value().port());
  run([&] {
    const auto socket = io::Socket::connect("127.0.0.1", port);
    ASSERT_TRUE(socket) << socket.error().message();
    EXPECT_TRUE(listener.accept());
  });
}

TEST_P(ResolveTest, GivenAPortWhereNobodyListensWhenConnectedByNameThenConnectionRefused) {
  io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  const std::string port = std::to_string(listener.address().value().port());
  ASSERT_TRUE(listener.close());
  run([&] {
    EXPECT_EQ(io::Socket::connect("127.0.0.1", port).error(), std::errc::connection_refused);
  });
}

TEST_P(ResolveTest, GivenNonsenseWhenResolvedThenAnErrorOfItsCategoryWithAMessage) {
  run([&] {
    const auto service = io::resolve("127.0.0.1", "no such service");
    EXPECT_EQ(service.error(), std::error_code(EAI_SERVICE, io::resolve_category()));
    EXPECT_FALSE(service.error().message().empty());
    const auto nothing = io::resolve("", "");
    EXPECT_EQ(nothing.error(), std::error_code(EAI_NONAME, io::resolve_category()));
    EXPECT_STREQ(io::resolve_category().name(), "resolve");
  });
}

TEST_P(ResolveTest, GivenLimitsThatAreReachedWhenResolvedThenTheWaitEnds) {
  // Whatever the system's look-up takes; where it is quick its answer may come first.
  run([&] {
    const auto late =
        io::resolve("host.invalid", "80", io::until(std::chrono::steady_clock::now()));
    ASSERT_FALSE(late);
    EXPECT_TRUE(late.error() == std::errc::timed_out ||
                late.error().category() == io::resolve_category())
        << late.error().message();
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = io::resolve("host.invalid", "80", io::unless(stop.get_token()));
    ASSERT_FALSE(stopped);
    EXPECT_TRUE(stopped.error() == std::errc::operation_canceled ||
                stopped.error().category() == io::resolve_category())
        << stopped.error().message();
  });
}

TEST_P(ResolveTest, GivenManyAtOnceWhenResolvedThenEachHasItsOwn) {
  runtime_->run([&] {
    TaskGroup group;
    for (int i = 1; i <= 50; ++i) {
      group.run([i] {
        const auto addresses =
            io::resolve("127.0.0." + std::to_string(i), "80", io::within(kForEver)).value();
        ASSERT_EQ(addresses.size(), 1U);
        EXPECT_EQ(addresses[0].to_string(), "127.0.0." + std::to_string(i) + ":80");
      });
    }
    group.wait();
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
