// Contract: wait_for_process() takes the status of a child that has ended or will end, and tells
// where there is none.
#include <csignal>

#include <sys/wait.h>

#include "io_support.hpp"

namespace kumiko::runtime::test {
namespace {

class ProcessTest : public IoTest {
 protected:
  void SetUp() override {
    if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer's own threads do not survive a fork";
    IoTest::SetUp();
  }

  /// A child that ends with `code` when the pipe is closed.
  static pid_t start_child(Stream& end, int code) {
    const pid_t child = checked(fork(), "fork");
    if (child != 0) return child;
    ::close(end.writer.get());
    char byte = 0;
    static_cast<void>(!::read(end.reader.get(), &byte, 1));
    _exit(code);
  }
};
KUMIKO_WITH_ENGINES(ProcessTest);

TEST_P(ProcessTest, GivenAChildWhenItEndsWhileOthersWaitThenItsStatusComes) {
  Stream end = make_stream(StreamKind::kPipe);
  const pid_t child = start_child(end, 7);
  int status = 0;
  Waiters waiters(*runtime_);
  waiters.start([&] { status = io::wait_for_process(child).value(); });
  run([&] { ASSERT_TRUE(end.writer.close()); });
  waiters.join();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_P(ProcessTest, GivenAChildThatHasEndedWhenWaitedForThenItsStatusComesAtOnce) {
  const pid_t child = fork();
  if (child == 0) _exit(9);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  run([&] {
    EXPECT_EQ(WEXITSTATUS(io::wait_for_process(child).value()), 9);
    EXPECT_EQ(io::wait_for_process(child).error(), std::errc::no_child_process);
  });
}

TEST_P(ProcessTest, GivenAChildWhenItIsKilledThenItsStatusSaysSo) {
  Stream end = make_stream(StreamKind::kPipe);
  const pid_t child = start_child(end, 0);
  run([&] {
    EXPECT_EQ(io::wait_for_process(child, io::within(1ms)).error(), std::errc::timed_out);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    const int status = io::wait_for_process(child, io::within(kForEver)).value();
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
  });
}

TEST_P(ProcessTest, GivenNoSuchChildWhenWaitedForThenAnError) {
  run([&] {
    EXPECT_EQ(io::wait_for_process(0).error(), std::errc::invalid_argument);
    EXPECT_EQ(io::wait_for_process(-1).error(), std::errc::invalid_argument);
    EXPECT_EQ(io::wait_for_process(getppid()).error(), std::errc::no_child_process);
    EXPECT_EQ(io::wait_for_process(0x3fffffff).error(), std::errc::no_child_process);
  });
}

TEST_P(ProcessTest, GivenManyChildrenWhenTheyEndInAnyOrderThenEachWaiterHasItsOwn) {
  constexpr int kChildren = 20;
  std::vector<pid_t> children;
  for (int i = 0; i < kChildren; ++i) {
    const pid_t child = checked(fork(), "fork");
    if (child == 0) {
      ::usleep(static_cast<useconds_t>((kChildren - i) * 300));
      _exit(i);
    }
    children.push_back(child);
  }
  runtime_->run([&] {
    TaskGroup group;
    for (int i = 0; i < kChildren; ++i) {
      group.run([&, i] {
        const int status = io::wait_for_process(children[static_cast<std::size_t>(i)]).value();
        EXPECT_EQ(WEXITSTATUS(status), i);
      });
    }
    group.wait();
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
