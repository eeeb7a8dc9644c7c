// Contract: stacks are distinct, usable down to their bottom, guarded below, and used again, the
// last one given back first; workers exchange them in batches through the depot.
#include "record/stack_pool.hpp"

#include <cstring>
#include <set>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "core/scheduler.hpp"
#include "support.hpp"
#include "tunables.hpp"

namespace kumiko::runtime::test {
namespace {

using detail::Descriptor;
using detail::StackCache;
using detail::StackDepot;
using detail::StackSource;

constexpr std::size_t kSize = 64 * 1024;
constexpr std::size_t kBatch = 4;

class StackPool : public testing::Test {
 protected:
  detail::Scheduler scheduler_{Options{.workers = 1, .stack_size = kSize}};
  StackSource source_{scheduler_, kSize};
  StackDepot depot_{source_};
};

TEST_F(StackPool, GivenAStackWhenWrittenFromTopToBottomThenAllOfItIsThere) {
  StackCache cache(depot_, kBatch);
  Descriptor* const stack = cache.take();
  EXPECT_GE(stack->stack_size, kSize);
  std::memset(stack->stack_bottom(), 1, stack->stack_size);
  cache.give(stack);
}

TEST_F(StackPool, GivenAStackWhenWrittenBelowItsBottomThenASignalKillsTheProcess) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer reports the fault itself";
  StackCache cache(depot_, kBatch);
  Descriptor* const stack = cache.take();
  volatile auto* const below = reinterpret_cast<volatile char*>(stack->stack_bottom() - 1);
  EXPECT_EXIT(*below = 1, testing::KilledBySignal(SIGSEGV), "");
  cache.give(stack);
}

TEST_F(StackPool, GivenAStackGivenBackWhenTakingTheNextThenItIsTheSame) {
  StackCache cache(depot_, kBatch);
  Descriptor* const first = cache.take();
  Descriptor* const second = cache.take();
  EXPECT_NE(first, second);
  cache.give(second);
  cache.give(first);
  EXPECT_EQ(cache.take(), first);
  EXPECT_EQ(cache.take(), second);
}

TEST_F(StackPool, GivenMoreStacksThanASlabHoldsWhenTakenThenAllDiffer) {
  StackCache cache(depot_, kBatch);
  std::set<Descriptor*> stacks;
  for (std::size_t i = 0; i < 3 * detail::tunables::kSlabSize; ++i) stacks.insert(cache.take());
  EXPECT_EQ(stacks.size(), 3 * detail::tunables::kSlabSize);
  for (Descriptor* const stack : stacks) cache.give(stack);
}

TEST_F(StackPool, GivenOneCacheThatOnlyGivesWhenAnotherOnlyTakesThenTheDepotPassesThemOn) {
  StackCache taker(depot_, kBatch);
  StackCache giver(depot_, kBatch);
  std::set<Descriptor*> seen;
  for (std::size_t i = 0; i < 20 * detail::tunables::kSlabSize; ++i) {
    Descriptor* const stack = taker.take();
    seen.insert(stack);
    giver.give(stack);
  }
  EXPECT_LE(seen.size(), detail::tunables::kSlabSize);
}

TEST(StackPoolLimits, GivenStacksTooLargeForTheAddressSpaceWhenTakenThenSystemError) {
  for (const std::size_t size : {std::size_t{1} << 45, std::size_t{1} << 60}) {
    detail::Scheduler scheduler(Options{.workers = 1, .stack_size = kSize});
    StackSource source(scheduler, size);
    EXPECT_THROW(source.make(), std::system_error);
  }
}

}  // namespace
}  // namespace kumiko::runtime::test
