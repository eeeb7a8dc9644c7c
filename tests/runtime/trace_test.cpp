// Contract: a trace is valid JSON in Chrome's form, names the threads, and tells for each worker
// what it did when, without overlaps; statistics count the same.
#include "trace/trace.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <kumiko/runtime/for_each_index.hpp>
#include <kumiko/runtime/thread.hpp>

#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

class TraceTest : public OnWorkers {};
KUMIKO_ON_WORKERS(TraceTest);

TEST_P(TraceTest, GivenNamedThreadsWhenTracedThenEachRunIsASliceWithItsName) {
  runtime_.start_trace();
  runtime_.run([] {
    Thread thread("does \"this\"", [] { this_thread::yield(); });
    thread.join();
  });
  std::ostringstream out;
  runtime_.stop_trace(out);
  // It begins, yields and goes on; in chaos it may give way once more.
  EXPECT_GE(count(out.str(), R"("name":"does \"this\"","ph":"X")"), 2U);
  EXPECT_GE(count(out.str(), R"("then":"suspended")"), 2U)
      << "the root's spawn, the thread's yield";
  EXPECT_GE(count(out.str(), "trace_test.cpp:"), 1U);
  EXPECT_EQ(count(out.str(), R"("lost_records":0)"), 1U);
}

TEST_P(TraceTest, GivenManyThreadsWhenTracedThenAnotherReaderFindsThemAll) {
  runtime_.start_trace();
  runtime_.run([] { for_each_index(100, [](std::size_t) { this_thread::set_name("body"); }); });
  const std::string path =
      testing::TempDir() + "kumiko_trace_" + std::to_string(GetParam()) + ".json";
  {
    std::ofstream file(path);
    runtime_.stop_trace(file);
  }
  // Python's JSON parser; slices of one worker must not overlap.
  const std::string check =
      "/usr/bin/python3 -c 'import json, sys, collections\n"
      "events = json.load(open(sys.argv[1]))[\"traceEvents\"]\n"
      "assert sum(e[\"name\"] == \"body\" for e in events) >= 100, \"named when they ran\"\n"
      "rows = collections.defaultdict(list)\n"
      "for e in events:\n"
      "  if e[\"ph\"] == \"X\": rows[e[\"tid\"]].append((e[\"ts\"], e[\"ts\"] + e[\"dur\"]))\n"
      "for row in rows.values():\n"
      "  row.sort()\n"
      "  assert all(b <= c + 0.002 for (a, b), (c, d) in zip(row, row[1:])), row\n"
      "ended = sum(e.get(\"args\", {}).get(\"then\") == \"ended\" for e in events)\n"
      "assert ended == 101, ended' " +
      path;
  EXPECT_EQ(std::system(check.c_str()), 0);
  std::remove(path.c_str());
}

TEST_P(TraceTest, GivenASmallRingWhenItOverflowsThenTheLatestIsKept) {
  runtime_.start_trace(8);
  runtime_.run([] {
    for_each_index(100, [](std::size_t) {});
    Thread("last", [] {}).join();
  });
  std::ostringstream out;
  runtime_.stop_trace(out);
  EXPECT_GE(count(out.str(), R"("name":"last")"), 1U);
  EXPECT_LE(count(out.str(), R"("ph":"X")"), 8U * static_cast<std::size_t>(GetParam()));
  EXPECT_EQ(count(out.str(), R"("lost_records":0)"), 0U);
}

TEST(Trace, GivenNamesThatAreNoUtf8WhenWrittenThenWhatIsWrongIsReplaced) {
  Runtime runtime(Options{.workers = 1});
  runtime.start_trace();
  runtime.run([] {
    Thread("a\xff b\xc3", [] {}).join();
    Thread("\xe4\xb8\xad\xc3\xa4 \xed!", [] {}).join();
  });
  std::ostringstream out;
  runtime.stop_trace(out);
  EXPECT_GE(count(out.str(), R"("name":"a? b?")"), 1U);
  EXPECT_GE(count(out.str(), "\"name\":\"\xe4\xb8\xad\xc3\xa4 ?!\""), 1U);
}

TEST(Trace, GivenWorkersThatNeverSleepWhenAskedToTraceThenLogicError) {
  Runtime runtime(Options{.workers = 1, .idle = IdlePolicy::kYield});
  EXPECT_THROW(runtime.start_trace(), std::logic_error);
}

TEST(Trace, GivenNoRecordingWhenStoppedThenLogicErrorAndNothingWritten) {
  Runtime runtime(Options{.workers = 1});
  std::ostringstream out;
  EXPECT_THROW(runtime.stop_trace(out), std::logic_error);
  runtime.start_trace();
  std::ostringstream first;
  runtime.stop_trace(first);
  EXPECT_THROW(runtime.stop_trace(out), std::logic_error) << "it has been stopped already";
  EXPECT_EQ(out.str(), "");
}

TEST(StatisticsTest, GivenWorkAndSleepWhenAskedThenBothAreCounted) {
  Runtime runtime(Options{.workers = 2});
  runtime.run([] { Thread([] { this_thread::yield(); }).join(); });
  Statistics statistics = runtime.statistics();
  // On a busy machine workers may lie down late.
  for (int i = 0; i < 100 && statistics.total().parked < std::chrono::milliseconds(20); ++i) {
    runtime.run([] { this_thread::sleep_for(std::chrono::milliseconds(30)); });
    statistics = runtime.statistics();
  }
  EXPECT_EQ(statistics.total().spawned, 1U);
  EXPECT_GE(statistics.total().suspensions, 2U);
  EXPECT_GE(statistics.total().parked, std::chrono::milliseconds(20));
  EXPECT_GE(statistics.stacks, 2U);
}

TEST(StatisticsTest, GivenNestedSpawnsWhenAskedThenTheLongestDequeIsKnown) {
  Runtime runtime(Options{.workers = 1});
  runtime.run([] {
    // In chaos a parent may wait elsewhere.
    for (int i = 0; i < 100; ++i) {
      Thread([] { Thread([] {}).join(); }).join();
    }
  });
  EXPECT_GE(runtime.statistics().total().longest_deque, 1U);
  EXPECT_LE(runtime.statistics().total().longest_deque, 2U);
}

}  // namespace
}  // namespace kumiko::runtime::test
