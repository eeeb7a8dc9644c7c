// Contract: in a trace each turn of a thread that has a group carries the group's name, also when
// the group has ended meanwhile, and no other turn does. Without groups a trace is what it was.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <thread>
#include <vector>

#include <kumiko/runtime/group.hpp>
#include <kumiko/runtime/task_group.hpp>
#include <kumiko/runtime/this_thread.hpp>
#include <kumiko/runtime/thread.hpp>

#include "core/aggregation.hpp"
#include "support.hpp"

namespace kumiko::runtime::test {
namespace {

/// Names the thread that calls it, and gives it some turns.
void take_turns(const char* name) {
  this_thread::set_name(name);
  for (int turn = 0; turn < 5; ++turn) this_thread::yield();
}

std::string stopped(Runtime& runtime) {
  std::ostringstream out;
  runtime.stop_trace(out);
  return out.str();
}

/// The groups, as the trace writes them, of all turns of threads with this name; "none" where a
/// turn has none.
std::set<std::string> groups_of(const std::string& trace, const std::string& thread) {
  const std::regex group(R"re("group":"((?:[^"\\]|\\.)*)")re");
  std::set<std::string> found;
  std::istringstream lines(trace);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("{\"name\":\"" + thread + "\",\"ph\":\"X\"")) continue;
    std::smatch match;
    found.insert(std::regex_search(line, match, group) ? match.str(1) : "none");
  }
  return found;
}

using Names = std::set<std::string>;

class TraceOfGroups : public OnWorkers {};
KUMIKO_ON_WORKERS(TraceOfGroups);

TEST_P(TraceOfGroups, GivenTwoGroupsAndAThreadWithoutWhenTracedThenEachTurnHasItsGroupsName) {
  const Group rows(runtime_, {.name = "rows"});
  runtime_.start_trace();
  const Group columns(runtime_, {.name = "columns"});
  runtime_.run([&] {
    this_thread::set_name("the root");
    TaskGroup all;
    for (int i = 0; i < 3; ++i) {
      all.run(rows, [] { take_turns("of rows"); });
      all.run(columns, [] {
        take_turns("of columns");
        Thread([] { take_turns("their child"); }).join();
      });
      all.run([] { take_turns("of nobody"); });
    }
    all.wait();
  });
  const std::string trace = stopped(runtime_);
  EXPECT_EQ(groups_of(trace, "of rows"), Names{"rows"});
  EXPECT_EQ(groups_of(trace, "of columns"), Names{"columns"});
  EXPECT_EQ(groups_of(trace, "their child"), Names{"columns"}) << "which it inherits";
  EXPECT_EQ(groups_of(trace, "of nobody"), Names{"none"});
  EXPECT_EQ(groups_of(trace, "the root"), Names{"none"});
}

TEST_P(TraceOfGroups, GivenAGroupThatHasEndedWhenAnotherIsMadeThenBothKeepTheirNames) {
  runtime_.start_trace();
  runtime_.run([&] {
    // Each ends, with its thread, before the next is made.
    for (const char* const name : {"first", "second", "third"}) {
      const Group group(runtime_, {.name = name});
      Thread(group, [name] { take_turns(name); }).join();
    }
    // The handle ends before its thread.
    std::optional<Group> group(std::in_place, runtime_, GroupOptions{.name = "given up"});
    Thread thread(*group, [] { take_turns("goes on"); });
    group.reset();
    thread.join();
  });
  const std::string trace = stopped(runtime_);
  EXPECT_EQ(groups_of(trace, "first"), Names{"first"});
  EXPECT_EQ(groups_of(trace, "second"), Names{"second"});
  EXPECT_EQ(groups_of(trace, "third"), Names{"third"});
  EXPECT_EQ(groups_of(trace, "goes on"), Names{"given up"});
}

TEST_P(TraceOfGroups, GivenNoGroupsWhenTracedThenNoByteIsOfGroups) {
  runtime_.start_trace();
  runtime_.run([] {
    TaskGroup all;
    for (int i = 0; i < 10; ++i) all.run([] { take_turns("one of ten"); });
    all.wait();
  });
  const std::string trace = stopped(runtime_);
  const std::string row = R"re("pid":1,"tid":\d,"ts":\d+\.\d{3})re";
  const std::regex any_line(
      R"re(\{"displayTimeUnit":"ns","traceEvents":\[)re"
      R"re(|\{"name":"process_name","ph":"M","pid":1,"args":\{"name":"kumiko"\}\},)re"
      R"re(|\{"name":"thread_name","ph":"M","pid":1,"tid":(\d),"args":\{"name":"worker \1"\}\},?)re"
      R"re(|\{"name":"steal","ph":"i",)re" +
      row +
      R"re(,"s":"t","args":\{"from":\d\}\},?)re"
      R"re(|\{"name":"parked","ph":"X",)re" +
      row +
      R"re(,"dur":\d+\.\d{3}\},?)re"
      R"re(|\{"name":"[^"]+","ph":"X",)re" +
      row +
      R"re(,"dur":\d+\.\d{3},)re"
      R"re("args":\{"thread":"0x[0-9a-f]+","then":"(ended|suspended)"\}\},?)re"
      R"re(|\],|"otherData":\{"lost_records":0\}\})re");
  std::istringstream lines(trace);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(std::regex_match(line, any_line)) << line;
  }
  EXPECT_EQ(groups_of(trace, "one of ten"), Names{"none"});
}

TEST_P(TraceOfGroups, GivenGroupsThatComeAndGoOnAnOsThreadWhenTracedThenNamesAreRight) {
  std::atomic<bool> ended{false};
  std::thread maker([&] {
    // Not for ever, however late the traces end: each that is made meanwhile takes memory.
    for (int i = 0; i < 1000 && !ended; ++i) {
      const Group group(runtime_, {.name = "made outside " + std::to_string(i)});
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  for (int round = 0; round < 5; ++round) {
    runtime_.start_trace();
    const Group group(runtime_, {.name = "rows"});
    runtime_.run([&] { Thread(group, [] { take_turns("of rows"); }).join(); });
    EXPECT_EQ(groups_of(stopped(runtime_), "of rows"), Names{"rows"});
  }
  ended = true;
  maker.join();
}

TEST(TraceOfOneGroup, GivenANameThatJsonEscapesWhenWrittenThenItIsEscaped) {
  Runtime runtime({.workers = 1});
  const Group group(runtime, {.name = "\"a\"\n\xff of a name longer than a thread's"});
  runtime.start_trace();
  runtime.run([&] { Thread(group, [] { take_turns("of it"); }).join(); });
  EXPECT_EQ(groups_of(stopped(runtime), "of it"),
            Names{R"(\"a\"\u000a? of a name longer than a thread's)"});
}

TEST(TraceOfOneGroup, GivenGroupsWithoutNamesWhenTracedThenNumbersTellThemApart) {
  Runtime runtime({.workers = 1});
  const Group one(runtime);
  const Group other(runtime);
  runtime.start_trace();
  runtime.run([&] {
    Thread(one, [] { take_turns("of one"); }).join();
    Thread(other, [] { take_turns("of the other"); }).join();
  });
  const std::string trace = stopped(runtime);
  EXPECT_EQ(groups_of(trace, "of one"), Names{"#0"});
  EXPECT_EQ(groups_of(trace, "of the other"), Names{"#1"});
}

TEST(KeptNames, GivenARecordThatIsGivenBackWhenNamesAreKeptThenItIsNotUsedAgain) {
  detail::Aggregations records(2);
  detail::Aggregation& first = records.take("first");
  records.give(first);
  records.keep_names(true);
  detail::Aggregation& second = records.take("second");
  EXPECT_EQ(records.names(), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(second.number, 1);
  records.give(second);
  records.keep_names(false);
  records.take("third");
  records.take("fourth");
  std::vector<std::string> names = records.names();
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"fourth", "third"}));
}

TEST(TraceOfGroupsThatFails, GivenAStreamThatThrowsWhenStoppedThenNoTraceIsRecordedAnyMore) {
  Runtime runtime({.workers = 1});
  runtime.start_trace();
  runtime.run([] {});
  /// Takes nothing.
  struct Full : std::streambuf {
  } full;
  std::ostream out(&full);
  out.exceptions(std::ios::badbit | std::ios::failbit);
  EXPECT_THROW(runtime.stop_trace(out), std::ios::failure);
  EXPECT_THROW(stopped(runtime), std::logic_error) << "it has been stopped";
  runtime.start_trace();
  runtime.run([] {});
  EXPECT_NE(stopped(runtime), "");
}

}  // namespace
}  // namespace kumiko::runtime::test
