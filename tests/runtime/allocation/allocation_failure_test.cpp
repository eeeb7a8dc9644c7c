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
#include <kumiko/runtime/search.hpp>
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
int fail_each_allocation(int workers, Scenario scenario, std::uint64_t chaos_seed = 0) {
  int failures = 0;
  scenario(*std::make_unique<Runtime>(
      Options{.workers = workers, .chaos_seed = chaos_seed}));  // what is made once for all
  for (long nth = 0;; ++nth) {
    const long blocks_before = living_blocks;
    bool reached = false;
    {
      Runtime runtime(Options{.workers = workers, .chaos_seed = chaos_seed});
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

struct Trail {
  std::vector<int> steps;
  long ways = 0;
};

void walk(Search<Trail>& search, int left) {
  if (left == 0) {
    ++search->ways;
    return;
  }
  const auto body = [left](Search<Trail>& at, int step) {
    at.reversible([step](Trail& trail) { trail.steps.push_back(step); },
                  [&at, left] { walk(at, left - 1); },
                  [](Trail& trail) { trail.steps.pop_back(); });
  };
  const auto give = [](const Trail& here, int, int) {
    Trail part{{}, 0};
    part.steps.reserve(8);
    part.steps = here.steps;
    return part;
  };
  search.split_for(0, 3, body, give, [](Trail& here, Trail&& part) { here.ways += part.ways; });
}

/// Steps have their memory before, so that to do does not fail.
Trail begin_of_trail() {
  Trail trail;
  trail.steps.reserve(8);
  return trail;
}

TEST_P(AllocationFailure, GivenASearchWhenAPartCannotBeMadeThenItIsKeptAndNothingIsMissing) {
  const auto search_all = [](Runtime& runtime) {
    runtime.run([] {
      Search<Trail> search(begin_of_trail());
      walk(search, 3);
      EXPECT_EQ(search->ways, 27);
      EXPECT_TRUE(search->steps.empty());
    });
  };
  fail_each_allocation(GetParam(), search_all, 4);
}

TEST(AllocationOfSearch, GivenNobodyWhoAsksWhenSearchedThenNothingIsAllocated) {
  Runtime runtime({.workers = 1});
  runtime.run([] {
    Trail trail = begin_of_trail();
    until_failure = 0;
    {
      Search<Trail> search(std::move(trail));
      walk(search, 5);
      EXPECT_EQ(search->ways, 243);
    }
    EXPECT_EQ(until_failure.exchange(-1), 0) << "something was allocated";
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
