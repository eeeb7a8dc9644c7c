// Contract: where the process may have no more descriptors, whoever asks for one is told so, at
// once and by name; nobody else notices, and nothing is lost: a connection that could not be
// accepted stays in its queue.
#include <array>
#include <memory>
#include <utility>

#include <sys/eventfd.h>
#include <sys/resource.h>

#include <kumiko/runtime/io/address.hpp>
#include <kumiko/runtime/io/file.hpp>
#include <kumiko/runtime/io/pipe.hpp>
#include <kumiko/runtime/io/socket.hpp>

#include "core/pollers.hpp"
#include "core/scheduler.hpp"
#include "core/worker.hpp"
#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

constexpr bool kUbsanErrs = kSanitized && !kThreadSanitizer;
constexpr const char* kUbsanNeedsAPipe =
    "UBSan looks at OS threads by means of a pipe, and errs where it has none";

/// While it lives there are no free descriptors.
class Exhaustion {
 public:
  Exhaustion() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest_free = checked(::dup(0), "dup");
    ::close(lowest_free);
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(lowest_free);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  Exhaustion(const Exhaustion&) = delete;
  Exhaustion& operator=(const Exhaustion&) = delete;
  ~Exhaustion() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

class ExhaustionTest : public IoTest {
 protected:
  ExhaustionTest() : IoTest(IdlePolicy::kAdaptive) {}

  void SetUp() override {
    if (kUbsanErrs) GTEST_SKIP() << kUbsanNeedsAPipe;
    IoTest::SetUp();
    if (IsSkipped()) return;
    // The engine has its own descriptors.
    run([] { EXPECT_TRUE(io::poll(1, POLLOUT | POLLIN | POLLHUP)); });
  }
};
KUMIKO_WITH_ENGINES(ExhaustionTest);

TEST_P(ExhaustionTest, GivenNoDescriptorsWhenOneIsAskedForThenTooManyFilesOpen) {
  TemporaryFolder folder;
  const std::string path = folder / "file";
  const io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  const io::Address where = listener.address().value();
  run([&] {
    const Exhaustion exhaustion;
    EXPECT_EQ(io::open(path.c_str(), O_RDWR | O_CREAT).error(), std::errc::too_many_files_open);
    EXPECT_EQ(io::File::open(path, O_RDWR | O_CREAT).error(), std::errc::too_many_files_open);
    EXPECT_EQ(io::Pipe::create().error(), std::errc::too_many_files_open);
    EXPECT_EQ(io::Socket::pair().error(), std::errc::too_many_files_open);
    EXPECT_EQ(io::Socket::connect(where).error(), std::errc::too_many_files_open);
    EXPECT_EQ(io::Listener::listen(io::Address::loopback()).error(),
              std::errc::too_many_files_open);
  });
}

TEST_P(ExhaustionTest, GivenNoDescriptorsWhenAConnectionComesThenItIsAcceptedLater) {
  io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  const io::Address where = listener.address().value();
  io::Socket client = io::Socket::connect(where).value();
  run([&] {
    {
      const Exhaustion exhaustion;
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(listener.accept(io::within(kForEver)).error(), std::errc::too_many_files_open);
      }
    }
    io::Socket server = listener.accept(io::within(kForEver)).value();
    ASSERT_TRUE(client.write_all(bytes_of("x")));
    char byte = 0;
    ASSERT_TRUE(server.read(bytes_in(byte)));
    EXPECT_EQ(byte, 'x');
  });
}

TEST_P(ExhaustionTest, GivenThreadsThatAcceptWhenDescriptorsRunOutThenTheyAreToldAndNothingIsLost) {
  if (kSanitized)
    GTEST_SKIP() << "the sanitizer needs descriptors for its own checks of OS threads";
  constexpr int kThreads = 5;
  io::Listener listener = io::Listener::listen(io::Address::loopback()).value();
  const io::Address where = listener.address().value();
  std::vector<io::FileDescriptor> clients;
  for (int i = 0; i < kThreads; ++i) {
    clients.emplace_back(checked(::socket(AF_INET, SOCK_STREAM, 0), "socket"));
  }
  std::array<std::error_code, kThreads> errors;
  {
    Waiters waiters(*runtime_);
    for (std::error_code& error : errors) {
      waiters.start([&] { error = listener.accept().error(); });
    }
    const Exhaustion exhaustion;
    for (const io::FileDescriptor& client : clients) {
      checked(::connect(client.get(), where.get(), where.size()), "connect");
    }
    waiters.join();
  }
  for (const std::error_code& error : errors) EXPECT_EQ(error, std::errc::too_many_files_open);
  run([&] {
    for (int i = 0; i < kThreads; ++i) EXPECT_TRUE(listener.accept(io::within(kForEver)));
    EXPECT_EQ(listener.accept(io::within(1ms)).error(), std::errc::timed_out);
  });
}

TEST_P(ExhaustionTest, GivenNoDescriptorsWhenOpenOnesAreUsedThenTheyWork) {
  TemporaryFolder folder;
  io::File file = io::File::open(folder / "file", O_RDWR | O_CREAT).value();
  Stream stream = make_stream(StreamKind::kUnix);
  run([&] {
    const Exhaustion exhaustion;
    char byte = 0;
    TaskGroup group;
    group.run([&] { EXPECT_TRUE(io::read(stream.reader.get(), bytes_in(byte))); });
    EXPECT_TRUE(io::write(stream.writer.get(), bytes_of("x")));
    group.wait();
    EXPECT_EQ(byte, 'x');
    EXPECT_EQ(file.write_at(0, bytes_of("kumiko")).bytes, 6U);
    EXPECT_EQ(io::read(stream.reader.get(), bytes_in(byte), io::within(1ms)).error(),
              std::errc::timed_out);
    EXPECT_TRUE(stream.writer.close());
    EXPECT_TRUE(file.sync());
  });
}

TEST_P(ExhaustionTest,
       GivenNoDescriptorsForTheEngineWhenFirstUsedThenTooManyFilesOpenAndLaterItWorks) {
  Runtime fresh(options());
  const Stream stream = make_stream(StreamKind::kPipe);
  fresh.run([&] {
    {
      const Exhaustion exhaustion;
      char byte = 0;
      EXPECT_EQ(io::read(stream.reader.get(), bytes_in(byte), io::within(kForEver)).error(),
                std::errc::too_many_files_open);
      EXPECT_EQ(io::write(stream.writer.get(), bytes_of("x"), io::within(kForEver)).error(),
                std::errc::too_many_files_open);
    }
    EXPECT_TRUE(io::write(stream.writer.get(), bytes_of("x")));
    char byte = 0;
    EXPECT_TRUE(io::read(stream.reader.get(), bytes_in(byte)));
    EXPECT_EQ(byte, 'x');
  });
}

TEST(ResolveAtTheLimitTest, GivenNoDescriptorsWhenTheFirstIoIsALookUpThenItsErrorIsReturned) {
  if (kUbsanErrs) GTEST_SKIP() << kUbsanNeedsAPipe;
  for (const IoEngine engine : {IoEngine::kEpoll, IoEngine::kAuto}) {
    Runtime runtime({.workers = 2, .idle = IdlePolicy::kAdaptive, .io_engine = engine});
    const Exhaustion exhaustion;
    runtime.run([] {
      EXPECT_EQ(io::resolve("127.0.0.1", "80", io::within(kForEver)).error(),
                std::errc::too_many_files_open);
      EXPECT_EQ(io::resolve("127.0.0.1", "80").error(), std::errc::too_many_files_open);
    });
  }
}

/// A poller that has nothing to do, of one worker; a class of its own for each Number.
template <int Number>
class QuietPoller final : public detail::Poller {
 public:
  int poll(std::size_t, std::size_t) noexcept override { return 0; }
  bool has_unsubmitted(std::size_t) const noexcept override { return false; }
  int pollable(std::size_t) const noexcept override { return descriptor_.get(); }
  std::size_t waits() const noexcept override { return 0; }

 private:
  io::FileDescriptor descriptor_{checked(::eventfd(0, EFD_CLOEXEC), "eventfd")};
};

template <int... Numbers>
void attach_pollers(std::integer_sequence<int, Numbers...>) {
  detail::Pollers& pollers = detail::current_worker()->scheduler().started_pollers();
  (pollers.find_or_add<QuietPoller<Numbers>>(std::make_unique<QuietPoller<Numbers>>), ...);
}

TEST(PollersAtTheLimitTest, GivenAsManyAsARuntimeTakesWhenOneMoreIsAddedThenWhoeverAddsItIsTold) {
  Runtime runtime({.workers = 1, .io_engine = IoEngine::kEpoll});
  const Stream stream = make_stream(StreamKind::kPipe);
  runtime.run([&] {
    constexpr int kMost = detail::Pollers::kMost;
    attach_pollers(std::make_integer_sequence<int, kMost>());
    EXPECT_THROW(attach_pollers(std::make_integer_sequence<int, kMost + 1>()), std::system_error);
    EXPECT_EQ(io::write(stream.writer.get(), bytes_of("x")).error(), std::errc::not_supported);
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
