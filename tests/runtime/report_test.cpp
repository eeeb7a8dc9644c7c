// Contract: faults are named. A stack overflow says whose stack it was; threads that wait for each
// other are listed with what they wait for; a Runtime that ends with blocked threads names them and
// ends all the same.
#include "diagnosis/report.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include <kumiko/runtime/latch.hpp>
#include <kumiko/runtime/mutex.hpp>
#include <kumiko/runtime/thread.hpp>

#include "core/scheduler.hpp"
#include "record/stack_pool.hpp"
#include "support.hpp"
#include "tunables.hpp"
#include "watched_stderr.hpp"

namespace kumiko::runtime::test {
namespace {

using namespace std::chrono_literals;

class ReportDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers have their own words for this";
  }
};

[[gnu::noinline]] int overflow(int depth) {
  volatile char frame[256] = {};
  frame[depth % 256] = 1;
  return depth < 0 ? frame[0] : overflow(depth + 1) + frame[depth % 256];
}

TEST_F(ReportDeathTest, GivenAThreadThatOverflowsWhenItHitsTheGuardThenTheReportNamesIt) {
  const auto die = [] {
    Runtime(Options{.workers = 2}).run([] { Thread("too deep", [] { overflow(0); }).join(); });
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGABRT),
              "stack overflow.*\n.*thread \"too deep\".*report_test\\.cpp:[0-9]+(.|\n)*"
              "stack size [0-9]+ bytes, high-water mark");
}

TEST_F(ReportDeathTest, GivenAnotherFaultWhenItHappensThenItIsNotCalledAnOverflow) {
  const auto die = [] {
    Runtime(Options{.workers = 1}).run([] {
      volatile int* const nowhere = nullptr;
      *nowhere = 1;
    });
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(ReportDeathTest, GivenNoGuardPagesLeftWhenAThreadOverflowsThenItsCanaryTells) {
  const auto die = [] {
    detail::GuardBudget::process().take(detail::GuardBudget::process().total());
    Runtime(Options{.workers = 1}).run([] {
      Thread("sings no more", [] {
        // A frame that reaches down to the bottom.
        auto& self = static_cast<detail::Descriptor&>(*detail::running_thread());
        std::memset(self.stack_bottom(), 7, 100);
      }).join();
    });
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGABRT),
              "vm.max_map_count(.|\n)*canary was overwritten(.|\n)*sings no more");
}

TEST_F(ReportDeathTest, GivenThreadsThatWaitForEachOtherWhenNothingCanRunThenTheyAreListed) {
  const auto hang = [] {
    Runtime runtime(Options{.workers = 2, .deadlock_report_after = 50ms});
    Mutex first;
    Mutex second;
    Latch both(2);
    Latch reports(1);
    std::thread([&] {
      reports.wait();
      runtime.run([&] {
        Thread other("other", [&] {
          second.lock();
          both.arrive_and_wait();
          first.lock();
        });
        first.lock();
        both.arrive_and_wait();
        second.lock();
      });
    }).detach();
    std::string report;
    {
      const WatchedStderr watched;
      reports.count_down();
      watched.wait_for("waits for a Mutex", 2);
      report = watched.text();
    }
    std::fputs(report.c_str(), stderr);
    std::_Exit(0);
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(0),
              "no thread can run(.|\n)*thread \"other\"(.|\n)*waits for a Mutex(.|\n)*at:\n(.|\n)*"
              "waits for a Mutex");
}

TEST_F(ReportDeathTest, GivenABigFrameWhenItReachesOverTheStacksEndThenTheGuardStopsIt) {
  const auto die = [] {
    Runtime(Options{.workers = 1}).run([] {
      Thread("wide", [] {
        // volatile: a compiler may leave out what is not used of an array whose size it knows.
        const volatile std::size_t size = detail::tunables::kStackSize + std::size_t{30} * 1024;
        auto* const frame = static_cast<volatile char*>(__builtin_alloca(size));
        frame[0] = 1;
      }).join();
    });
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGABRT), "stack overflow(.|\n)*thread \"wide\"");
}

TEST_F(ReportDeathTest, GivenARuntimeWhenOneOfItsThreadsDestroysItThenTheReportSaysSo) {
  const auto die = [] {
    auto runtime = std::make_unique<Runtime>(Options{.workers = 1});
    runtime->run([&] { runtime.reset(); });
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGABRT), "destroyed by one of its own threads");
}

TEST_F(ReportDeathTest, GivenBlockedThreadsWhenTheRuntimeEndsThenTheyAreNamedAndItEnds) {
  const auto end = [] {
    static Latch never(1);
    {
      Runtime runtime(Options{.workers = 3});
      runtime.run([] { Thread("forgotten", [] { never.wait(); }).detach(); });
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0),
              "Runtime ends while threads still wait .1.(.|\n)*\"forgotten\"(.|\n)*a Latch");
}

TEST(Report, GivenAJoinWhenListedThenItNamesTheThreadByItsId) {
  Runtime runtime(Options{.workers = 1, .deadlock_report_after = 20ms});
  Latch gate(1);
  std::ostringstream id;
  const WatchedStderr watched;
  std::thread waker([&] {
    watched.wait_for("the end of a thread");
    gate.count_down();
  });
  runtime.run([&] {
    Thread thread("waits", [&] { gate.wait(); });
    id << thread.id();
    thread.join();
  });
  waker.join();
  const std::string report = watched.text();
  EXPECT_NE(report.find("thread \"waits\" " + id.str() + ","), std::string::npos) << report;
  EXPECT_NE(report.find("the end of a thread (" + id.str() + ")"), std::string::npos) << report;
}

TEST(Report, GivenThreadsThatWaitForAnOsThreadWhenTheReportHasBeenMadeThenTheyGoOn) {
  Runtime runtime(Options{.workers = 2, .deadlock_report_after = 20ms});
  Latch gate(1);
  int passed = 0;
  const WatchedStderr watched;
  std::thread waker([&] {
    watched.wait_for("waits for a Latch");
    gate.count_down();
  });
  runtime.run([&] {
    Thread thread([&] {
      gate.wait();
      ++passed;
    });
    thread.join();
  });
  waker.join();
  EXPECT_NE(watched.text().find("waits for a Latch"), std::string::npos);
  EXPECT_EQ(passed, 1);
}

TEST(Report, GivenSleepingThreadsWhenNothingElseRunsThenThatIsNoDeadlock) {
  Runtime runtime(Options{.workers = 2, .deadlock_report_after = 20ms});
  testing::internal::CaptureStderr();
  runtime.run([] { this_thread::sleep_for(200ms); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Report, GivenANamedThreadWhenDescribedThenNameAndPlaceAreThere) {
  Runtime runtime(Options{.workers = 1});
  runtime.run([] {
    Thread("a name", [] {
      const auto& self = static_cast<const detail::Descriptor&>(*detail::running_thread());
      const std::string text = detail::describe(self);
      EXPECT_NE(text.find("\"a name\""), std::string::npos);
      EXPECT_NE(text.find("report_test.cpp:"), std::string::npos);
    }).join();
  });
}

}  // namespace
}  // namespace kumiko::runtime::test
