// Contract: the summary has the documented keys, in the documented order, with nothing made up.
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kumiko/io/summary.hpp>

namespace kumiko::io::test {
namespace {

using Json = nlohmann::ordered_json;

RunSummary example_summary() {
  RunSummary summary;
  summary.case_name = "zalesak";
  summary.solver = "semi_lagrangian_cubic";
  summary.backend = "threads";
  summary.workers = 2;
  summary.steps = 2560;
  summary.wall_s = 12.5;
  summary.errors = {.rms = 3.6e-2, .l1_relative = 0.1, .l1 = 0.007, .linf = 0.9};
  summary.field = {.minimum = -0.05, .maximum = 1.05};
  summary.mass_drifts = {1e-5};
  summary.work = {.updates_per_level = {1'000'000'000, 2'000'000'000, 7'000'000'000},
                  .workers = {{10, 0.5, 0.25, 7}, {20, 0.75, 0.0, 0}},
                  .regrids = 640,
                  .longest_waits = {{0.125, 3, 1, amr::WaitCause::kCoarser, {2, 5, 6}, {1, 2, 3}}}};
  summary.fraction_of_uniform = 0.0986;
  summary.updates_per_core_s = 2e8;
  summary.memory = {4000, 800, 100};
  summary.patches_per_level = {256, 100, 200};
  summary.unnested_patches = 42;
  summary.peak_rss_bytes = 1 << 20;
  summary.origin = {"node7", "A processor", "2026-11-23T02:49:14Z", "0.1.0", "g++ 12.2.0"};
  summary.state_hash = "0123456789abcdef";
  return summary;
}

std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> names;
  for (const auto& item : json.items()) names.push_back(item.key());
  return names;
}

TEST(Summary, GivenSeveralComponentsThenEachHasItsFigures) {
  EXPECT_FALSE(to_json(example_summary()).contains("components"));
  RunSummary summary = example_summary();
  summary.component_names = {"salt", "dye"};
  summary.errors->components = {{0.25, 0.5, 0.75, 1.0}, {}};
  summary.field.components = {{3.0, -0.5, 1.5}, {}};
  summary.mass_drifts = {1e-3, -0.25};
  const Json json = to_json(summary)["components"];
  EXPECT_EQ(keys(json), (std::vector<std::string>{"salt", "dye"}));
  EXPECT_EQ(keys(json["salt"]), (std::vector<std::string>{"rms", "l1_relative", "l1", "linf", "min",
                                                          "max", "mass", "mass_drift"}));
  EXPECT_EQ(json["salt"]["l1_relative"], 0.5);
  EXPECT_EQ(json["salt"]["mass"], 3.0);
  EXPECT_EQ(json["dye"]["mass_drift"], -0.25);
  EXPECT_EQ(to_json(summary)["mass_drift"], -0.25) << "the one farthest from 0";
  EXPECT_EQ(json["dye"]["rms"], 0.0);
  summary.errors.reset();
  EXPECT_TRUE(to_json(summary)["components"]["salt"]["rms"].is_null());
}

TEST(Summary, GivenARunThenItsJsonHasEveryKeyInOrder) {
  const Json json = to_json(example_summary());
  EXPECT_EQ(keys(json), (std::vector<std::string>{"case",
                                                  "solver",
                                                  "backend",
                                                  "workers",
                                                  "schedule",
                                                  "steps",
                                                  "time",
                                                  "end_time",
                                                  "largest_cfl",
                                                  "wall_s",
                                                  "error",
                                                  "mass_drift",
                                                  "open_domain",
                                                  "updates",
                                                  "updates_per_core_s",
                                                  "imbalance",
                                                  "balance_efficiency",
                                                  "steals",
                                                  "load",
                                                  "longest_waits",
                                                  "memory",
                                                  "patches",
                                                  "peak_rss_bytes",
                                                  "state_hash",
                                                  "host",
                                                  "cpu",
                                                  "date",
                                                  "version",
                                                  "compiler",
                                                  "config"}));
  EXPECT_EQ(keys(json["error"]),
            (std::vector<std::string>{"rms", "l1_relative", "l1", "linf", "min", "max"}));
  EXPECT_EQ(keys(json["updates"]),
            (std::vector<std::string>{"total", "per_level", "fraction_of_uniform"}));
  EXPECT_EQ(json["case"], "zalesak");
  EXPECT_EQ(json["host"], "node7");
  EXPECT_EQ(json["cpu"], "A processor");
  EXPECT_EQ(json["date"], "2026-11-23T02:49:14Z");
  EXPECT_EQ(json["version"], "0.1.0");
  EXPECT_EQ(json["compiler"], "g++ 12.2.0");
  EXPECT_EQ(json["error"]["rms"], 3.6e-2);
  EXPECT_EQ(json["error"]["l1"], 0.007);
  EXPECT_EQ(json["updates"]["total"], 10'000'000'000);
  EXPECT_EQ(json["steals"], 7);
  EXPECT_EQ(json["patches"]["per_level"], (Json{256, 100, 200}));
  EXPECT_EQ(json["patches"]["unnested"], 42);
  EXPECT_EQ(json["patches"]["regrids"], 640);
}

TEST(Summary, GivenNoMassToCompareWithThenTheDriftIsNull) {
  RunSummary summary = example_summary();
  EXPECT_EQ(to_json(summary)["mass_drift"], 1e-5);
  summary.mass_drifts = {std::nullopt};
  EXPECT_TRUE(to_json(summary)["mass_drift"].is_null());
}

TEST(Summary, GivenLoadAndWaitsThenTheirFiguresAreNamed) {
  const Json json = to_json(example_summary());
  EXPECT_EQ(json["load"][1],
            (Json{{"updates", 20}, {"busy_s", 0.75}, {"wait_s", 0.0}, {"steals", 0}}));
  EXPECT_EQ(json["longest_waits"][0], (Json{{"seconds", 0.125},
                                            {"step", 3},
                                            {"worker", 1},
                                            {"cause", "coarser"},
                                            {"patch", "level 2 patch (5, 6)"},
                                            {"awaited", "level 1 patch (2, 3)"}}));
  EXPECT_EQ(json["memory"]["bytes_per_point"], 48.0);
}

TEST(Summary, GivenASummaryThenItsLoadsAndImbalanceAreReadBackByEitherName) {
  for (const char* const name : {"imbalance", "balance_efficiency"}) {
    Json json = {{"load", to_json(example_summary())["load"]}, {name, 1.2}};
    amr::WorkCounters work;
    read_work(json, work);
    EXPECT_EQ(work.total().updates, 30U);
    EXPECT_EQ(work.workers.at(0).steals, 7U);
    EXPECT_DOUBLE_EQ(work.imbalance(), 1.2);
    json.erase("load");
    EXPECT_ANY_THROW(read_work(json, work));
  }
}

TEST(Summary, GivenNoExactSolutionThenErrorsAreNullAndExtremesStay) {
  RunSummary summary = example_summary();
  summary.errors.reset();
  const Json error = to_json(summary)["error"];
  EXPECT_TRUE(error["rms"].is_null());
  EXPECT_TRUE(error["l1_relative"].is_null());
  EXPECT_TRUE(error["l1"].is_null());
  EXPECT_TRUE(error["linf"].is_null());
  EXPECT_EQ(error["min"], -0.05);
  EXPECT_EQ(error["max"], 1.05);
}

TEST(Summary, GivenAConfigurationThenDottedKeysAreNestedWithTheirTypes) {
  RunSummary summary = example_summary();
  summary.config.set("grid.base", std::vector<std::int64_t>{256, 128});
  summary.config.set("amr.levels", std::int64_t{3});
  summary.config.set("amr.threshold", 0.1);
  summary.config.set("case.disk.slotted", true);
  summary.config.set("case.name", std::string("zalesak"));
  const Json config = to_json(summary)["config"];
  EXPECT_EQ(config["grid"]["base"], (Json{256, 128}));
  EXPECT_TRUE(config["amr"]["levels"].is_number_integer());
  EXPECT_EQ(config["amr"]["threshold"], 0.1);
  EXPECT_EQ(config["case"]["disk"]["slotted"], true);
  EXPECT_EQ(config["case"]["name"], "zalesak");
  EXPECT_EQ(to_json(example_summary())["config"], Json::object());
}

TEST(Summary, GivenAKeyBelowAValueThenItIsAProgrammerError) {
  RunSummary summary = example_summary();
  summary.config.set("amr", std::int64_t{1});
  summary.config.set("amr.levels", std::int64_t{3});
  EXPECT_THROW(to_json(summary), std::logic_error);
}

TEST(Summary, GivenItsTextThenItReadsBackToTheSameBits) {
  RunSummary summary = example_summary();
  summary.wall_s = 1.0 / 3.0;
  summary.errors->linf = std::numeric_limits<double>::quiet_NaN();
  const Json json = Json::parse(to_json(summary).dump(2));
  EXPECT_EQ(json["wall_s"].get<double>(), 1.0 / 3.0);
  EXPECT_TRUE(json["error"]["linf"].is_null());
}

TEST(Summary, GivenMemoryThatWasTouchedThenThePeakCountsIt) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  constexpr std::size_t kPage = 4096;
  std::vector<char> touched(kBytes);
  volatile char* const bytes = touched.data();
  for (std::size_t at = 0; at < kBytes; at += kPage) bytes[at] = 1;
  EXPECT_GE(peak_rss_bytes(), kBytes);
  EXPECT_LT(peak_rss_bytes(), std::uint64_t{1} << 40);
}

}  // namespace
}  // namespace kumiko::io::test
