// Contract: the numbers behind the report's charts follow from the run's tables as computed by
// hand, and the page holds them whatever the texts are.
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <kumiko/viz/report.hpp>

#include "report/balance.hpp"
#include "report/base64.hpp"
#include "report/chart.hpp"
#include "report/headline.hpp"
#include "report/ranks.hpp"
#include "report/timeline.hpp"

namespace kumiko::viz::report {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNan;
using ::testing::Not;

/// Two workers, three base steps, the last of which updates nothing; two levels.
ReportRun small_run(const std::string& name) {
  ReportRun run;
  run.name = name;
  run.folder.path = "out/" + name;
  run.folder.summary =
      std::make_shared<const nlohmann::ordered_json>(nlohmann::ordered_json::parse(R"({
    "case": "c", "steps": 3, "wall_s": 0.5, "error": {"rms": 0.125, "linf": null},
    "longest_waits": [], "config": {"step": {"subcycling": true}}})"));
  run.folder.load = {{0, {{512, 3.0, 1.0, 2}, {256, 1.0, 3.0, 0}}},
                     {1, {{256, 1.0, 0.0, 1}, {256, 1.0, 0.0, 4}}},
                     {2, {{0, 0.0, 0.0, 0}, {0, 0.0, 2.0, 0}}}};
  run.folder.diagnostics = {{.time = 0.0, .patches = {1, 2}},
                            {.step = 3, .time = 0.75, .patches = {1, 3}}};
  run.about_trace = name + " has no trace.";
  return run;
}

/// Changes a value of its summary.
void set(ReportRun& run, const char* pointer, const nlohmann::ordered_json& value) {
  nlohmann::ordered_json summary = *run.folder.summary;
  summary[nlohmann::ordered_json::json_pointer(pointer)] = value;
  run.folder.summary = std::make_shared<const nlohmann::ordered_json>(std::move(summary));
}

const Chart& chart(const std::vector<Chart>& charts, const std::string& id) {
  const auto found = std::find_if(charts.begin(), charts.end(),
                                  [&](const Chart& chart) { return chart.id == id; });
  if (found == charts.end()) throw std::out_of_range("no chart " + id);
  return *found;
}

/// What base64() made, undone by its definition.
template <class Number>
std::vector<Number> decoded(const std::string& text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::uint32_t digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                                : c >= 'a' && c <= 'z' ? c - 'a' + 26
                                : c >= '0' && c <= '9' ? c - '0' + 52
                                : c == '+'             ? 62
                                                       : 63;
    bits = bits << 6 | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (numbers.empty()) return numbers;
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

TEST(Base64, GivenTheExamplesOfItsStandardThenTheTextsAreTheirs) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xfb\xff\xfe"), "+//+");
}

TEST(Balance, GivenUnevenStepsThenEachAndTheSumsAreTheThesissMeasure) {
  const BalanceCurve curve = balance_of(small_run("a").folder.load);
  EXPECT_THAT(curve.step, ElementsAre(0.0, 1.0, 2.0));
  // 512 ÷ 384; 256 ÷ 256; nothing was updated in the last.
  EXPECT_DOUBLE_EQ(curve.imbalance[0], 4.0 / 3.0);
  EXPECT_DOUBLE_EQ(curve.imbalance[1], 1.0);
  EXPECT_TRUE(std::isnan(curve.imbalance[2]));
  // (512 + 256) ÷ (384 + 256), not the mean of both.
  EXPECT_THAT(curve.so_far, ElementsAre(DoubleEq(4.0 / 3.0), DoubleEq(1.2), DoubleEq(1.2)));
}

TEST(Balance, GivenAWorkerMoreAfterARestartThenEachStepHasItsOwnMean) {
  const std::vector<amr::BaseStepLoad> load = {{0, {{100}}}, {1, {{60}, {20}}}};
  const BalanceCurve curve = balance_of(load);
  EXPECT_THAT(curve.imbalance, ElementsAre(DoubleEq(1.0), DoubleEq(1.5)));
  EXPECT_DOUBLE_EQ(curve.so_far[1], 160.0 / 140.0);
}

/// Two workers in `steps` base steps that differ.
std::vector<amr::BaseStepLoad> long_load(int steps) {
  std::vector<amr::BaseStepLoad> load;
  for (int step = 0; step < steps; ++step) {
    const auto more = static_cast<std::uint64_t>(step % 7);
    load.push_back({step, {{10 + more, 1.0, 1.0, more}, {10, 3.0, 1.0, 0}}});
  }
  return load;
}

TEST(Balance, GivenMoreStepsThanPointsThenEachPointIsOfItsBinAndTheLastOfTheRun) {
  const std::vector<amr::BaseStepLoad> load = long_load(1001);
  const BalanceCurve curve = balance_of(load);
  ASSERT_EQ(curve.step.size(), 201U);  // of five base steps each, since four would be 251
  EXPECT_EQ(curve.step[0], 4.0);
  EXPECT_EQ(curve.step[200], 1000.0);  // alone: 1000 % 7 = 6
  // Steps 0 to 4: 50 + 10 updates of the one, 50 of the other.
  EXPECT_DOUBLE_EQ(curve.imbalance[0], 60.0 / 55.0);
  EXPECT_DOUBLE_EQ(curve.imbalance[200], 16.0 / 13.0);
  double largest = 0.0;
  double mean = 0.0;
  for (const amr::BaseStepLoad& step : load) {
    const auto one = static_cast<double>(step.workers[0].updates);
    largest += one;
    mean += (one + 10.0) / 2.0;
    if (step.step == 9) {
      EXPECT_DOUBLE_EQ(curve.so_far[1], largest / mean);
    }
  }
  EXPECT_DOUBLE_EQ(curve.so_far[200], largest / mean);
}

TEST(Charts, GivenMoreStepsThanPointsThenBusyIsOfTheSumAndStealsAreByBaseStep) {
  ReportRun run = small_run("a");
  run.folder.load = long_load(1001);
  run.folder.load[3].workers[0].busy_s = 6.0;
  const std::vector<Chart> charts = worker_charts(std::span(&run, 1));
  const auto& over = chart(charts, "busy_step").panels.at(0).series;
  ASSERT_EQ(over.at(2).y.size(), 201U);
  EXPECT_DOUBLE_EQ(over.at(0).y[0], 100.0 * 10.0 / 15.0);
  EXPECT_DOUBLE_EQ(over.at(1).y[0], 75.0);
  EXPECT_DOUBLE_EQ(over.at(2).y[0], 100.0 * 25.0 / 35.0);
  EXPECT_DOUBLE_EQ(chart(charts, "steals_step").panels.at(0).series.at(0).y[0], 10.0 / 5.0);
  EXPECT_DOUBLE_EQ(chart(charts, "steals_step").panels.at(0).series.at(0).y[200], 6.0);
}

TEST(Charts, GivenMoreWorkersAfterARestartThenTheLeastAndTheMostBusyAreShown) {
  ReportRun run = small_run("a");
  run.folder.load = {{0, {{512, 3.0, 1.0, 0}}}, {1, {{256, 1.0, 3.0, 0}, {256, 2.0, 2.0, 0}}}};
  const std::vector<Chart> charts = worker_charts(std::span(&run, 1));
  const auto& over = chart(charts, "busy_step").panels.at(0).series;
  ASSERT_EQ(over.size(), 3U);
  EXPECT_THAT(over.at(0).y, ElementsAre(75.0, 25.0));
  EXPECT_THAT(over.at(1).y, ElementsAre(75.0, 50.0));
  EXPECT_THAT(chart(charts, "busy_worker").panels.at(0).categories, ElementsAre("0", "1"));
}

TEST(Charts, GivenPatchesThenUpdatesFollowFromSubcycling) {
  ReportRun run = small_run("a");
  const std::vector<Chart> charts = patch_charts(std::span(&run, 1));
  const auto& patches = chart(charts, "patches_level").panels.at(0).series;
  EXPECT_THAT(patches.at(1).x, ElementsAre(0.0, 3.0));
  EXPECT_THAT(patches.at(1).y, ElementsAre(2.0, 3.0));
  const auto& updates = chart(charts, "updates_level").panels.at(0).series;
  // Of base step 2, the last one; the initial mesh has not been advanced yet.
  EXPECT_THAT(updates.at(0).x, ElementsAre(2.0));
  EXPECT_THAT(updates.at(0).y, ElementsAre(256.0));
  EXPECT_THAT(updates.at(1).y, ElementsAre(1536.0));  // two steps in a base step

  set(run, "/config/step/subcycling", false);
  EXPECT_THAT(chart(patch_charts(std::span(&run, 1)), "updates_level").panels.at(0).series.at(1).y,
              ElementsAre(768.0));
}

TEST(Charts, GivenLoadThenSharesAndStealsAreByWorkerAndByStep) {
  const ReportRun run = small_run("a");
  const std::vector<Chart> charts = worker_charts(std::span(&run, 1));
  const auto& share = chart(charts, "busy_worker").panels.at(0).series;
  EXPECT_THAT(share.at(0).y, ElementsAre(DoubleEq(80.0), DoubleEq(200.0 / 7.0)));
  EXPECT_THAT(share.at(1).y, ElementsAre(DoubleEq(20.0), DoubleEq(100.0 - 200.0 / 7.0)));
  const auto& over = chart(charts, "busy_step").panels.at(0).series;
  EXPECT_THAT(over.at(0).y, ElementsAre(25.0, 100.0, 0.0));  // the least busy
  EXPECT_THAT(over.at(1).y, ElementsAre(75.0, 100.0, 0.0));  // the busiest
  EXPECT_THAT(over.at(2).y, ElementsAre(50.0, 100.0, 0.0));  // all
  EXPECT_THAT(chart(charts, "steals_worker").panels.at(0).series.at(0).y, ElementsAre(3.0, 4.0));
  EXPECT_THAT(chart(charts, "steals_step").panels.at(0).series.at(0).y, ElementsAre(2.0, 5.0, 0.0));
}

TEST(Charts, GivenWhatIsNotThereThenASentenceStandsForIt) {
  ReportRun run = small_run("a");
  for (amr::BaseStepLoad& step : run.folder.load) {
    for (amr::WorkerLoad& worker : step.workers) worker.steals = 0;
  }
  for (io::DiagnosticsRow& record : run.folder.diagnostics) record.patches.resize(1);
  const std::vector<Chart> charts = charts_of(std::span(&run, 1));
  EXPECT_THAT(chart(charts, "steals_worker").panels, IsEmpty());
  EXPECT_THAT(chart(charts, "steals_worker").missing, ElementsAre(HasSubstr("no steals")));
  EXPECT_THROW(chart(charts, "steals_step"), std::out_of_range);
  EXPECT_THAT(chart(charts, "patches_level").missing, ElementsAre(HasSubstr("one level")));
  EXPECT_THAT(chart(charts, "patch_times").missing, ElementsAre("a has no trace."));
  EXPECT_THROW(chart(charts, "balance_runs"), std::out_of_range);
}

TEST(Charts, GivenSeveralRunsThenTheirBalanceIsInOneChart) {
  const std::vector<ReportRun> runs = {small_run("a"), small_run("b, c")};
  const std::vector<Chart> charts = charts_of(runs);
  EXPECT_EQ(chart(charts, "balance_runs").panels.size(), 1U);
  EXPECT_EQ(chart(charts, "balance_runs").panels[0].series.at(1).name, "b, c");
  EXPECT_EQ(to_csv(chart(charts, "balance_runs")),
            "run,series,base step,largest ÷ mean updates of a worker\n"
            "a,,0,1.3333333333333333\na,,1,1.2\na,,2,1.2\n"
            "\"b, c\",,0,1.3333333333333333\n\"b, c\",,1,1.2\n\"b, c\",,2,1.2\n");
  EXPECT_THAT(to_csv(chart(charts, "balance_step")), HasSubstr("\na,base step,2,\n"));
  EXPECT_THAT(to_csv(chart(charts, "busy_worker")), HasSubstr("\na,busy,0,80\n"));
}

TEST(Ranks, GivenWhatTwoDidThenTheirBalanceIsTheLargestOverTheMean) {
  ReportRun run = small_run("a");
  EXPECT_TRUE(ranks_json(run).is_null());
  EXPECT_THAT(rank_charts(std::span(&run, 1)), IsEmpty());
  set(run, "/moved_patches", 7);
  set(run, "/ranks", nlohmann::ordered_json::parse(R"([
    {"host": "h", "workers": 1, "updates": 300, "busy_s": 3.0, "wait_s": 1.0, "messages": 0},
    {"host": "i", "workers": 1, "updates": 100, "busy_s": 0.0, "wait_s": 0.0, "messages": 0}])"));
  const nlohmann::ordered_json json = ranks_json(run);
  EXPECT_EQ(json.at("ranks").size(), 2U);
  EXPECT_EQ(json.at("moved_patches"), 7);
  EXPECT_EQ(json.at("balance").dump(),
            R"({"workers":1.0,"updates":1.5,"busy_s":2.0,"wait_s":2.0,"messages":null})");
  const std::vector<ReportRun> runs = {run, small_run("b")};
  const std::vector<Chart> charts = charts_of(runs);
  const Chart& busy = chart(charts, "busy_rank");
  EXPECT_THAT(busy.missing, ElementsAre("b ran in one process."));
  ASSERT_EQ(busy.panels.size(), 1U);
  EXPECT_EQ(busy.panels[0].run, "a");
  EXPECT_THAT(busy.panels[0].categories, ElementsAre("0", "1"));
  EXPECT_EQ(busy.panels[0].series.at(0).y[0], 75.0);
  EXPECT_EQ(busy.panels[0].series.at(1).y[0], 25.0);
  EXPECT_TRUE(std::isnan(busy.panels[0].series.at(0).y[1])) << "it had no time";
}

/// Two workers, three pieces: of level 0, which takes 1 µs, and of level 1, 2 and 20 µs.
amr::Trace small_trace() {
  amr::Trace trace;
  trace.workers = 2;
  trace.levels = 2;
  trace.end_ns = 30'000;
  trace.patches = {{{0, 0, 0}}, {{1, 1, 0}}};
  trace.phases = {{7, 0, 0, amr::PieceKind::kAdvance, 0, 1},
                  {7, 1, 0, amr::PieceKind::kAdvance, 1, 2},
                  {7, 1, 1, amr::PieceKind::kAdvance, 2, 3}};
  trace.pieces.resize(3);
  trace.pieces[0] = {500, 1'500, 0, 0, 1};
  trace.pieces[1] = {1'500, 3'500, 1, 1, 0, 0, amr::WaitCause::kCoarser, 300};
  trace.pieces[2] = {4'000, 24'000, 1, 2, 0, 1, amr::WaitCause::kSibling};
  trace.spans = {{"regrid", 24'000, 30'000, 8, 0}};
  trace.successors_begin = {0, 0, 0, 0};
  return trace;
}

TEST(Timeline, GivenPiecesThenTheirColumnsAreByWorkerAndTime) {
  const nlohmann::ordered_json json = timeline_json(small_trace());
  const auto column = [&](const char* name) { return json.at(name).get<std::string>(); };
  EXPECT_EQ(json.at("lanes"), nlohmann::ordered_json({0, 2, 3}));
  EXPECT_THAT(decoded<double>(column("begin")), ElementsAre(1.5, 4.0, 0.5));
  EXPECT_THAT(decoded<float>(column("length")), ElementsAre(2.0F, 20.0F, 1.0F));
  EXPECT_THAT(decoded<std::uint32_t>(column("phase")), ElementsAre(1U, 2U, 0U));
  // Piece 0 of the trace stands in place 2 here, piece 1 in place 0.
  EXPECT_THAT(decoded<std::uint32_t>(column("awaited")), ElementsAre(2U, 0U, amr::kNoPiece));
  EXPECT_THAT(decoded<std::uint8_t>(column("cause")), ElementsAre(1, 0, 0));
  EXPECT_THAT(decoded<std::uint8_t>(column("steals")), ElementsAre(255, 0, 0));
  EXPECT_THAT(decoded<std::int32_t>(column("patches")), ElementsAre(0, 0, 0, 1, 1, 0));
  EXPECT_EQ(decoded<std::int32_t>(column("phases")).size(), 12U);
  EXPECT_EQ(json.at("spans").at(0).at("length"), 6.0);
  EXPECT_THAT(decoded<std::int32_t>(column("blocks")), ElementsAre());
}

TEST(Timeline, GivenBlocksThenEachPatchHasItsOwn) {
  amr::Trace trace = small_trace();
  trace.blocks = {0, 3};
  const nlohmann::ordered_json json = timeline_json(trace);
  EXPECT_THAT(decoded<std::int32_t>(json.at("blocks").get<std::string>()), ElementsAre(0, 3));
}

TEST(Timeline, GivenMorePiecesThanAPageHoldsThenTheFirstAreShown) {
  const nlohmann::ordered_json json = timeline_json(small_trace(), 2);
  EXPECT_EQ(json.at("pieces"), 2);
  EXPECT_EQ(json.at("all_pieces"), 3);
  EXPECT_THAT(decoded<double>(json.at("begin").get<std::string>()), ElementsAre(1.5, 0.5));
}

TEST(Charts, GivenATraceThenEachPieceIsInTheBinOfItsTime) {
  ReportRun run = small_run("a");
  run.trace = small_trace();
  const std::vector<Chart> charts = trace_charts(std::span(&run, 1));
  const ChartPanel& panel = chart(charts, "patch_times").panels.at(0);
  // Ten bins a decade that begin at round numbers, from 1 µs to the one with 20 µs.
  EXPECT_THAT(panel.categories, ElementsAre("1", "1.25", "1.6", "2", "2.5", "3.2", "4", "5", "6.3",
                                            "8", "10", "12.5", "16", "20"));
  EXPECT_EQ(panel.upper, "25");
  const auto where = [](const ChartSeries& series) {
    std::vector<std::size_t> bins;
    for (std::size_t bin = 0; bin < series.y.size(); ++bin) {
      if (series.y[bin] > 0.0) bins.push_back(bin);
    }
    return bins;
  };
  EXPECT_THAT(where(panel.series.at(0)), ElementsAre(0U));
  EXPECT_THAT(where(panel.series.at(1)), ElementsAre(3U, 13U));
}

TEST(Charts, GivenTimesAtAndBesideABinsEndThenEachIsInItsOwnBin) {
  ReportRun run = small_run("a");
  run.trace = small_trace();
  run.trace->pieces[0] = {0, 4, 0, 0, 1};       // below 10 ns
  run.trace->pieces[1] = {0, 99, 1, 1, 0, 0};   // the last of its decade
  run.trace->pieces[2] = {0, 100, 1, 2, 0, 1};  // the first of the next one
  const std::vector<Chart> charts = trace_charts(std::span(&run, 1));
  const ChartPanel& panel = chart(charts, "patch_times").panels.at(0);
  ASSERT_EQ(panel.categories.size(), 11U);
  EXPECT_EQ(panel.categories.front(), "0.01");
  EXPECT_EQ(panel.categories.back(), "0.1");
  EXPECT_EQ(panel.series.at(0).y.at(0), 1.0);
  EXPECT_EQ(panel.series.at(1).y.at(9), 1.0);
  EXPECT_EQ(panel.series.at(1).y.at(10), 1.0);
}

TEST(Charts, GivenTimesOfSecondsThenTheBinsEndsAreWrittenInFull) {
  ReportRun run = small_run("a");
  run.trace = small_trace();
  run.trace->pieces[0] = {0, 999'999'999, 0, 0, 1};
  run.trace->pieces[1] = {0, 1'000'000'000, 1, 1, 0, 0};
  run.trace->pieces[2] = {0, 12'500'000'000, 1, 2, 0, 1};
  const std::vector<Chart> charts = trace_charts(std::span(&run, 1));
  const ChartPanel& panel = chart(charts, "patch_times").panels.at(0);
  EXPECT_THAT(panel.categories, ElementsAre("800000", "1000000", "1250000", "1600000", "2000000",
                                            "2500000", "3200000", "4000000", "5000000", "6300000",
                                            "8000000", "10000000", "12500000"));
  EXPECT_EQ(panel.upper, "16000000");
}

TEST(SearchCharts, GivenARecordThenTheBarsOfEachProcessAreItsSums) {
  const ReportSearch search{
      "s", std::make_shared<const nlohmann::ordered_json>(nlohmann::ordered_json::parse(R"({
    "seconds": 4, "processes": [
      {"name": "root", "told": true, "begin_s": -2, "end_s": 4, "workers": 2, "worked_s": 6},
      {"name": "1", "told": true, "begin_s": 3, "end_s": 5, "workers": 1, "worked_s": 0.25},
      {"name": "2", "told": false}],
    "pairs": [
      {"process": 0, "other": 1, "given": 5, "used": 3, "again": 1, "given_bytes": 50, "taken": 0,
       "told": 0, "told_bytes": 0},
      {"process": 0, "other": 2, "given": 1, "used": 0, "again": 1, "given_bytes": 10, "taken": 0,
       "told": 0, "told_bytes": 0},
      {"process": 0, "other": 0, "given": 0, "used": 0, "again": 0, "given_bytes": 0, "taken": 2,
       "told": 2, "told_bytes": 99},
      {"process": 1, "other": 0, "given": 0, "used": 0, "again": 0, "given_bytes": 0, "taken": 5,
       "told": 3, "told_bytes": 30}]})"))};
  const std::vector<Chart> charts = search_charts(search);
  const auto bars = [&](const std::string& id, std::size_t series) {
    return chart(charts, id).panels.at(0).series.at(series).y;
  };
  EXPECT_THAT(chart(charts, "search_working").panels.at(0).categories,
              ElementsAre("root", "1", "2"));
  // Of what it was there for while it was searched: 2 workers of 4 s, 1 worker of 1 s.
  EXPECT_THAT(bars("search_working", 0), ElementsAre(75.0, 25.0, IsNan()));
  EXPECT_THAT(bars("search_working", 1), ElementsAre(25.0, 75.0, IsNan()));
  EXPECT_THAT(bars("search_given", 0), ElementsAre(3.0, 0.0, 0.0));
  EXPECT_THAT(bars("search_given", 1), ElementsAre(2.0, 0.0, 0.0));
  EXPECT_THAT(bars("search_given", 2), ElementsAre(1.0, 0.0, 0.0));
  EXPECT_THAT(bars("search_taken", 0), ElementsAre(2.0, 3.0, 0.0));
  EXPECT_THAT(bars("search_taken", 1), ElementsAre(0.0, 2.0, 0.0));
  EXPECT_THAT(bars("search_bytes", 0), ElementsAre(60.0, 0.0, 0.0));
  EXPECT_THAT(bars("search_bytes", 1), ElementsAre(0.0, 30.0, 0.0)) << "nothing is sent to itself";
}

TEST(Headline, GivenRunsThenEachFigureIsTheSummarys) {
  std::vector<ReportRun> runs = {small_run("a"), small_run("b")};
  set(runs[1], "/wall_s", 0.1);
  set(runs[1], "/error/rms", nullptr);
  const nlohmann::ordered_json table = headline_json(runs);
  const auto row = [&](const std::string& key) {
    for (const auto& each : table) {
      if (each.at("key") == key) return each.at("values");
    }
    return nlohmann::ordered_json();
  };
  EXPECT_EQ(row("wall_s"), nlohmann::ordered_json({0.5, 0.1}));
  EXPECT_EQ(row("error/rms"), nlohmann::ordered_json({0.125, nullptr}));
  EXPECT_TRUE(row("error/linf").is_null()) << "a row that no run has";

  set(runs[0], "/components/u~1~0v/rms", 0.5);
  const nlohmann::ordered_json with_component = headline_json(runs);
  EXPECT_EQ(with_component.back().at("label"), "RMS error of u/~v");
  EXPECT_EQ(with_component.back().at("values"), nlohmann::ordered_json({0.5, nullptr}));
}

TEST(Page, GivenTextsThatLookLikeMarkupThenThePageHoldsThemAsTexts) {
  if (!report_available()) GTEST_SKIP() << "built without KUMIKO_WITH_REPORT";
  ReportRun run = small_run("</script><b>");
  run.folder.configuration = "# {{data}} <!-- \xff\n";
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("kumiko-report-" + std::to_string(::getpid()));
  write_report(file, std::span(&run, 1), {"a < b", "0", {}, "none"});
  std::ifstream stream(file, std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove(file);
  EXPECT_THAT(page, HasSubstr("<title>a &lt; b</title>"));
  EXPECT_THAT(page, HasSubstr("Apache ECharts"));
  EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
  const std::string open = "id=\"report-data\">";
  const std::size_t begin = page.find(open) + open.size();
  const auto data =
      nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data.at("runs").at(0).at("name"), "</script><b>");
  EXPECT_EQ(data.at("runs").at(0).at("configuration"), "# {{data}} <!-- \xef\xbf\xbd\n");
}

}  // namespace
}  // namespace kumiko::viz::report
