// Contract: who has asked for it is told on stderr which fault ends the process, of which thread,
// on which worker, and how to attach a debugger; the status stays that of the fault, and handlers
// that were there are called.
#include <csignal>
#include <cstdlib>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

#include <kumiko/runtime/fault.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

class FaultDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers have their own words for this";
    unsetenv("KUMIKO_ON_FAULT");
  }
  void TearDown() override { unsetenv("KUMIKO_ON_FAULT"); }
};

[[gnu::noinline]] void write_to(std::uintptr_t address) {
  *reinterpret_cast<volatile int*>(address) = 1;
}

template <class Fault>
void run_with_reports(Fault fault) {
  report_faults("rank 7");
  Runtime(Options{.workers = 1}).run([&] { Thread("clumsy", fault).join(); });
}

TEST_F(FaultDeathTest, GivenABadAccessThenThreadWorkerAddressAndProcessAreNamed) {
  EXPECT_EXIT(run_with_reports([] { write_to(0x1230); }), testing::KilledBySignal(SIGSEGV),
              "kumiko: rank 7: SIGSEGV at address 0x1230 on worker 0\n"
              "  thread \"clumsy\" 0x[0-9a-f]+, created at tests/runtime/fault_test\\.cpp:[0-9]+\n"
              "(.|\n)*process [0-9]+ on host .*KUMIKO_ON_FAULT=gdb.*gdb -p [0-9]+\n");
}

TEST_F(FaultDeathTest, GivenOtherFaultsThenTheyAreNamedAndTheStatusIsTheirs) {
  EXPECT_EXIT(run_with_reports([] { std::abort(); }), testing::KilledBySignal(SIGABRT),
              "rank 7: SIGABRT on worker 0\n  thread \"clumsy\"");
  EXPECT_EXIT(run_with_reports([] { raise(SIGFPE); }), testing::KilledBySignal(SIGFPE),
              "rank 7: SIGFPE on worker 0\n  thread \"clumsy\"");
  EXPECT_EXIT(run_with_reports([] {
                kill(getpid(), SIGILL);
                for (;;) pause();
              }),
              testing::KilledBySignal(SIGILL), "rank 7: SIGILL on ");
  const auto beyond_the_file = [] {
    const int file = memfd_create("empty", 0);
    void* const page = mmap(nullptr, 4096, PROT_WRITE, MAP_SHARED, file, 0);
    write_to(reinterpret_cast<std::uintptr_t>(page));
  };
  EXPECT_EXIT(run_with_reports(beyond_the_file), testing::KilledBySignal(SIGBUS),
              "rank 7: SIGBUS at address 0x[0-9a-f]+ on worker 0\n");
}

TEST_F(FaultDeathTest, GivenAnExceptionThatNobodyCatchesThenItsThreadIsNamed) {
  const auto throw_it = [] {
    report_faults("");
    Runtime runtime(Options{.workers = 1});
    runtime.run([] { Thread("thrower", [] { throw std::domain_error("no way"); }).detach(); });
  };
  EXPECT_EXIT(throw_it(), testing::KilledBySignal(SIGABRT),
              "no way(.|\n)*kumiko: SIGABRT on worker 0\n  thread ");
}

[[gnu::noinline]] int overflow(int depth) {
  volatile char frame[256] = {};
  frame[depth % 256] = 1;
  return depth < 0 ? frame[0] : overflow(depth + 1) + frame[depth % 256];
}

TEST_F(FaultDeathTest, GivenAnOverflowThenItIsCalledSoOnce) {
  EXPECT_EXIT(run_with_reports([] { overflow(0); }), testing::KilledBySignal(SIGABRT),
              "^\nkumiko: rank 7: stack overflow (.|\n)*thread \"clumsy\"(.|\n)*"
              "  process [0-9]+ on host [^\n]*\n(qemu:[^\n]*\n)?$");
}

TEST_F(FaultDeathTest, GivenAnOsThreadThenTheFaultIsNamedAllTheSame) {
  const auto die = [] {
    report_faults("rank 7");
    std::thread([] { write_to(16); }).join();
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGSEGV),
              "rank 7: SIGSEGV at address 0x10 on an OS thread that is not a worker\n");
}

/// Says what and a digit.
class NumberedNote final : public FaultNote {
 public:
  NumberedNote(std::string_view what, int number) : what_(what), number_(number) { begin(); }
  std::size_t write(std::span<char> room) const noexcept override {
    const std::size_t size = what_.copy(room.data(), room.size());
    room[size] = static_cast<char>('0' + number_);
    return size + 1;
  }

 private:
  std::string_view what_;
  int number_;
};

TEST_F(FaultDeathTest, GivenNotesThenThoseOfTheThreadAreReportedInnermostFirstAndTheAdviceLast) {
  const auto die = [] {
    const NumberedNote other("of another OS thread ", 1);
    set_fault_advice("  an older advice\n");
    set_fault_advice("  go on from there\n");
    report_faults("");
    Runtime(Options{.workers = 2}).run([] {
      // Its child runs at once, on the same OS thread.
      Thread("clumsy", [] {
        const NumberedNote outer("patch ", 2);
        { const NumberedNote ended("patch ", 3); }
        const NumberedNote inner("point ", 4);
        write_to(16);
      }).join();
    });
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGSEGV),
              "kumiko: SIGSEGV at address 0x10 on worker [01]\n  thread \"clumsy\"[^\n]*\n"
              "  in point 4\n  in patch 2\n[^ ](.|\n)*\n  go on from there\n  process [0-9]+ on");
}

TEST_F(FaultDeathTest, GivenANoteThatEndsBeforeAnInnerOneThenTheProcessEndsAndSaysWhy) {
  const auto end_in_disorder = [] {
    std::optional<NumberedNote> outer(std::in_place, "patch ", 2);
    const NumberedNote inner("point ", 4);
    outer.reset();
  };
  EXPECT_DEATH(end_in_disorder(), "a FaultNote ends that is not the innermost of its OS thread");
}

TEST(FaultNote, GivenThreadsThatMoveBetweenNotesThenEachNoteIsOfTheOsThreadThatItIsOn) {
  Runtime runtime(Options{.workers = 2});
  runtime.run([] {
    TaskGroup group;
    for (int thread = 0; thread < 8; ++thread) {
      group.run([] {
        for (int turn = 0; turn < 2000; ++turn) {
          {
            const NumberedNote outer("patch ", 2);
            const NumberedNote inner("point ", 4);
            ASSERT_EQ(FaultNote::innermost(), &inner);
          }
          ASSERT_EQ(FaultNote::innermost(), nullptr);
          this_thread::yield();
        }
      });
    }
    group.wait();
  });
}

TEST(FaultNote, GivenNotesThenTheirLinesCanBeRead) {
  EXPECT_EQ(fault_notes(), "");
  const NumberedNote outer("patch ", 2);
  {
    const NumberedNote inner("point ", 4);
    EXPECT_EQ(fault_notes(), "point 4\npatch 2\n");
  }
  EXPECT_EQ(fault_notes(), "patch 2\n");
  std::thread([] { EXPECT_EQ(fault_notes(), ""); }).join();
  set_fault_advice(std::string(5000, 'x'));
  EXPECT_EQ(fault_advice().size(), 2000U);
  set_fault_advice("");
  EXPECT_EQ(fault_advice(), "");
}

TEST_F(FaultDeathTest, GivenAHandlerThatWasThereThenItIsCalledAfterTheReport) {
  const auto die = [] {
    std::signal(SIGSEGV, [](int) { _exit(5); });
    run_with_reports([] { write_to(16); });
  };
  EXPECT_EXIT(die(), testing::ExitedWithCode(5), "rank 7: SIGSEGV at address 0x10");
}

TEST_F(FaultDeathTest, GivenTwoThreadsWithFaultsThenOneIsReported) {
  const auto die = [] {
    report_faults("rank 7");
    Runtime runtime(Options{.workers = 2});
    runtime.run([] {
      Thread one("one", [] { write_to(16); });
      Thread two("two", [] { write_to(16); });
    });
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGSEGV), "^\nkumiko: rank 7: SIGSEGV[^:]*thread.*");
}

TEST_F(FaultDeathTest, GivenGdbInTheEnvironmentThenTheThreadWaitsForIt) {
  const auto wait = [] {
    setenv("KUMIKO_ON_FAULT", "gdb", 1);
    alarm(1);  // which ends the wait
    run_with_reports([] { write_to(16); });
  };
  EXPECT_EXIT(wait(), testing::KilledBySignal(SIGALRM),
              "process [0-9]+ on host .*; it waits for: gdb -p [0-9]+\n");
}

TEST_F(FaultDeathTest, GivenSomethingElseInTheEnvironmentThenItIsRefused) {
  setenv("KUMIKO_ON_FAULT", "lldb", 1);
  try {
    report_faults("rank 7");
    ADD_FAILURE() << "it was not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "KUMIKO_ON_FAULT is 'lldb'; give gdb, or unset it");
  }
}

}  // namespace
}  // namespace kumiko::runtime::test
