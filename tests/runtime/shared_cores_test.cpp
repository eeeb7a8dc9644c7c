// Contract: cores count as shared from the first look that shows it until three in a row are calm;
// there is a look every 50 ms at most, by one thread, whom nobody waits for.
#include "machine/shared_cores.hpp"

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/this_thread.hpp>

#include "machine/cpu_groups.hpp"
#include "machine/cpu_pressure.hpp"
#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using detail::SharedCores;
using std::chrono::milliseconds;

class SharedCoresTest : public testing::Test {
 protected:
  /// What is known after a look that shows this.
  bool look(double level) {
    level_ = level;
    return cores_.ask(now_ += SharedCores::kInterval);
  }

  double level_ = 0;
  int looks_ = 0;
  SharedCores::Clock::time_point now_{};
  SharedCores cores_{[this](SharedCores::Clock::time_point) {
    ++looks_;
    return level_;
  }};
};

TEST_F(SharedCoresTest, GivenOneHighLookThenSharedUntilThreeLowOnesInARow) {
  EXPECT_FALSE(look(0));
  EXPECT_FALSE(look(0.9));
  EXPECT_TRUE(look(1));
  EXPECT_TRUE(look(0));
  EXPECT_TRUE(look(0.1));
  EXPECT_FALSE(look(0.2));
  EXPECT_TRUE(look(5)) << "and again";
}

TEST_F(SharedCoresTest, GivenLooksBetweenLowAndHighThenAllStaysAsItIs) {
  for (int times = 0; times < 10; ++times) EXPECT_FALSE(look(0.6));
  EXPECT_TRUE(look(2));
  for (int times = 0; times < 10; ++times) EXPECT_TRUE(look(0.6));
  EXPECT_TRUE(look(0));
  EXPECT_TRUE(look(0));
  EXPECT_TRUE(look(0.5)) << "not calm, so the count begins anew";
  EXPECT_TRUE(look(0));
  EXPECT_TRUE(look(0));
  EXPECT_FALSE(look(0));
}

TEST_F(SharedCoresTest, GivenManyQuestionsThenItLooksOnceAnInterval) {
  for (int time = 0; time < 1000; ++time) cores_.ask(now_ + milliseconds(time));
  EXPECT_EQ(looks_, 1000 / SharedCores::kInterval.count());
}

TEST_F(SharedCoresTest,
       GivenCoresThatBecomeSharedOrFreeThenItIsNoticedWithinTwoHundredMilliseconds) {
  look(0);
  level_ = 3;
  EXPECT_TRUE(cores_.ask(now_ + SharedCores::kInterval));
  level_ = 0;
  int milliseconds_to_see = 0;
  for (auto later = now_ + SharedCores::kInterval; cores_.ask(later); later += milliseconds(1)) {
    ++milliseconds_to_see;
  }
  EXPECT_LE(milliseconds_to_see, 200);
}

TEST(SharedCoresOfThreads, GivenSeveralThreadsWhenAskedAtOnceThenOneLooksAtATime) {
  int looks = 0;  // not atomic: ThreadSanitizer would tell of two at a time
  SharedCores cores([&looks](SharedCores::Clock::time_point) { return ++looks % 7 == 0 ? 2 : 0; });
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&cores] {
      SharedCores::Clock::time_point now{};
      for (int time = 0; time < 2000; ++time) cores.ask(now += SharedCores::kInterval);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(looks, 1);
  EXPECT_LE(looks, 2001);
}

/// Work that comes and goes on workers who wait by this policy, with and without chaos.
void come_and_go(const policy::Pressure& idle, std::uint64_t chaos_seed) {
  for (const int workers : {1, 2, 3, 8}) {
    Runtime runtime(Options{.workers = workers, .idle = idle, .chaos_seed = chaos_seed});
    std::atomic<int> calls{0};
    for (int turn = 0; turn < 20; ++turn) {
      runtime.run([&calls] {
        for_each_index(20, [&calls](std::size_t) {
          this_thread::yield();
          ++calls;
        });
      });
    }
    EXPECT_EQ(calls, 20 * 20);
  }
}

TEST(PressureOnWorkers, GivenCoresThatChangeHandsAllTheTimeWhenWorkComesAndGoesThenAllIsDone) {
  std::atomic<unsigned> asked{0};
  const policy::Pressure idle([&asked] { return (asked.fetch_add(1) / 3) % 2 == 0; });
  for (const std::uint64_t seed : {0, 1, 2, 3}) come_and_go(idle, seed);
  EXPECT_GT(asked, 0U);
}

/// How many of this process's descriptors are of files that show pressure.
int open_files() {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string name = std::filesystem::read_symlink(entry.path(), gone).string();
    files += name == "/proc/stat" || name.ends_with("/cpu.stat") || name.ends_with("pressure") ||
             name == "/proc/pressure/cpu";
  }
  return files;
}

TEST(PressureOnWorkers, GivenThisSystemWhenWorkComesAndGoesForAWhileThenItIsLookedAt) {
  const bool shows_any = detail::CpuPressure("/", detail::affine_cpus()).sees_system();
  // One, for where workers outnumber the cores nobody has to look.
  Runtime runtime({.workers = 1, .idle = policy::Pressure()});
  // The first look opens nothing, the second one comes after an interval.
  for (int turn = 0; turn < 10'000 && open_files() == 0; ++turn) {
    runtime.run([] { this_thread::sleep_for(milliseconds(1)); });
    if (!shows_any && turn == 200) break;
  }
  EXPECT_EQ(open_files() > 0, shows_any);
}

TEST(PressureOnWorkers, GivenThisSystemWhenWorkComesAndGoesUnderChaosThenAllIsDone) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) come_and_go(policy::Pressure(), seed);
}

}  // namespace
}  // namespace kumiko::runtime::test
