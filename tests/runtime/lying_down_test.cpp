// Contract: of a worker that lies down and a producer of work at least one sees the other; of an
// owner and a thief by force exactly one takes an element. Both rest on a fence between a store and
// a load, which these tests let meet again and again on real processors. That the fences are enough
// on every machine is argued in tests/runtime/model.
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "core/deque.hpp"
#include "core/idle.hpp"
#include "machine/cpu_pause.hpp"
#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Lets two sides begin each round at nearly the same time. Ends after so many rounds, or half a
/// second: where both share a core a round takes as long as the other's time slice.
class Rounds {
 public:
  /// Calls prepare() and one() here, other() in an OS thread, one() and other() at once, then
  /// settle() here.
  template <class Prepare, class One, class Other, class Settle>
  void run(Prepare prepare, One one, Other other, Settle settle) {
    std::thread opposite([&] {
      std::minstd_rand random(2);
      for (int round = 1; reach(begun_, round); ++round) {
        hesitate(random);
        other(round);
        ended_ = round;
      }
    });
    std::minstd_rand random(1);
    const auto end = Clock::now() + 500ms;
    bool good = true;
    for (int round = 1; good && round <= kMost && Clock::now() < end; ++round) {
      prepare(round);
      begun_ = round;
      hesitate(random);
      one(round);
      reach(ended_, round);
      good = settle(round);
    }
    begun_ = kOver;
    opposite.join();
  }

 private:
  static constexpr int kMost = 100'000;
  static constexpr int kOver = -1;

  /// Returns whether there is such a round.
  static bool reach(const std::atomic<int>& counter, int round) {
    for (int tries = 1;; ++tries) {
      const int now = counter;
      if (now == kOver || now >= round) return now != kOver;
      if (tries % 1000 == 0) sched_yield();
    }
  }

  /// For up to the time that some stores take to another core.
  static void hesitate(std::minstd_rand& random) {
    for (auto pauses = random() % 8; pauses > 0; --pauses) detail::cpu_pause();
  }

  std::atomic<int> begun_{0};
  std::atomic<int> ended_{0};
};

/// Stores to lines that another core has written take long, and hold back in a processor's buffer
/// what is stored behind them, but not what is loaded.
class SlowStores {
 public:
  /// One side writes them so that they are slow for the other side's next time.
  void write(int value) {
    for (Line& line : lines_) line.value.store(value, std::memory_order_relaxed);
  }

 private:
  struct Line {
    alignas(64) std::atomic<int> value{0};
  };
  std::array<Line, 16> lines_;
};

TEST(LyingDown, GivenASleeperThatLooksOnceMoreWhenWorkAppearsMeanwhileThenItIsNotSleptOver) {
  detail::AsymmetricBarrier barrier;
  detail::Idle idle(1, barrier);
  detail::Parker sleeper;
  alignas(64) std::atomic<int> work{0};
  SlowStores slow_stores;
  bool slept_over = false;
  Rounds().run(
      [&](int round) {
        slow_stores.write(-round);
        idle.begin_search();
      },
      [&](int round) {
        const auto lying = idle.lie_down(
            sleeper, [] {}, [] { return false; },
            [&] { return work.load(std::memory_order_relaxed) == round; });
        if (lying == detail::Idle::Lying::kUp) return;
        slept_over = !sleeper.park_until(Clock::now() + 10s);
      },
      [&](int round) {
        slow_stores.write(round);
        work.store(round, std::memory_order_relaxed);
        idle.work_appeared();
      },
      [&](int) {
        if (!slept_over) idle.end_search();
        return !slept_over;
      });
  EXPECT_FALSE(slept_over) << "work appeared, and the only worker slept";
}

TEST(TakingByForce, GivenOneElementWhenItsOwnerAndAThiefReachForItThenOneOfThemHasIt) {
  detail::AsymmetricBarrier barrier;
  detail::Deque<int> deque(2, barrier);
  int element = 0;
  int taken = 0;
  std::atomic<int> stolen{0};
  SlowStores slow_stores;
  Rounds().run(
      [&](int) {
        stolen = 0;
        deque.push(&element);
      },
      [&](int round) {
        slow_stores.write(round);
        taken = deque.pop() != nullptr ? 1 : 0;
      },
      [&](int round) {
        stolen = deque.seize() != nullptr ? 1 : 0;
        slow_stores.write(-round);
      },
      [&](int) {
        while (deque.pop() != nullptr) ++taken;
        return taken + stolen == 1;
      });
  EXPECT_EQ(taken + stolen, 1);
}

}  // namespace
}  // namespace kumiko::runtime::test
