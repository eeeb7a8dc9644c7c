// Contract: a finished run's folder reads back as it was written; one that is foreign, unfinished
// or damaged is refused, naming file, line and remedy.
#include <cstddef>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <kumiko/io/run_folder.hpp>

#include "output_fixture.hpp"

namespace kumiko::io::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSummary = R"({
  "case": "zalesak", "solver": "s", "backend": "threads", "workers": 2, "steps": 2, "wall_s": 1.5,
  "error": {"rms": 0.25}, "updates": {"total": 1536}, "balance_efficiency": 1.25, "load": [],
  "longest_waits": [], "patches": {}, "config": {}
})";
constexpr const char* kLoad =
    "step,worker,updates,busy_s,wait_s,steals\n"
    "0,0,512,0.25,0.5,3\n"
    "0,1,256,0.125,0.0,0\n"
    "1,0,0,0.0,0.001,0\n"
    "1,1,768,2.0,0.0,1\n";
constexpr const char* kDiagnostics =
    "step,time,patches_0,patches_1,mass,min,max,updates_0,updates_1\n"
    "0,0,4,8,0.5,-0.25,1,0,0\n"
    "2,0.125,4,12,0.75,0,1.5,512,1024\n";

class RunFolderTest : public OutputTest {
 protected:
  void SetUp() override {
    OutputTest::SetUp();
    put(folder_ / "summary.json", kSummary);
    put(folder_ / "effective.toml", "case.name = \"zalesak\"\n");
    put(folder_ / "load.csv", kLoad);
    put(folder_ / "diagnostics.csv", kDiagnostics);
    put(folder_ / "state_000002.hdf");
  }

  std::string refusal() const {
    return refusal_of<RunFolderError>([&] { read_run_folder(folder_); });
  }
};

TEST_F(RunFolderTest, GivenAFinishedRunThenItsTablesReadBack) {
  const RunFolder run = read_run_folder(folder_);
  EXPECT_EQ(run.summary->at("imbalance"), 1.25);
  EXPECT_EQ(run.configuration, "case.name = \"zalesak\"\n");
  ASSERT_EQ(run.load.size(), 2U);
  EXPECT_EQ(run.load[1].step, 1);
  ASSERT_EQ(run.load[1].workers.size(), 2U);
  EXPECT_EQ(run.load[1].workers[1].updates, 768U);
  EXPECT_EQ(run.load[0].workers[0].busy_s, 0.25);
  EXPECT_EQ(run.load[0].workers[0].wait_s, 0.5);
  EXPECT_EQ(run.load[0].workers[0].steals, 3U);
  ASSERT_EQ(run.diagnostics.size(), 2U);
  EXPECT_EQ(run.diagnostics[1].step, 2);
  EXPECT_EQ(run.diagnostics[1].time, 0.125);
  EXPECT_THAT(run.diagnostics[1].patches, ElementsAre(4U, 12U));
  EXPECT_EQ(run.diagnostics[1].field.mass, 0.75);
  EXPECT_EQ(run.diagnostics[0].field.minimum, -0.25);
  EXPECT_EQ(run.diagnostics[1].field.maximum, 1.5);
  ASSERT_EQ(run.states.size(), 1U);
  EXPECT_EQ(run.states.at(2).filename(), "state_000002.hdf");
  EXPECT_FALSE(run.has_trace);
  put(folder_ / "trace.hdf");
  EXPECT_TRUE(read_run_folder(folder_).has_trace);
}

/// The largest amount of memory that this process has had.
std::size_t peak_kibibytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss);
}

TEST_F(RunFolderTest, GivenATableOfManyBytesThenMemoryHoldsItsNumbersOnly) {
  constexpr int kRows = 4000;
  const std::string zeros(8192, '0');
  {
    std::ofstream table(folder_ / "load.csv");
    table << "step,worker,updates,busy_s,wait_s,steals\n";
    for (int row = 0; row < kRows; ++row) {
      table << (row < kRows - 1 ? 0 : 1) << ',' << row % (kRows - 1) << ",1,0.25" << zeros
            << ",0,0\n";
    }
  }
  const std::size_t before = peak_kibibytes();
  EXPECT_EQ(read_run_folder(folder_).load.at(0).workers.size(), kRows - 1U);
  EXPECT_LT(peak_kibibytes() - before, std::size_t{16} << 10) << "the file has 32 MiB";
}

TEST_F(RunFolderTest, GivenNoFolderOrAForeignOneThenItIsNamed) {
  EXPECT_THAT(refusal_of<RunFolderError>([&] { read_run_folder(folder_ / "nowhere"); }),
              AllOf(HasSubstr("nowhere"), HasSubstr("there is no folder")));
  EXPECT_THAT(refusal_of<RunFolderError>([&] { read_run_folder(folder_ / "load.csv"); }),
              HasSubstr("is not a folder"));
  std::filesystem::remove(folder_ / "summary.json");
  std::filesystem::remove(folder_ / "effective.toml");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("not a run's folder"), HasSubstr("summary.json")));
}

TEST_F(RunFolderTest, GivenLinksInACircleThenTheFolderIsNotARun) {
  std::filesystem::remove(folder_ / "summary.json");
  std::filesystem::create_symlink("summary.json", folder_ / "summary.json");
  EXPECT_THROW(read_run_folder(folder_), NotARun);
}

TEST_F(RunFolderTest, GivenADamagedTableThenItIsARunNevertheless) {
  put(folder_ / "load.csv", "");
  try {
    read_run_folder(folder_);
    FAIL() << "nothing was refused";
  } catch (const NotARun& error) {
    FAIL() << error.what();
  } catch (const RunFolderError& error) {
    EXPECT_THAT(error.what(), HasSubstr("load.csv"));
  }
}

TEST_F(RunFolderTest, GivenARunThatIsNotCompleteThenTheRemedyIsNamed) {
  std::filesystem::remove(folder_ / "summary.json");
  std::filesystem::rename(folder_ / "load.csv", folder_ / "load.csv.part");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("not complete"), HasSubstr("--restart")));
}

TEST_F(RunFolderTest, GivenAFileThatIsMissingThenItIsNamed) {
  for (const char* name : {"effective.toml", "load.csv", "diagnostics.csv"}) {
    const std::string text = content(folder_ / name);
    std::filesystem::remove(folder_ / name);
    EXPECT_THAT(refusal(), AllOf(HasSubstr(name), HasSubstr("is missing")));
    put(folder_ / name, text);
  }
}

TEST_F(RunFolderTest, GivenADamagedSummaryThenItsLineOrKeyIsNamed) {
  put(folder_ / "summary.json", std::string(kSummary).substr(0, 120));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("summary.json"), HasSubstr("line 3")));
  put(folder_ / "summary.json", "[]");
  EXPECT_THAT(refusal(), HasSubstr("not a summary"));
  put(folder_ / "summary.json", R"({"case": "zalesak"})");
  EXPECT_THAT(refusal(), HasSubstr("'solver'"));
  std::string text = kSummary;
  put(folder_ / "summary.json", text.replace(text.find("\"steps\": 2"), 10, "\"steps\": \"\""));
  EXPECT_THAT(refusal(), HasSubstr("'steps'"));
}

TEST_F(RunFolderTest, GivenColumnsInAnotherOrderThenTheirNamesCount) {
  put(folder_ / "load.csv", "steals,wait_s,busy_s,updates,worker,step\n3,0.5,0.25,512,0,1\n");
  put(folder_ / "diagnostics.csv",
      "max,mass,min,time,step,patches_0,patches_1\n1.5,0.75,-0.25,0.125,2,4,12\n");
  const RunFolder run = read_run_folder(folder_);
  ASSERT_EQ(run.load.size(), 1U);
  EXPECT_EQ(run.load[0].step, 1);
  EXPECT_EQ(run.load[0].workers.at(0).updates, 512U);
  EXPECT_EQ(run.load[0].workers.at(0).steals, 3U);
  ASSERT_EQ(run.diagnostics.size(), 1U);
  EXPECT_EQ(run.diagnostics[0].field.minimum, -0.25);
  EXPECT_EQ(run.diagnostics[0].patches, (std::vector<std::size_t>{4, 12}));
}

TEST_F(RunFolderTest, GivenRanksWithoutAKeyThatWasAddedLaterThenTheyAreRead) {
  auto summary = nlohmann::ordered_json::parse(kSummary);
  summary["ranks"] = nlohmann::ordered_json::parse(R"([
    {"host": "a", "workers": 1, "patches": 4, "updates": 768, "busy_s": 0.5, "wait_s": 0.25,
     "messages": 7, "bundles": 5, "bytes": 4096, "peak_rss_bytes": 1048576}])");
  put(folder_ / "summary.json", summary.dump());
  EXPECT_EQ(read_run_folder(folder_).summary->at("ranks").size(), 1U);
  summary["ranks"][0].erase("messages");
  put(folder_ / "summary.json", summary.dump());
  EXPECT_THAT(refusal(), HasSubstr("'ranks' is not a list of what each rank did"));
}

TEST_F(RunFolderTest, GivenASummaryWithAValueOfAnotherKindThenFileAndKeyAreNamed) {
  const std::vector<std::pair<const char*, const char*>> faults = {
      {"/case", "3"},          {"/backend", "null"},     {"/workers", "2.5"},
      {"/wall_s", "\"1\""},    {"/error", "[]"},         {"/updates", "7"},
      {"/load", "{}"},         {"/longest_waits", "{}"}, {"/longest_waits", "[1]"},
      {"/patches", "[]"},      {"/config", "true"},      {"/updates/per_level", "\"1\""},
      {"/components", "[]"},   {"/schedule", "[]"},      {"/patches/per_level", "[1, \"2\"]"},
      {"/steps", "\"2\""},     {"/ranks", "{}"},         {"/ranks", "[{\"host\": \"a\"}]"},
      {"/moved_patches", "[]"}};
  for (const auto& [pointer, value] : faults) {
    auto summary = nlohmann::ordered_json::parse(kSummary);
    summary[nlohmann::ordered_json::json_pointer(pointer)] = nlohmann::ordered_json::parse(value);
    put(folder_ / "summary.json", summary.dump());
    EXPECT_THAT(refusal(), AllOf(HasSubstr("summary.json"),
                                 HasSubstr(std::string("'") + (pointer + 1) + "' is not ")));
  }
}

TEST_F(RunFolderTest, GivenARunContinuedAtItsEndThenItsLoadHasNoBaseStep) {
  put(folder_ / "load.csv", std::string(kLoad).substr(0, std::string(kLoad).find('\n') + 1));
  EXPECT_TRUE(read_run_folder(folder_).load.empty());
}

TEST_F(RunFolderTest, GivenATableThatIsCutOffThenFileAndLineAreNamed) {
  put(folder_ / "load.csv", std::string(kLoad).substr(0, 70));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("load.csv:3:"), HasSubstr("cut off")));
  put(folder_ / "load.csv", std::string(kLoad).substr(0, 60));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("load.csv:2:"), HasSubstr("before base step 1")));
  put(folder_ / "load.csv", "");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("load.csv"), HasSubstr("empty")));
}

TEST_F(RunFolderTest, GivenAForeignTableThenFileLineAndFaultAreNamed) {
  put(folder_ / "load.csv", "step,worker,load\n0,0,1\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("load.csv:1:"), HasSubstr("'updates'")));
  std::string text = kLoad;
  put(folder_ / "load.csv", text.replace(text.find("256"), 3, "2x6"));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("load.csv:3:"), HasSubstr("'2x6' in the column updates")));
  text = kLoad;
  put(folder_ / "load.csv", text.replace(text.find("256,"), 4, ""));
  EXPECT_THAT(refusal(),
              HasSubstr("load.csv:3: the line has 5 fields, but the table has 6 columns"));
  text = kLoad;
  put(folder_ / "load.csv", text.replace(text.find("0,0,512,0.25,0.5,3"), 18, "512"));
  EXPECT_THAT(refusal(),
              HasSubstr("load.csv:2: the line has 1 field, but the table has 6 columns"));
  text = kLoad;
  put(folder_ / "load.csv", text.replace(text.find("0,1,"), 4, "0,2,"));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("load.csv:3:"), HasSubstr("workers")));
  put(folder_ / "load.csv", kLoad);
  text = kDiagnostics;
  put(folder_ / "diagnostics.csv", text.replace(text.find("mass"), 4, "mess"));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("diagnostics.csv:1:"), HasSubstr("'mass'")));
}

}  // namespace
}  // namespace kumiko::io::test
