// Contract: a spawn and join that nobody steals executes no locked instruction and no fence; one
// where the kernel has no membarrier. The instructions are counted one by one, as the processor
// executes them, by the trap flag.
#include <csignal>
#include <cstdint>

#include <kumiko/runtime/invoke.hpp>
#include <kumiko/runtime/parallel_for.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

#include "machine/asymmetric_barrier.hpp"
#include "support.hpp"

#if defined(__x86_64__)

#include <ucontext.h>

namespace kumiko::runtime::test {
namespace {

struct Count {
  int instructions = 0;
  int locked = 0;
};

Count tally;
std::atomic<int> word{0};

/// Whether the instruction orders all memory accesses: LOCK prefix, XCHG with memory (which implies
/// it), or MFENCE.
bool is_locked(const std::uint8_t* code) {
  const auto is_prefix = [](std::uint8_t byte) {
    return byte == 0x66 || byte == 0x67 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
           byte == 0x26 || byte == 0x64 || byte == 0x65 || byte == 0xf2 || byte == 0xf3;
  };
  for (; *code == 0xf0 || is_prefix(*code); ++code) {
    if (*code == 0xf0) return true;
  }
  if ((*code & 0xf0) == 0x40) ++code;  // REX
  const bool exchange = code[0] == 0x86 || code[0] == 0x87;
  const bool with_memory = (code[1] & 0xc0) != 0xc0;
  const bool mfence = code[0] == 0x0f && code[1] == 0xae && code[2] == 0xf0;
  return (exchange && with_memory) || mfence;
}

void count_instruction(int, siginfo_t*, void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  ++tally.instructions;
  if (is_locked(reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]))) ++tally.locked;
}

// The red zone below the stack pointer is not ours to push to.
[[gnu::noinline]] void set_trap_flag() {
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\tpushfq\n\torl $0x100, (%%rsp)\n\tpopfq\n\tleaq 128(%%rsp), "
      "%%rsp" ::
          : "memory", "cc");
}
[[gnu::noinline]] void clear_trap_flag() {
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\tpushfq\n\tandl $~0x100, (%%rsp)\n\tpopfq\n\tleaq 128(%%rsp), "
      "%%rsp" ::
          : "memory", "cc");
}

class FenceBudget : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers count for themselves";
    struct sigaction action {};
    action.sa_sigaction = &count_instruction;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTRAP, &action, &previous_);
  }
  void TearDown() override {
    if (!kSanitized) sigaction(SIGTRAP, &previous_, nullptr);
  }

  /// What `work()` executes on a runtime of one worker, when everything has been used before.
  template <class Work>
  Count count_of(Work work) {
    Runtime runtime(Options{.workers = 1});
    runtime.run([&work] {
      for (int warm_up = 0; warm_up < 3; ++warm_up) work();
      tally = {};
      set_trap_flag();
      work();
      clear_trap_flag();
    });
    return tally;
  }

  static int fences_per_pop() {
    detail::AsymmetricBarrier barrier;
    return barrier.light_side_is_free() ? 0 : 1;
  }

 private:
  struct sigaction previous_ {};
};

TEST_F(FenceBudget, GivenInstructionsWhenCountedThenFencesAreSeen) {
  EXPECT_EQ(count_of([] { word.fetch_add(1, std::memory_order_relaxed); }).locked, 1);
  EXPECT_EQ(count_of([] {
              int value = 1;
              int place = 0;
              asm volatile("xchgl %0, %1" : "+r"(value), "+m"(place));
            }).locked,
            1);
  EXPECT_EQ(count_of([] { asm volatile("mfence" ::: "memory"); }).locked, 1);
  EXPECT_EQ(count_of([] { word.store(1, std::memory_order_release); }).locked, 0);
}

TEST_F(FenceBudget, GivenAGroupWhenAThreadIsSpawnedAndWaitedForThenThereIsNoFence) {
  const Count counted = count_of([] {
    TaskGroup group;
    group.run([] {});
    group.wait();
  });
  RecordProperty("instructions", counted.instructions);
  EXPECT_LE(counted.locked, fences_per_pop());
  EXPECT_GT(counted.instructions, 50);
}

TEST_F(FenceBudget, GivenAThreadWhenItIsSpawnedAndJoinedThenThereIsNoFence) {
  const Count counted = count_of([] { Thread([] {}).join(); });
  RecordProperty("instructions", counted.instructions);
  EXPECT_LE(counted.locked, fences_per_pop());
}

TEST_F(FenceBudget, GivenPotentialThreadsWhenNobodyAsksThenThereIsNoFence) {
  EXPECT_EQ(count_of([] { invoke([] {}, [] {}); }).locked, 0);
  EXPECT_EQ(count_of([] { parallel_for(0, 10, [](int) {}); }).locked, 0);
}

}  // namespace
}  // namespace kumiko::runtime::test

#endif
