// Contract: a switch keeps the callee-saved registers and the floating-point control words of the
// side that is left, hands the After over, and an ended context goes on where it said; a thread
// keeps its errno too. Unwinders stop at the first frame of a thread.
#include "stack/context.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fenv.h>
#include <gtest/gtest.h>
#include <unwind.h>

#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "stack/fiber.hpp"
#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using detail::Fiber;

/// Two fibers that switch to each other by hand, without a scheduler.
class PingPong {
 public:
  PingPong() {
    main_.notes = detail::sanitizer::os_thread_notes();
    detail::sanitizer::renew(other_.notes, stack_.data(), stack_.size());
  }
  ~PingPong() { detail::sanitizer::forget(other_.notes); }

  void start() {
    detail::start_fiber(main_, other_, stack_.data() + stack_.size(), &entry, this)();
  }
  void resume() { detail::switch_fiber(main_, other_, {})(); }

  int visits = 0;
  int hooks = 0;

 private:
  static void count_hook(void* self) { ++static_cast<PingPong*>(self)->hooks; }

  void visit() {
    ++visits;
    detail::switch_fiber(other_, main_, {&count_hook, this})();
    ++visits;
  }

  KUMIKO_SWITCHES_STACKS static void* entry(void* argument) {
    auto& self = *static_cast<PingPong*>(argument);
    detail::sanitizer::arrive(self.other_.notes);
    self.visit();
    detail::sanitizer::leave(nullptr, self.main_.notes);
    return self.main_.stack_pointer;
  }

  Fiber main_;
  Fiber other_;
  alignas(16) std::array<std::byte, 64 * 1024> stack_;
};

TEST(Context, GivenTwoFibersWhenTheySwitchThenEachGoesOnAndTheHooksRunOnTheOtherSide) {
  PingPong fibers;
  fibers.start();
  EXPECT_EQ(fibers.visits, 1);
  EXPECT_EQ(fibers.hooks, 1);
  fibers.resume();
  EXPECT_EQ(fibers.visits, 2);
  EXPECT_EQ(fibers.hooks, 1);
}

/// Many values that live across a switch, so that the compiler keeps some in registers. On an OS
/// thread, where yield changes nothing, it gives the value to compare with.
[[gnu::noinline]] std::uint64_t mix_across_switches(std::uint64_t seed) {
  std::uint64_t a = seed, b = seed + 1, c = seed + 2, d = seed + 3, e = seed + 4, f = seed + 5;
  for (int i = 0; i < 50; ++i) {
    a += b * 3;
    b ^= c + a;
    c += d * 5;
    d ^= e + c;
    e += f * 7;
    f ^= a + e;
    this_thread::yield();
  }
  return a ^ b ^ c ^ d ^ e ^ f;
}

/// Mixes floating-point registers, some of which aarch64 keeps across calls.
[[gnu::noinline]] double mix_reals_across_switches(double seed) {
  double a = seed, b = seed + 1, c = seed + 2, d = seed + 3, e = seed + 4, f = seed + 5;
  double g = seed + 6, h = seed + 7;
  for (int i = 0; i < 50; ++i) {
    a = 0.5 * (a + b);
    b = 0.5 * (b - c);
    c = 0.5 * (c + d);
    d = 0.5 * (d - e);
    e = 0.5 * (e + f);
    f = 0.5 * (f - g);
    g = 0.5 * (g + h) + 1;
    h = 0.5 * (h - a) - 1;
    this_thread::yield();
  }
  return a + b + c + d + e + f + g + h;
}

class ContextTest : public OnWorkers {};
KUMIKO_ON_WORKERS(ContextTest);

TEST_P(ContextTest, GivenValuesInRegistersWhenThreadsInterleaveThenEachComputesItsOwn) {
  constexpr std::uint64_t kThreads = 16;
  std::array<std::uint64_t, kThreads> results{};
  runtime_.run([&] {
    TaskGroup group;
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      group.run([&results, i] { results[i] = mix_across_switches(i + 1); });
    }
    group.wait();
  });
  for (std::uint64_t i = 0; i < kThreads; ++i) EXPECT_EQ(results[i], mix_across_switches(i + 1));
}

TEST_P(ContextTest, GivenRealsInRegistersWhenThreadsInterleaveThenEachComputesItsOwn) {
  constexpr int kThreads = 16;
  std::array<double, kThreads> results{};
  runtime_.run([&] {
    TaskGroup group;
    for (int i = 0; i < kThreads; ++i) {
      group.run([&results, i] { results[i] = mix_reals_across_switches(i + 1); });
    }
    group.wait();
  });
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(results[i], mix_reals_across_switches(i + 1));
}

TEST_P(ContextTest, GivenAThreadWithItsOwnRoundingWhenThreadsInterleaveThenEachKeepsItsOwn) {
  runtime_.run([] {
    TaskGroup group;
    for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      group.run([rounding] {
        fesetround(rounding);
        for (int turn = 0; turn < 10; ++turn) {
          this_thread::yield();
          EXPECT_EQ(fegetround(), rounding);
        }
      });
      EXPECT_EQ(fegetround(), FE_TONEAREST);
    }
    group.wait();
    EXPECT_EQ(fegetround(), FE_TONEAREST);
  });
}

TEST_P(ContextTest, GivenAThreadThatEndsWithItsOwnRoundingWhenTheParentGoesOnThenItHasItsOwn) {
  runtime_.run([] {
    Thread([] { fesetround(FE_UPWARD); }).join();
    EXPECT_EQ(fegetround(), FE_TONEAREST);
  });
}

// The C library declares errno's address constant, so a compiler may keep it across a switch within
// one function; as a function of its own it is always the running OS thread's.
[[gnu::noinline]] int read_errno() { return errno; }
[[gnu::noinline]] void write_errno(int value) { errno = value; }

TEST_P(ContextTest, GivenThreadsWithTheirOwnErrnoWhenTheyInterleaveThenEachKeepsItsOwn) {
  runtime_.run([] {
    write_errno(ERANGE);
    TaskGroup group;
    for (int value = 1; value <= 20; ++value) {
      group.run([value] {
        write_errno(value);
        for (int turn = 0; turn < 10; ++turn) {
          this_thread::yield();
          EXPECT_EQ(read_errno(), value);
        }
      });
      EXPECT_EQ(read_errno(), ERANGE);
    }
    group.wait();
    EXPECT_EQ(read_errno(), ERANGE);
  });
}

/// Where the running frames are, the innermost first.
[[gnu::noinline]] std::vector<std::uintptr_t> walk_stack() {
  std::vector<std::uintptr_t> frames;
  const auto visit = [](_Unwind_Context* context, void* list) {
    // The unknown caller of a first frame is reported too, as 0.
    const std::uintptr_t address = _Unwind_GetIP(context);
    if (address != 0) static_cast<std::vector<std::uintptr_t>*>(list)->push_back(address);
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(visit, &frames);
  return frames;
}

TEST_P(ContextTest, GivenAThreadWhenItsStackIsWalkedThenTheWalkEndsInItsFirstFrame) {
  runtime_.run([] {
    Thread([] {
      this_thread::yield();
      const std::vector<std::uintptr_t> frames = walk_stack();
      // The first frame's function lies right behind kumiko_context_start.
      const auto start = reinterpret_cast<std::uintptr_t>(&detail::kumiko_context_start);
      EXPECT_GT(frames.back(), start);
      EXPECT_LT(frames.back(), start + 512);
      EXPECT_GT(frames.size(), 3U);
    }).join();
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
