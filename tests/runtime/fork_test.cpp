// Contract: fork() in a process with a Runtime leaves the child able to exec and to exit.
#include <cerrno>
#include <memory>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class ForkTest : public OnWorkers {
 protected:
  void SetUp() override {
    if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer's own threads do not survive a fork";
  }
};
KUMIKO_ON_WORKERS(ForkTest);

int exit_code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_P(ForkTest, GivenALightweightThreadWhenItForksThenTheChildCanExecAndTheParentGoesOn) {
  int code = -1;
  runtime_.run([&code] {
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", "exit 7", nullptr);
      _exit(127);
    }
    code = exit_code_of(child);
    for_each_index(50, [](std::size_t) {});
  });
  EXPECT_EQ(code, 7);
}

TEST_P(ForkTest, GivenAnOsThreadWhenItForksThenTheChildCanDestroyTheRuntimeAndIsToldNotToRunIt) {
  if (!kForkedChildMayAllocate) GTEST_SKIP() << "the child allocates";
  auto runtime = std::make_unique<Runtime>(Options{.workers = GetParam()});
  runtime->run([] { for_each_index(50, [](std::size_t) {}); });
  const pid_t child = fork();
  if (child == 0) {
    int code = 1;
    try {
      runtime->run([] {});
    } catch (const std::logic_error&) {
      code = 9;
    }
    runtime.reset();
    _exit(code);
  }
  EXPECT_EQ(exit_code_of(child), 9);
}

TEST_P(ForkTest, GivenALightweightThreadWhenItForksThenTheChildCanExitPastTheRuntime) {
  if (!kForkedChildMayAllocate) GTEST_SKIP() << "the child allocates";
  auto runtime = std::make_unique<Runtime>(Options{.workers = GetParam()});
  int code = -1;
  runtime->run([&] {
    const pid_t child = fork();
    if (child == 0) {
      runtime.reset();  // as exit() does with one that is static
      _exit(9);
    }
    code = exit_code_of(child);
  });
  EXPECT_EQ(code, 9);
}

}  // namespace
}  // namespace kumiko::runtime::test
