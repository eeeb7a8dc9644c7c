// Contract: a configuration is accepted as a whole or refused with one line that names file, line,
// cause and remedy; what is accepted gives every key a value, and written out reads back the same.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <kumiko/io/config.hpp>
#include <kumiko/io/run_options.hpp>

#include "config_fixture.hpp"

namespace kumiko::io::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Integers = std::vector<std::int64_t>;

TEST(Config, GivesDefaultsWhereNothingIsSet) {
  const Config config = load(kMinimal);
  EXPECT_EQ(config.values().text("case.name"), "zalesak");
  EXPECT_EQ(config.values().text("solver.name"), "semi_lagrangian_cubic");
  EXPECT_EQ(config.values().list("grid.base"), (Integers{256, 256}));
  EXPECT_EQ(config.values().integer("amr.levels"), 3);
  EXPECT_EQ(config.values().number("amr.threshold"), 0.1);
  EXPECT_EQ(config.values().text("step.time_interpolation"), "auto");
}

TEST(Config, ReadsTablesAndDottedKeysAlike) {
  const Config config = load("amr.levels = 2\n[case]\nname = 'a'\n[grid]\nbase = [64, 32]\n");
  EXPECT_EQ(config.values().integer("amr.levels"), 2);
  EXPECT_EQ(config.values().list("grid.base"), (Integers{64, 32}));
}

TEST(Config, TakesOneIntegerForASquareGrid) {
  EXPECT_EQ(load(kMinimal + "grid.base = 512").values().list("grid.base"), (Integers{512, 512}));
}

TEST(Config, TakesAnIntegerForANumber) {
  EXPECT_EQ(load(kMinimal + "amr.delta = 1").values().number("amr.delta"), 1.0);
}

TEST(Config, HandsSolverAndCaseWhatTheyDeclared) {
  const Config config = load(kMinimal + "solver.weight = 2\ncase.inner.radius = 0.25");
  const amr::ParameterSet solver = config.solver_parameters();
  EXPECT_EQ(solver.values().size(), 3U);
  EXPECT_EQ(solver.number("weight"), 2.0);
  EXPECT_TRUE(solver.flag("limit"));
  EXPECT_EQ(solver.text("departure"), "first_order");
  const amr::ParameterSet problem = config.case_parameters();
  EXPECT_EQ(problem.values().size(), 3U);
  EXPECT_EQ(problem.number("inner.radius"), 0.25);
}

TEST(Config, KnowsCaseAndSolverBeforeTheirParametersAreKnown) {
  const ConfigSource source =
      parse_config("[case]\nname = 'disk'\nanything = 1\n[solver]\nwhatever.else = 2", "run.toml",
                   {"solver.name=upwind", "case.more=3"});
  EXPECT_EQ(source.text("case.name"), "disk");
  EXPECT_EQ(source.text("solver.name"), "upwind");
}

TEST(Config, NamesThePlaceOfAValueThatTheCallerRefuses) {
  const ConfigSource source =
      parse_config("\n[case]\nname = 'disk'", "run.toml", {"solver.name=upwind"});
  EXPECT_STREQ(source.error("case.name", "no such case").what(), "run.toml:3: no such case");
  EXPECT_STREQ(source.error("solver.name", "no").what(), "--set solver.name=upwind: no");
  EXPECT_STREQ(source.error("time.steps", "too few").what(), "run.toml: too few");
}

TEST(Config, SaysForWhichGridThresholdsAreGivenThatFollowIt) {
  const auto at = [](const Config& config) { return config.values().integer("amr.threshold_at"); };
  const auto threshold = [](const Config& config) {
    const auto options = read<amr::SimulationOptions>(config.values());
    return amr::on_grid(options.refinement, options.points_x).threshold;
  };
  const std::string file = kMinimal + "grid.base = 64\namr.threshold_order = 2\n";
  const Config own = load(file);
  EXPECT_EQ(at(own), 64);
  EXPECT_EQ(threshold(own), 0.1);
  const Config finer = load(file, {"grid.base=128"});
  EXPECT_EQ(at(finer), 64) << "the file's grid, not the command line's";
  EXPECT_EQ(threshold(finer), 0.1 * 0.5 * 0.5);
  EXPECT_EQ(threshold(load(file, {"amr.threshold_order=1", "amr.threshold_at=16"})), 0.1 * 0.25);
  const Config again = parse_config(finer.to_toml(), "effective").check(schema());
  EXPECT_EQ(threshold(again), threshold(finer)) << "a restart keeps it";
  EXPECT_EQ(at(load(kMinimal, {"grid.base=128"})), 0) << "thresholds that stay belong to no grid";
}

TEST(ConfigRoundTrip, GivesTheSameValuesForEveryType) {
  const Config config =
      load(kMinimal +
           "amr.threshold = 0.30000000000000004\nsolver.limit = false\nsolver.weight = 1e300\n"
           "case.shape = []\ngrid.base = [1024, 16]\ncase.inner.radius = 3\n");
  const Config again = parse_config(config.to_toml(), "effective").check(schema());
  EXPECT_EQ(again.values().values(), config.values().values());
  EXPECT_EQ(again.to_toml(), config.to_toml());
}

TEST(Config, ReadsEveryRegion) {
  const Config config = load(kMinimal +
                                 "[[amr.region]]\nx = [0, 0.5]\ny = [0.25, 1]\nmin_level = 1\n"
                                 "[[amr.region]]\nx = [0, 1]\ny = [0, 1]\nmax_level = 2\n",
                             {"amr.region[1].x=[0.125, 2]"});
  const amr::ParameterSet& values = config.values();
  EXPECT_EQ(values.numbers("amr.region[0].x"), (std::vector<double>{0.0, 0.5}));
  EXPECT_EQ(values.integer("amr.region[0].max_level"), 7);
  EXPECT_EQ(values.integer("amr.region[0].min_level"), 1);
  EXPECT_EQ(values.numbers("amr.region[1].x"), (std::vector<double>{0.125, 2.0}));
  EXPECT_EQ(values.integer("amr.region[1].max_level"), 2);
  EXPECT_FALSE(values.contains("amr.region[2].x"));
  EXPECT_FALSE(load(kMinimal).values().contains("amr.region.x"));
}

TEST(Config, ReadsEveryRecordAndLeavesOutWhatItDoesNotGive) {
  const Config config = load(kMinimal +
                                 "[[record]]\nname = 'probes'\npoints = [[0, 0.5], [1e-3, 2]]\n"
                                 "[[record]]\nname = 'cut'\ninterval = 0.5\n"
                                 "line = { from = [0, 1], to = [2, 3], n = 5 }\n",
                             {"record[0].points=[[0.25, 1]]", "record[1].line.n=7"});
  const std::vector<RecordOptions> records = read<RunOptions>(config.values()).records;
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].points, (amr::PointList{{0.25, 1.0}}));
  EXPECT_EQ(records[0].every, 1);
  EXPECT_FALSE(records[0].has_line());
  EXPECT_EQ(records[1].line_to, (std::vector<double>{2.0, 3.0}));
  EXPECT_EQ(records[1].line_points, 7);
  EXPECT_EQ(records[1].every, 0) << "by the interval alone";
  EXPECT_FALSE(config.values().contains("record[1].points"));
  EXPECT_TRUE(config.is_of_run("record[0].points"));
  const Config again = parse_config(config.to_toml(), "effective").check(schema());
  EXPECT_EQ(again.values().values(), config.values().values());
  // The keys that the state does not depend on stand beside it.
  const ValuesBeside beside{"beside", config.run_values()};
  const Config restart = parse_config(config.state_toml(), "state", {}, beside).check(schema());
  EXPECT_EQ(restart.values().values(), config.values().values());
}

TEST(ConfigRoundTrip, KeepsEveryRegionInItsPlace) {
  std::string text = kMinimal;
  for (int n = 0; n < 12; ++n) {
    text += "[[amr.region]]\nx = [0, " + std::to_string(n + 1) + "]\ny = [-1e-3, 0.1]\n";
  }
  const Config config = load(text);
  const Config again = parse_config(config.to_toml(), "effective").check(schema());
  EXPECT_EQ(again.values().values(), config.values().values());
  EXPECT_EQ(again.values().numbers("amr.region[11].x"), (std::vector<double>{0.0, 12.0}));
}

TEST(ConfigRoundTrip, KeepsTextOfAnyCharacters) {
  const std::string title = "a \"b\" \\ 'c' \t # = [x] \n 組子 \x7f \x01";
  const Config config = load(kMinimal, {"case.title=" + title});
  EXPECT_EQ(config.values().text("case.title"), title);
  const Config again = parse_config(config.to_toml(), "effective").check(schema());
  EXPECT_EQ(again.values().text("case.title"), title);
}

TEST(ConfigRoundTrip, WritesOneTableForEachFirstPart) {
  const std::string text = load(kMinimal).to_toml();
  EXPECT_THAT(
      text,
      StartsWith("[amr]\nbuffer = 2\ncheck_finite = 4\ncriterion = \"loehner\"\ndelta = 0.05\n"));
  EXPECT_THAT(text, HasSubstr("\n[case]\ninner.radius = 0.15\nname = \"zalesak\"\n"));
}

TEST(ConfigOfAnotherSolver, LeavesOutTheKeysOfTheFilesSolverAndKeepsThoseOfTheCommandLine) {
  const std::string file = kMinimal + "solver.name = 'one'\nsolver.weight = 0.25\n";
  const ConfigSource source = parse_config(file, "run.toml", {"solver.limit=false"});
  const Config other = source.with_solver("other", "--solver other").check(schema());
  EXPECT_EQ(other.values().text("solver.name"), "other");
  EXPECT_EQ(other.values().number("solver.weight"), 0.5);
  EXPECT_FALSE(other.values().flag("solver.limit"));
  const Config same = source.with_solver("one", "--solver one").check(schema());
  EXPECT_EQ(same.values().number("solver.weight"), 0.25);
}

TEST(ConfigOfAnotherSolver, NamedByAnOverrideLeavesOutTheKeysOfTheFiles) {
  const std::string file = kMinimal + "solver.name = 'one'\nsolver.weight = 0.25\n";
  EXPECT_EQ(load(file, {"solver.name=one"}).values().number("solver.weight"), 0.25);
  EXPECT_EQ(load(file, {"solver.name=other"}).values().number("solver.weight"), 0.5);
  const Config both = load(file, {"solver.weight=0.75", "solver.name=other"});
  EXPECT_EQ(both.values().number("solver.weight"), 0.75);
  // The name that a file without one has.
  const std::string unnamed = kMinimal + "solver.weight = 0.25\n";
  EXPECT_EQ(load(unnamed, {"solver.name=semi_lagrangian_cubic"}).values().number("solver.weight"),
            0.25);
  EXPECT_EQ(load(unnamed, {"solver.name=other"}).values().number("solver.weight"), 0.5);
}

TEST(ConfigOfAnotherCase, NamedByAnOverrideLeavesOutTheKeysOfTheFiles) {
  const std::string file = kMinimal + "case.title = 'a long one'\n";
  EXPECT_EQ(load(file).values().text("case.title"), "a long one");
  EXPECT_NE(load(file, {"case.name=other"}).values().text("case.title"), "a long one");
}

TEST(ConfigOfAnotherSolver, NamesThePlaceOfItsName) {
  const ConfigSource source = parse_config(kMinimal, "run.toml");
  const std::string refused =
      source.with_solver("other", "--solver other").error("solver.name", "it is unknown").what();
  EXPECT_EQ(refused, "--solver other: it is unknown");
}

TEST(ConfigOverride, IsReadByTheTypeOfItsKey) {
  const Config config =
      load(kMinimal + "amr.levels = 3",
           {"amr.levels=1", "grid.base=[256,128]", "amr.floor=0", "solver.limit=false",
            "solver.departure=exact", "case.title=12", "case.shape=[7]"});
  EXPECT_EQ(config.values().integer("amr.levels"), 1);
  EXPECT_EQ(config.values().list("grid.base"), (Integers{256, 128}));
  EXPECT_EQ(config.values().number("amr.floor"), 0.0);
  EXPECT_FALSE(config.values().flag("solver.limit"));
  EXPECT_EQ(config.values().text("solver.departure"), "exact");
  EXPECT_EQ(config.values().text("case.title"), "12");
  EXPECT_EQ(config.values().list("case.shape"), (Integers{7}));
}

TEST(ConfigOverride, MayQuoteTextAndSurroundItWithSpace) {
  EXPECT_EQ(load(kMinimal, {" case.title = \"a = b\" "}).values().text("case.title"), "a = b");
  EXPECT_EQ(load(kMinimal, {"case.title='x'"}).values().text("case.title"), "x");
  EXPECT_EQ(load(kMinimal, {"case.title="}).values().text("case.title"), "");
  EXPECT_EQ(load(kMinimal, {"case.title=a=b"}).values().text("case.title"), "a=b");
}

TEST(ConfigOverride, TheLastOfAKeyCounts) {
  EXPECT_EQ(load(kMinimal, {"amr.levels=1", "amr.levels=2"}).values().integer("amr.levels"), 2);
}

TEST(ConfigOverride, MayGiveWhatTheFileLacks) {
  EXPECT_EQ(load("", {"case.name=zalesak"}).values().text("case.name"), "zalesak");
}

class ConfigFile : public testing::Test {
 protected:
  ConfigFile()
      : folder_(std::filesystem::temp_directory_path() /
                ("kumiko_config_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ConfigFile() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& text) const {
    std::filesystem::path path = folder_ / "run.toml";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  static std::string refusal_of(const std::filesystem::path& path) {
    try {
      read_config(path);
    } catch (const ConfigError& error) {
      return error.what();
    }
    ADD_FAILURE() << "accepted: " << path;
    return {};
  }

  std::filesystem::path folder_;
};

TEST_F(ConfigFile, IsReadWithItsOverrides) {
  const Config config = read_config(write(kMinimal), {"amr.levels=2"}).check(schema());
  EXPECT_EQ(config.values().integer("amr.levels"), 2);
}

TEST_F(ConfigFile, MayStartWithAByteOrderMark) {
  EXPECT_EQ(read_config(write("\xEF\xBB\xBF" + kMinimal)).text("case.name"), "zalesak");
}

TEST_F(ConfigFile, MayEndItsLinesWithCarriageReturns) {
  EXPECT_EQ(read_config(write("[case]\r\nname = 'zalesak'\r\n")).text("case.name"), "zalesak");
}

TEST_F(ConfigFile, ErrorsStartWithItsPath) {
  const std::filesystem::path path = write(kMinimal + "amr.levels = 0");
  EXPECT_THAT(refusal_of(path), StartsWith(path.string() + ":2: "));
}

TEST_F(ConfigFile, MissingIsAnErrorThatSaysSo) {
  EXPECT_EQ(refusal_of("missing.toml"),
            "cannot read 'missing.toml': No such file or directory; give the path of a TOML file");
}

TEST_F(ConfigFile, AFolderIsAnErrorThatSaysSo) {
  EXPECT_THAT(refusal_of(folder_), HasSubstr("is a folder; name a TOML file"));
}

TEST_F(ConfigFile, ANameTooLongIsAnErrorThatSaysSo) {
  const std::string name(5000, 'a');
  EXPECT_THAT(refusal_of(name), HasSubstr("File name too long"));
}

TEST_F(ConfigFile, ANameWithANewlineStaysOnOneLine) {
  EXPECT_THAT(refusal_of("a\nb"), StartsWith("cannot read 'a\\nb'"));
}

TEST_F(ConfigFile, AHugeFileIsAnErrorThatSaysSo) {
  EXPECT_THAT(refusal_of(write(std::string((1U << 20) + 1, '\n'))), HasSubstr("too large"));
}

}  // namespace
}  // namespace kumiko::io::test
