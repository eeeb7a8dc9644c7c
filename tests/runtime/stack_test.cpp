// Contract: a lightweight thread has a stack like any other: aligned, as large as asked for, kept
// across switches. (What an overflow does: report_test.cpp.)
#include <atomic>
#include <cstdint>
#include <cstring>

#include <alloca.h>

#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class StackTest : public OnWorkers {};
KUMIKO_ON_WORKERS(StackTest);

// Keeps the compiler from turning the recursion into a loop.
[[gnu::noinline]] int recurse(int depth, bool yield_at_the_bottom) {
  volatile int here = depth;
  if (depth == 0) {
    if (yield_at_the_bottom) this_thread::yield();
    return 0;
  }
  const int below = recurse(depth - 1, yield_at_the_bottom);
  return below + (here == depth ? 1 : 0);
}

TEST_P(StackTest, GivenOverAlignedLocalsWhenUsedOnANewStackThenTheyAreAligned) {
  runtime_.run([] {
    const auto check = [] {
      alignas(16) char sixteen[16];
      alignas(64) char line[64];
      std::memset(sixteen, 1, sizeof sixteen);
      std::memset(line, 1, sizeof line);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(sixteen) % 16, 0U);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(line) % 64, 0U);
      // Variadic calls with floating-point arguments use aligned SSE stores.
      char text[32];
      std::snprintf(text, sizeof text, "%.1f %.1f", 1.5, 2.5);
      EXPECT_STREQ(text, "1.5 2.5");
    };
    check();
    Thread(check).join();
    struct alignas(128) Aligned {
      decltype(check) inner;
      void operator()() const {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % 128, 0U);
        inner();
      }
    };
    Thread(Aligned{check}).join();
  });
}

TEST(DeepestStack, GivenAThreadThatUsesMuchWhenAskedThenThatMuchIsSeenButNotAll) {
  constexpr std::size_t kUsed = std::size_t{40} * 1024;
  Runtime runtime({.workers = 1});
  EXPECT_EQ(runtime.deepest_stack(), 0U);
  runtime.run([] {});
  const std::size_t small = runtime.deepest_stack();
  EXPECT_GT(small, 0U);
  EXPECT_LT(small, kUsed);
  runtime.run([] {
    Thread([] {
      // Not an array, which a sanitizer may put elsewhere, nor of a known size, of which a compiler
      // may leave out what is not used.
      const volatile std::size_t size = kUsed;
      auto* const frame = static_cast<volatile char*>(__builtin_alloca(size));
      frame[0] = 1;
    }).join();
  });
  EXPECT_GE(runtime.deepest_stack(), kUsed);
  EXPECT_LT(runtime.deepest_stack(), kUsed + small + std::size_t{16} * 1024);
}

TEST_P(StackTest, GivenDeepRecursionWhenThreadsSwitchAtTheBottomThenEveryFrameIsKept) {
  static constexpr int kDepth = 300;
  runtime_.run([] {
    TaskGroup group;
    for (int i = 0; i < 20; ++i) group.run([] { EXPECT_EQ(recurse(kDepth, true), kDepth); });
    group.wait();
  });
}

TEST_P(StackTest, GivenALargeStackWhenItIsUsedThenItIsThere) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20;
  Runtime runtime({.workers = GetParam(), .stack_size = 3 * kMegabyte});
  runtime.run([] {
    auto* const bytes = static_cast<unsigned char*>(alloca(2 * kMegabyte));
    std::memset(bytes, 7, 2 * kMegabyte);
    EXPECT_EQ(bytes[kMegabyte], 7);
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
