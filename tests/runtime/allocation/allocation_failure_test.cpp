// Contract: when memory runs out, a spawn throws std::system_error, whichever of its allocations it
// was; nothing leaks, threads that live go on, and the runtime can be used again. Every allocation
// of a scenario is failed in turn: operator new, and the mapping of stacks and of their guards.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/runtime.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/thread.hpp>

namespace {

/// Counts down to the allocation that fails; not armed below zero.
std::atomic<long> until_failure{-1};
std::atomic<long> living_blocks{0};

bool fails_now() { return until_failure.load() >= 0 && until_failure.fetch_sub(1) == 0; }

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (fails_now()) return nullptr;
  void* const block =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(size)
          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (block != nullptr) ++living_blocks;
  return block;
}

void release(void* block) noexcept {
  if (block == nullptr) return;
  --living_blocks;
  std::free(block);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = 1) {
  void* const block = allocate(size, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }

extern "C" void* mmap(void* address, std::size_t size, int protection, int flags, int file,
                      off_t offset) noexcept {
  if (fails_now()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  const long result = syscall(SYS_mmap, address, size, protection, flags, file, offset);
  return reinterpret_cast<void*>(result);
}

extern "C" int mprotect(void* address, std::size_t size, int protection) noexcept {
  if (fails_now()) {
    errno = ENOMEM;
    return -1;
  }
  return static_cast<int>(syscall(SYS_mprotect, address, size, protection));
}

namespace kumiko::runtime::test {
namespace {

/// Spawns more threads at once than a slab of stacks or of join states holds, and deeper than a
/// deque is long at first. Returns how many ran.
int spawn_many(Runtime& runtime) {
  std::atomic<int> ran{0};
  runtime.run([&ran] {
    Latch gate(1);
    TaskGroup group;
    std::vector<Thread> threads;
    threads.reserve(100);
    const auto join_all = [&] {
      gate.count_down();
      for (Thread& thread : threads) thread.join();
      group.wait();
    };
    const auto body = [&] {
      ++ran;
      gate.wait();
    };
    try {
      for (int i = 0; i < 100; ++i) {
        threads.emplace_back(body);
        group.run(body);
      }
    } catch (...) {
      join_all();
      throw;
    }
    join_all();
  });
  return ran;
}

void nest(int depth) {
  if (depth == 0) return;
  TaskGroup group;
  group.run([depth] { nest(depth - 1); });
  group.wait();
}

/// Fails each allocation of scenario(runtime) in turn, on a new runtime each time. Returns how many
/// failures were seen.
template <class Scenario>
int fail_each_allocation(int workers, Scenario scenario) {
  int failures = 0;
  scenario(*std::make_unique<Runtime>(Options{.workers = workers}));  // what is made once for all
  for (long nth = 0;; ++nth) {
    const long blocks_before = living_blocks;
    bool reached = false;
    {
      Runtime runtime(Options{.workers = workers});
      until_failure = nth;
      try {
        scenario(runtime);
      } catch (const std::system_error& error) {
        ++failures;
        EXPECT_EQ(error.code().value(), ENOMEM);
      } catch (const std::bad_alloc&) {
        // The scenario's own, or of the message of the other.
        ++failures;
      }
      reached = until_failure.exchange(-1) < 0;
      scenario(runtime);
    }
    EXPECT_EQ(living_blocks, blocks_before) << "leaked when allocation " << nth << " failed";
    if (!reached) return failures;
  }
}

class AllocationFailure : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, AllocationFailure, testing::Values(1, 2));

TEST_P(AllocationFailure, GivenManyThreadsWhenEachAllocationFailsThenSpawnThrowsAndNothingLeaks) {
  const int failures = fail_each_allocation(
      GetParam(), [](Runtime& runtime) { EXPECT_LE(spawn_many(runtime), 200); });
  EXPECT_GE(failures, 3) << "a slab of stacks, one of join states, their lists";
}

TEST_P(AllocationFailure, GivenADeepDequeWhenItCannotGrowThenThreadsGoOnFromTheQueue) {
  fail_each_allocation(GetParam(), [](Runtime& runtime) { runtime.run([] { nest(300); }); });
}

}  // namespace
}  // namespace kumiko::runtime::test
