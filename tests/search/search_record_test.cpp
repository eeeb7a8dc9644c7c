// Contract of a search's record: it has each part that was given or taken, with its end. Sums also
// count the parts that are left out, and memory is bounded. Logs of processes with different clocks
// are put on one time scale. Bytes that are not a log are refused.
#include "record/search_record.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kumiko/cluster/packing.hpp>

#include "core/exchange_state.hpp"
#include "core/round_trips.hpp"
#include "record/exchange_log.hpp"

namespace kumiko::search::detail {
namespace {

using namespace std::chrono_literals;
using cluster::packed;
using nlohmann::json;
using testing::ElementsAre;
using Note = ExchangeEffects::Note;

ProcessLog log_of(const ExchangeLog& log, std::chrono::nanoseconds now,
                  const RoundTrips& round_trips = {}) {
  return log.log(now, round_trips);
}

Note given(std::uint32_t slot, Way to, std::uint64_t bytes = 10) {
  return {.what = Note::kGiven,
          .part = {slot, 0},
          .other = std::move(to),
          .divisions = 3,
          .bytes = bytes};
}
Note taken(std::uint64_t run, Way from) {
  return {.what = Note::kTaken, .part = {7, 1}, .other = std::move(from), .run = run, .bytes = 20};
}

TEST(ExchangeLog, GivenPartsThenEachHasItsBeginItsEndAndWhatBecameOfIt) {
  ExchangeLog log(0ns);
  log.note(given(0, {1}), 10ns);
  log.note(given(1, {1}), 11ns);
  log.note(given(2, {2, 3}), 12ns);
  log.note({.what = Note::kBack, .part = {0, 0}, .bytes = 5}, 20ns);
  log.note({.what = Note::kAgain, .part = {2, 0}}, 21ns);
  log.note({.what = Note::kBack, .part = {1, 9}, .bytes = 5}, 22ns);  // of another generation
  log.note(taken(1, {1}), 30ns);
  log.note(taken(2, {1}), 31ns);
  log.note({.what = Note::kTold, .run = 1, .bytes = 6}, 40ns);
  const ProcessLog all = log_of(log, 50ns);
  EXPECT_THAT(all.others, ElementsAre(Way{}, Way{1}, Way{2, 3}));
  std::vector<std::pair<LoggedPart::End, std::int64_t>> ends;
  for (const LoggedPart& part : all.parts) {
    EXPECT_LE(part.begin, part.end);
    ends.emplace_back(part.how, part.end);
  }
  using std::pair;
  EXPECT_THAT(ends, ElementsAre(pair(LoggedPart::kUsed, 20), pair(LoggedPart::kAgain, 21),
                                pair(LoggedPart::kTold, 40), pair(LoggedPart::kOpen, 50),
                                pair(LoggedPart::kOpen, 50)));
  const LoggedSum& first = all.sums[1];
  EXPECT_EQ(first.given, 2U);
  EXPECT_EQ(first.used, 1U);
  EXPECT_EQ(first.given_bytes, 20U);
  EXPECT_EQ(first.result_bytes, 5U);
  EXPECT_EQ(first.taken, 2U);
  EXPECT_EQ(first.told, 1U);
  EXPECT_EQ(first.taken_bytes, 40U);
  EXPECT_EQ(first.told_bytes, 6U);
  EXPECT_EQ(first.taken_time, (40 - 30) + (50 - 31));
  EXPECT_EQ(all.sums[2].again, 1U);
  EXPECT_EQ(all.active, 50 - 30);
}

TEST(ExchangeLog, GivenSearchesAndPartsThatOverlapThenTheirTimeCountsOnce) {
  ExchangeLog log(0ns);
  log.search_began(10ns);
  log.note(taken(1, {1}), 20ns);
  log.search_began(25ns);
  log.search_ended(30ns);
  log.search_ended(40ns);
  log.note({.what = Note::kDropped, .run = 1}, 60ns);
  const ProcessLog all = log_of(log, 100ns);
  EXPECT_EQ(all.active, 50);
  ASSERT_EQ(all.parts.size(), 2U);
  EXPECT_EQ(all.parts[0].kind, LoggedPart::kSearch);
  EXPECT_EQ(all.parts[0].begin, 10);
  EXPECT_EQ(all.parts[0].end, 40);
  EXPECT_EQ(all.parts[1].how, LoggedPart::kDropped);
}

TEST(ExchangeLog, GivenMorePartsThanAreKeptThenTheRestIsInTheSums) {
  constexpr std::size_t kMore = 5;
  ExchangeLog log(0ns);
  for (std::size_t i = 0; i < ExchangeLog::kMostParts + kMore; ++i) {
    log.note(given(0, {1}), 1ns);
    log.note({.what = Note::kBack, .part = {0, 0}}, 2ns);
  }
  const ProcessLog all = log_of(log, 3ns);
  EXPECT_EQ(all.parts.size(), ExchangeLog::kMostParts);
  EXPECT_EQ(all.left_out, kMore);
  EXPECT_EQ(all.sums[1].used, ExchangeLog::kMostParts + kMore);
}

TEST(ExchangeLog, GivenMoreProcessesThanAreKeptThenTheRestIsCounted) {
  ExchangeLog log(0ns);
  for (std::size_t i = 0; i < ExchangeLog::kMostOthers + 2; ++i) {
    const Way other{static_cast<std::uint16_t>(i)};
    log.note(taken(1, other), 1ns);
    log.note({.what = Note::kTold, .run = 1}, 2ns);
  }
  const ProcessLog all = log_of(log, 3ns);
  EXPECT_EQ(all.others.size(), ExchangeLog::kMostOthers);
  EXPECT_EQ(all.left_out, 3U);  // the first of the others is the process itself
  EXPECT_EQ(all.parts.size() + all.left_out, ExchangeLog::kMostOthers + 2);
}

TEST(ExchangeLog, GivenItsBytesThenTheyAreReadBackAndWhatIsNotALogIsRefused) {
  ExchangeLog log(1ns);
  log.note(given(0, {1, 2}), 10ns);
  RoundTrips round_trips;
  round_trips.answered({4}, 100ns, 200ns, 1000ns);
  ProcessLog written = log_of(log, 20ns, round_trips);
  written.host = "there";
  const Frame bytes = packed(written);
  const ProcessLog read = decode_log(bytes);
  EXPECT_EQ(read.host, "there");
  EXPECT_EQ(read.begin, 1);
  EXPECT_EQ(read.others, written.others);
  ASSERT_EQ(read.parts.size(), 1U);
  EXPECT_EQ(read.parts[0].divisions, 3U);
  ASSERT_EQ(read.clocks.size(), 1U);
  EXPECT_EQ(read.clocks[0].ahead, 850);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decode_log(std::span(bytes).first(size)), std::invalid_argument) << size;
  }
  ProcessLog wrong = written;
  wrong.parts[0].other = 99;
  EXPECT_THROW(decode_log(packed(wrong)), std::invalid_argument);
  wrong = written;
  wrong.sums.pop_back();
  EXPECT_THROW(decode_log(packed(wrong)), std::invalid_argument);
}

TEST(RoundTrips, GivenSeveralAnswersThenTheShortestCounts) {
  RoundTrips trips;
  trips.answered({1}, 0ns, 100ns, 5050ns);
  trips.answered({1}, 1000ns, 1010ns, 6005ns);
  trips.answered({1}, 2000ns, 2500ns, 9999ns);
  EXPECT_EQ(trips.all().at({1}).took, 10ns);
  EXPECT_EQ(trips.all().at({1}).ahead, 5000ns);
}

TEST(RoundTrips, GivenNearAndFarNeighboursThenTheNearOnesAndThoseNotMeasuredAreFirst) {
  const std::vector<std::uint16_t> all{1, 2, 3, 4};
  const auto nobody = [](std::uint16_t) { return false; };
  RoundTrips trips;
  EXPECT_EQ(trips.near(all, nobody), all);
  trips.answered({1}, 0ms, 100ms, 0ms);
  EXPECT_EQ(trips.near(all, nobody), all);
  trips.answered({2}, 0ms, 10ms, 0ms);
  trips.answered({3}, 0ms, 40ms, 0ms);
  trips.answered({1, 5}, 0ms, 1ms, 0ms);  // who is behind a neighbour does not make that near
  EXPECT_THAT(trips.near(all, nobody), ElementsAre(2, 3, 4));
  const auto is_first = [](std::uint16_t neighbour) { return neighbour == 1; };
  EXPECT_THAT(trips.near(all, is_first), ElementsAre(1));
}

/// The log of a process that has taken a part from `giver` and returned its result. Times are by
/// its own clock.
ProcessLog taker_of(const Way& giver, std::chrono::nanoseconds begin,
                    std::chrono::nanoseconds end) {
  ExchangeLog log(begin);
  log.note(taken(1, giver), begin);
  log.note({.what = Note::kTold, .run = 1, .bytes = 6}, end);
  return log_of(log, end);
}

/// That of who searches from 1000 to 2000 ns.
ExchangeLog searching() {
  ExchangeLog log(500ns);
  log.search_began(1000ns);
  log.search_ended(2000ns);
  return log;
}

TEST(SearchRecord, GivenAGiverAndATakerThenTheirPartIsOneOnTheClockOfWhoSearches) {
  ExchangeLog root = searching();
  root.note({.what = Note::kGiven, .part = {7, 1}, .other = {2}, .divisions = 4, .bytes = 20},
            1100ns);
  root.note({.what = Note::kBack, .part = {7, 1}, .bytes = 6}, 1900ns);
  // The child's clock is 10^9 ns ahead, as it knows from a round trip of 100 ns.
  ProcessLog child = taker_of({0}, 1'000'001'200ns, 1'000'001'800ns);
  child.clocks.push_back({.other = 1, .round_trip = 100, .ahead = -1'000'000'000});
  const json record =
      json::parse(record_of("queens", {{{}, log_of(root, 2500ns)}, {{2}, child}}, Ways::kLinks));
  EXPECT_EQ(record["title"], "queens");
  EXPECT_DOUBLE_EQ(record["seconds"], 1000e-9);
  ASSERT_EQ(record["processes"].size(), 2U);
  EXPECT_EQ(record["processes"][0]["name"], "root");
  EXPECT_EQ(record["processes"][1]["name"], "2");
  EXPECT_DOUBLE_EQ(record["processes"][1]["clock_within_s"], 50e-9);
  ASSERT_EQ(record["parts"].size(), 1U);
  const json& part = record["parts"][0];
  EXPECT_EQ(part["giver"], 0);
  EXPECT_EQ(part["taker"], 1);
  EXPECT_EQ(part["divisions"], 4);
  EXPECT_EQ(part["became"], "used");
  EXPECT_EQ(part["told"], true);
  EXPECT_EQ(part["bytes"], 20);
  EXPECT_EQ(part["result_bytes"], 6);
  EXPECT_NEAR(part["given_s"], 100e-9, 1e-12);
  EXPECT_NEAR(part["begin_s"], 200e-9, 1e-12);
  EXPECT_NEAR(part["end_s"], 800e-9, 1e-12);
  EXPECT_NEAR(part["back_s"], 900e-9, 1e-12);
}

TEST(SearchRecord, GivenClocksByChainsThenTheShortestWayCounts) {
  const auto with_clocks = [](ProcessLog log, std::vector<LoggedClock> clocks,
                              std::vector<Way> others) {
    log.others = std::move(others);
    log.sums.resize(log.others.size());
    log.clocks = std::move(clocks);
    return log;
  };
  const ProcessLog plain = log_of(ExchangeLog(0ns), 1ns);
  // 1 knows rank 0 by a long round trip, and rank 2 by a short one; 2 knows rank 0 by a short one.
  const ProcessLog first = with_clocks(plain,
                                       {{.other = 1, .round_trip = 900, .ahead = -77},
                                        {.other = 2, .round_trip = 10, .ahead = 1000}},
                                       {{}, {0}, {2}});
  const ProcessLog second =
      with_clocks(plain, {{.other = 1, .round_trip = 20, .ahead = 5000}}, {{}, {0}});
  const json record = json::parse(record_of(
      "",
      {{{0}, log_of(searching(), 3000ns)}, {{1}, first}, {{2}, second}, {{3}, plain, 100, 4100}},
      Ways::kRanks));
  const json& processes = record["processes"];
  EXPECT_EQ(processes[1]["name"], "rank 1");
  EXPECT_DOUBLE_EQ(processes[1]["clock_within_s"], 15e-9);
  EXPECT_NEAR(processes[1]["begin_s"], (6000 - 1000) * 1e-9, 1e-12);
  EXPECT_NEAR(processes[2]["begin_s"], (5000 - 1000) * 1e-9, 1e-12);
  // By when its log came.
  EXPECT_TRUE(processes[3]["clock_within_s"].is_null());
  EXPECT_NEAR(processes[3]["begin_s"], (4000 - 1000) * 1e-9, 1e-12);
}

TEST(SearchRecord, GivenAProcessThatHasToldNothingThenItsGiversHaveSeenIt) {
  ExchangeLog root = searching();
  root.note(given(0, {3}), 1100ns);
  root.note({.what = Note::kAgain, .part = {0, 0}}, 1200ns);
  // Behind a relay, seen from another child.
  const ProcessLog child = taker_of({0, 3, 1}, 10ns, 20ns);
  const json record =
      json::parse(record_of("", {{{}, log_of(root, 2500ns)}, {{1}, child}}, Ways::kLinks));
  ASSERT_EQ(record["processes"].size(), 4U);
  EXPECT_EQ(record["processes"][2]["name"], "3");
  EXPECT_EQ(record["processes"][2]["told"], false);
  EXPECT_EQ(record["processes"][3]["name"], "3:1");
  ASSERT_EQ(record["parts"].size(), 2U);
  EXPECT_EQ(record["parts"][0]["taker"], 2);
  EXPECT_EQ(record["parts"][0]["became"], "again");
  EXPECT_FALSE(record["parts"][0].contains("begin_s"));
  EXPECT_EQ(record["parts"][1]["giver"], 3);
  EXPECT_FALSE(record["parts"][1].contains("became"));
}

TEST(ReceivedLogs, GivenMorePartsThanAreKeptOfAllThenTheRestIsCounted) {
  ExchangeLog log(0ns);
  for (std::size_t i = 0; i < ExchangeLog::kMostParts; ++i) {
    log.note(given(0, {1}), 1ns);
    log.note({.what = Note::kBack, .part = {0, 0}}, 2ns);
  }
  const ExchangeMessage message = message_of(log_of(log, 3ns));
  ReceivedLogs logs;
  constexpr std::size_t kProcesses = ReceivedLogs::kMostParts / ExchangeLog::kMostParts + 1;
  for (std::uint16_t process = 1; process <= kProcesses; ++process) {
    logs.add({process}, message);
    logs.add({process}, message);  // which counts once
  }
  std::size_t kept = 0;
  std::size_t left_out = 0;
  for (const ReceivedLog& each : logs.all()) {
    kept += each.log.parts.size();
    left_out += each.log.left_out;
  }
  EXPECT_EQ(logs.all().size(), kProcesses);
  EXPECT_EQ(kept, ReceivedLogs::kMostParts);
  EXPECT_EQ(kept + left_out, kProcesses * ExchangeLog::kMostParts);
}

}  // namespace
}  // namespace kumiko::search::detail
