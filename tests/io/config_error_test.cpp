// Contract: every way in which a configuration can be wrong is refused by its own message, which
// tells where (file and line, or the option), what, and what would do.
#include <string>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config_fixture.hpp"

namespace kumiko::io::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing::ThrowsMessage;

TEST(ConfigError, UnknownKeyNamesTheNearestOne) {
  EXPECT_EQ(refusal(kMinimal + "[amr]\nlevel = 3"),
            "run.toml:3: unknown key 'amr.level'; did you mean 'amr.levels'?");
  EXPECT_EQ(refusal(kMinimal + "[solver]\ndepature = 'exact'"),
            "run.toml:3: unknown key 'solver.depature'; did you mean 'solver.departure'?");
}

TEST(ConfigError, KeyOfAnotherSolverSaysWhoseItIs) {
  Schema known = schema();
  known.note_other("solver", {{"order", std::int64_t{5}, "of accuracy"}}, "solver 'fct'");
  known.note_other("solver", {{"order", std::int64_t{1}, "of accuracy"}}, "solver 'thinc'");
  const ConfigSource source = parse_config(kMinimal + "solver.order = 7\n", "run.toml");
  try {
    source.check(known);
    FAIL() << "it was accepted";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(
        error.what(),
        "run.toml:2: 'solver.order' is a key of solver 'fct' or solver 'thinc', which this "
        "run does not have; take it out, or name that one by solver.name");
  }
}

TEST(ConfigError, TextInABinaryFileHasNoLines) {
  EXPECT_THAT(
      [] { parse_config(kMinimal + "amr.levels = 0\n", "state.hdf", {}, {.names_lines = false}); },
      ThrowsMessage<ConfigError>(StartsWith("state.hdf: 'amr.levels' is 0; ")));
}

TEST(ConfigError, UnknownKeyWithoutItsTableNamesTheWholeKey) {
  EXPECT_EQ(refusal(kMinimal + "levels = 3"),
            "run.toml:2: unknown key 'levels'; did you mean 'amr.levels'?");
}

TEST(ConfigError, UnknownKeyFarFromAllListsItsTable) {
  EXPECT_EQ(refusal(kMinimal + "[output]\nhorizontal = 3"),
            "run.toml:3: unknown key 'output.horizontal'; the keys of [output] are "
            "output.every, output.interval, output.times, output.exact, output.extras, "
            "output.compression");
}

TEST(ConfigError, UnknownKeyOutsideAllTablesListsTheTables) {
  EXPECT_THAT(
      refusal(kMinimal + "horizontal = 3"),
      AllOf(StartsWith(
                "run.toml:2: unknown key 'horizontal'; the tables are amr, amr.region, case, "),
            HasSubstr("time")));
}

TEST(ConfigError, QuotedDotsDoNotMakeATable) {
  EXPECT_THAT(refusal(kMinimal + "\"amr.levels\" = 3"), HasSubstr("unknown key '\"amr.levels\"'"));
}

TEST(ConfigError, UnknownTableNamesTheNearestOne) {
  EXPECT_EQ(refusal(kMinimal + "\n\n[gird]\n"),
            "run.toml:4: unknown table [gird]; did you mean [grid]?");
  EXPECT_EQ(refusal(kMinimal + "gird.base = 3"),
            "run.toml:2: unknown table [gird]; did you mean [grid]?");
  EXPECT_THAT(refusal(kMinimal + "[[[horizontal]]]"), StartsWith("run.toml:2:"));
}

TEST(ConfigError, ATableIsNoKey) {
  EXPECT_EQ(refusal(kMinimal + "grid = 256"),
            "run.toml:2: 'grid' is a table, not a key; its keys are grid.base");
  EXPECT_EQ(
      refusal(kMinimal + "[grid.base]\nx = 1"),
      "run.toml:2: 'grid.base' must be a list of 2 integers or one integer for all, not a table");
  EXPECT_EQ(refusal(kMinimal + "amr.region = 5"),
            "run.toml:2: 'amr.region' is a list of tables; write [[amr.region]] in the file, once "
            "for each");
}

TEST(ConfigError, MistypedValueNamesBothTypes) {
  EXPECT_EQ(refusal(kMinimal + "amr.levels = 'three'"),
            "run.toml:2: 'amr.levels' must be an integer, not \"three\"");
  EXPECT_EQ(refusal(kMinimal + "amr.levels = true"),
            "run.toml:2: 'amr.levels' must be an integer, not true");
  EXPECT_EQ(refusal(kMinimal + "amr.delta = '0.05'"),
            "run.toml:2: 'amr.delta' must be a number, not \"0.05\"");
  EXPECT_EQ(refusal(kMinimal + "solver.limit = 1"),
            "run.toml:2: 'solver.limit' must be a boolean (true or false), not 1");
  EXPECT_EQ(refusal("case.name = 7"), "run.toml:1: 'case.name' must be text, not 7");
  EXPECT_EQ(refusal(kMinimal + "case.shape = 7"),
            "run.toml:2: 'case.shape' must be a list of integers, not 7");
  EXPECT_THAT(refusal(kMinimal + "amr.levels = 2024-01-01"), HasSubstr("not a date or a time"));
  EXPECT_THAT(refusal(kMinimal + "grid.base = [16.0, 16]"), HasSubstr("not [16.0, 16.0]"));
  EXPECT_EQ(refusal(kMinimal + "grid.base = [[1, 2]]"),
            "run.toml:2: 'grid.base' must be a list of 2 integers or one integer for all, not "
            "[[1.0, 2.0]]");
  EXPECT_THAT(refusal(kMinimal + "grid.base = ['a']"), HasSubstr("not a list of something else"));
  EXPECT_EQ(refusal(kMinimal + "[[amr.levels]]"),
            "run.toml:2: 'amr.levels' must be an integer, not a table");
}

TEST(ConfigError, ANumberWithAnExponentIsNoInteger) {
  EXPECT_EQ(refusal(kMinimal + "time.steps = 1e3"),
            "run.toml:2: 'time.steps' must be an integer, not 1000.0");
}

TEST(ConfigError, OutOfRangeSaysTheRange) {
  EXPECT_EQ(refusal(kMinimal + "amr.levels = 0"),
            "run.toml:2: 'amr.levels' is 0; it must be 1 to 8");
  EXPECT_EQ(refusal(kMinimal + "amr.levels = 9"),
            "run.toml:2: 'amr.levels' is 9; it must be 1 to 8");
  EXPECT_EQ(refusal(kMinimal + "amr.levels = -9223372036854775808"),
            "run.toml:2: 'amr.levels' is -9223372036854775808; it must be 1 to 8");
  EXPECT_EQ(refusal(kMinimal + "solver.weight = -1.5"),
            "run.toml:2: 'solver.weight' is -1.5; it must be at least -1");
  EXPECT_THAT(refusal(kMinimal + "diagnostics.every = -1"),
              HasSubstr("it must be 0 to 1000000000"));
}

TEST(ConfigError, TheThresholdExcludesItsBounds) {
  EXPECT_EQ(refusal(kMinimal + "amr.threshold = 0"),
            "run.toml:2: 'amr.threshold' is 0.0; it must be above 0");
  EXPECT_EQ(
      refusal(kMinimal + "amr.threshold = 1.0"),
      "run.toml:2: 'amr.threshold' is 1; with 'amr.criterion' loehner it must be below 1, since "
      "the indicator never exceeds 1");
}

TEST(ConfigError, NumbersAreFinite) {
  EXPECT_EQ(refusal(kMinimal + "amr.delta = nan"),
            "run.toml:2: 'amr.delta' is nan; it must be finite, 0 to 1");
  EXPECT_EQ(refusal(kMinimal + "amr.delta = -inf"),
            "run.toml:2: 'amr.delta' is -inf; it must be finite, 0 to 1");
  EXPECT_EQ(refusal(kMinimal + "case.inner.radius = inf"),
            "run.toml:2: 'case.inner.radius' is inf; it must be finite");
  EXPECT_EQ(refusal(kMinimal + "solver.weight = inf"),
            "run.toml:2: 'solver.weight' is inf; it must be finite, at least -1");
}

TEST(ConfigError, TheBaseGridIsMadeOfWholePatches) {
  EXPECT_EQ(refusal(kMinimal + "grid.base = 100"),
            "run.toml:2: 'grid.base' is 100; it must be 16 to 65536, a multiple of 16");
  EXPECT_THAT(refusal(kMinimal + "grid.base = [64, 8]"), HasSubstr("'grid.base' is 8; it must be"));
  EXPECT_THAT(refusal(kMinimal + "grid.base = 0"), HasSubstr("it must be 16 to 65536"));
  EXPECT_EQ(refusal(kMinimal + "grid.base = [64, 64, 64]"),
            "run.toml:2: 'grid.base' has 3 elements; it must be a list of 2 integers or one "
            "integer for all");
}

TEST(ConfigError, OutsideTheChoicesListsThem) {
  EXPECT_EQ(refusal(kMinimal + "step.time_interpolation = 'lineer'"),
            "run.toml:2: 'step.time_interpolation' is 'lineer'; it must be 'auto', "
            "'characteristic', 'linear' or 'quadratic'; did you mean 'linear'?");
  EXPECT_EQ(refusal(kMinimal + "solver.departure = ''"),
            "run.toml:2: 'solver.departure' is ''; it must be 'first_order', 'second_order' or "
            "'exact'");
}

TEST(ConfigError, ADerefineThresholdAboveTheOtherNamesBoth) {
  EXPECT_EQ(refusal(kMinimal + "amr.threshold = 0.2\namr.derefine_threshold = 0.3"),
            "run.toml:3: 'amr.derefine_threshold' is 0.3; it must be at most 'amr.threshold', 0.2");
}

TEST(ConfigError, AThresholdThatIsTooLargeOnTheGridNamesTheOneItWasGivenFor) {
  EXPECT_EQ(refusal(kMinimal + "grid.base = 16\namr.threshold = 0.1\namr.threshold_order = 2\n"
                               "amr.threshold_at = 64"),
            "run.toml:3: 'amr.threshold' is 1.6 on this 'grid.base', from 0.1 at 64 by "
            "'amr.threshold_order'; with 'amr.criterion' loehner it must be below 1, since the "
            "indicator never exceeds 1");
}

TEST(ConfigError, TheRefinementsNumbersHaveRanges) {
  EXPECT_THAT(refusal(kMinimal + "amr.interval = -1"), HasSubstr("it must be 0 to 1000000000"));
  EXPECT_THAT(refusal(kMinimal + "amr.hysteresis = -1"), HasSubstr("it must be 0 to"));
  EXPECT_THAT(refusal(kMinimal + "amr.min_lifetime = -1"), HasSubstr("it must be 0 to"));
  EXPECT_THAT(refusal(kMinimal + "amr.memory_limit = -1"), HasSubstr("it must be 0 to"));
  EXPECT_THAT(refusal(kMinimal + "amr.check_finite = -1"), HasSubstr("it must be 0 to"));
  EXPECT_EQ(refusal(kMinimal + "amr.criterion = 'gradent'"),
            "run.toml:2: 'amr.criterion' is 'gradent'; it must be 'loehner', 'gradient' or 'user'; "
            "did you mean 'gradient'?");
}

/// A region that is right, as lines 2 to 4, to which tests append.
const std::string kRegion = kMinimal + "[[amr.region]]\nx = [0, 1]\ny = [0.25, 0.5]\n";

TEST(ConfigError, ARegionSaysWhatItLacks) {
  EXPECT_EQ(
      refusal(kMinimal + "[[amr.region]]\nx = [0, 1]\nmax_level = 1"),
      "run.toml:2: 'amr.region.y' is missing; add this key (extent in y of a region with levels of "
      "its own: from, to, in the case's units)");
  EXPECT_THAT(refusal(kRegion + "[[amr.region]]\ny = [0, 1]"),
              StartsWith("run.toml:5: 'amr.region.x' is missing"));
}

TEST(ConfigError, ARegionsValuesAreCheckedInTheirLines) {
  EXPECT_EQ(refusal(kRegion + "max_level = 8"),
            "run.toml:5: 'amr.region.max_level' is 8; it must be 0 to 7");
  EXPECT_EQ(
      refusal(kRegion + "max_level = 1\nmin_level = 2"),
      "run.toml:6: 'amr.region.min_level' is 2; it must be at most 'amr.region.max_level', 1");
  EXPECT_EQ(
      refusal(kRegion + "min_level = 3"),
      "run.toml:5: 'amr.region.min_level' is 3; with 'amr.levels' at 3 the finest level is 2");
  EXPECT_EQ(refusal(kMinimal + "[[amr.region]]\nx = [0.5, 0.25]\ny = [0, 1]"),
            "run.toml:3: 'amr.region.x' is [0.5, 0.25]; its first number must be below its second");
  EXPECT_EQ(refusal(kMinimal + "[[amr.region]]\nx = [0.5]\ny = [0, 1]"),
            "run.toml:3: 'amr.region.x' has 1 element; it must be a list of 2 numbers");
  EXPECT_EQ(refusal(kMinimal + "[[amr.region]]\nx = 0.5\ny = [0, 1]"),
            "run.toml:3: 'amr.region.x' must be a list of 2 numbers, not 0.5");
  EXPECT_THAT(refusal(kMinimal + "[[amr.region]]\nx = [0, inf]\ny = [0, 1]"),
              HasSubstr("it must be finite"));
  EXPECT_EQ(refusal(kRegion + "max_levle = 1"),
            "run.toml:5: unknown key 'amr.region.max_levle'; did you mean 'amr.region.max_level'?");
}

TEST(ConfigError, AListOfTablesIsNoTableAndTheOtherWayRound) {
  EXPECT_EQ(refusal(kMinimal + "[amr.region]\nx = [0, 1]"),
            "run.toml:2: 'amr.region' is a list of tables; write [[amr.region]] in the file, once "
            "for each");
  EXPECT_EQ(refusal(kMinimal + "[[grid]]\nbase = 64"),
            "run.toml:2: [grid] is one table, not a list; write [grid]");
  EXPECT_EQ(refusal(kMinimal + "[[amr.regoin]]\nx = [0, 1]"),
            "run.toml:2: unknown table [amr.regoin]; did you mean [amr.region]?");
}

TEST(ConfigError, AnOverrideOfARegionNeedsOneThatIsThere) {
  EXPECT_EQ(
      refusal(kRegion, {"amr.region[1].max_level=1"}),
      "--set amr.region[1].max_level=1: the file has no 'amr.region[1]'; add a [[amr.region]] "
      "there");
  EXPECT_THAT(refusal(kRegion, {"amr.region.max_level=1"}), HasSubstr("is a list of tables"));
}

TEST(ConfigError, StoppingAfterTheEndNamesBoth) {
  EXPECT_EQ(refusal(kMinimal + "time.steps = 10\ntime.stop_step = 11"),
            "run.toml:3: 'time.stop_step' is 11; it must be at most 'time.steps', 10");
}

TEST(ConfigError, DuplicatesAreRefusedWithLineAndColumn) {
  EXPECT_THAT(refusal(kMinimal + "amr.levels = 2\namr.levels = 2"),
              AllOf(StartsWith("run.toml:3:"), HasSubstr("cannot redefine"),
                    HasSubstr("; remove one of the two")));
}

TEST(ConfigError, SyntaxIsRefusedWithLineAndColumn) {
  EXPECT_THAT(refusal(kMinimal + "amr.levels = "), StartsWith("run.toml:2:"));
  EXPECT_THAT(refusal(kMinimal + "amr.levels 3"), StartsWith("run.toml:2:"));
  EXPECT_THAT(refusal(kMinimal + "case.title = \"a\nb\""), StartsWith("run.toml:2:"));
  EXPECT_THAT(refusal("[case"), StartsWith("run.toml:1:"));
  EXPECT_THAT(refusal(kMinimal + "amr.levels = 99999999999999999999"), StartsWith("run.toml:2:"));
  EXPECT_THAT(refusal(kMinimal + "amr.delta = 1e999"), StartsWith("run.toml:2:"));
  EXPECT_THAT(refusal(kMinimal + "case.title = '\xff\xfe'"), StartsWith("run.toml:2:"));
  EXPECT_THAT(refusal(std::string("case.name = 'a\0b'", 17)), StartsWith("run.toml:1:"));
}

TEST(ConfigError, ARequiredKeyThatIsMissingIsNamed) {
  EXPECT_EQ(refusal(""), "run.toml: 'case.name' is missing; add this key (the case to compute)");
  EXPECT_EQ(refusal("# nothing\n"), refusal(""));
}

TEST(ConfigError, AMisspelledRequiredKeyIsNamed) {
  EXPECT_EQ(refusal("[case]\nnam = 'zalesak'"),
            "run.toml:2: unknown key 'case.nam'; did you mean 'case.name'?");
}

TEST(ConfigError, TheFirstOneInTheFileIsTold) {
  EXPECT_THAT(refusal(kMinimal + "[time]\nsteps = -1\n[amr]\nlevels = 0"),
              StartsWith("run.toml:3: 'time.steps'"));
}

TEST(ConfigError, AWrongFileIsRefusedThoughAnOverrideHidesIt) {
  EXPECT_THAT(refusal(kMinimal + "amr.levels = 0", {"amr.levels=1"}), StartsWith("run.toml:2:"));
}

TEST(ConfigError, OverridesAreNamedByTheirOption) {
  EXPECT_EQ(refusal(kMinimal, {"grid.bse=32"}),
            "--set grid.bse=32: unknown key 'grid.bse'; did you mean 'grid.base'?");
  EXPECT_EQ(refusal(kMinimal, {"amr.levels=0"}),
            "--set amr.levels=0: 'amr.levels' is 0; it must be 1 to 8");
  EXPECT_EQ(refusal(kMinimal, {"grid=32"}),
            "--set grid=32: 'grid' is a table, not a key; its keys are grid.base");
  EXPECT_THAT(refusal(kMinimal, {"case.titel=x"}), HasSubstr("did you mean 'case.title'?"));
}

TEST(ConfigError, MalformedOverridesShowTheForm) {
  const std::string remedy = ": not of the form KEY=VALUE; write it like --set amr.levels=2";
  EXPECT_EQ(refusal(kMinimal, {"amr.levels"}), "--set amr.levels" + remedy);
  EXPECT_EQ(refusal(kMinimal, {"=3"}), "--set =3" + remedy);
  EXPECT_EQ(refusal(kMinimal, {""}), "--set " + remedy);
}

TEST(ConfigError, OverridesOfAnotherTypeAreRefused) {
  EXPECT_EQ(refusal(kMinimal, {"amr.levels=two"}),
            "--set amr.levels=two: 'amr.levels' must be an integer, not 'two'");
  EXPECT_EQ(refusal(kMinimal, {"time.steps=1e3"}),
            "--set time.steps=1e3: 'time.steps' must be an integer, not 1000.0");
  EXPECT_THAT(refusal(kMinimal, {"time.steps=99999999999999999999"}),
              HasSubstr("'time.steps' is '99999999999999999999', which does not fit into 64 bits"));
  EXPECT_THAT(refusal(kMinimal, {"amr.levels="}), HasSubstr("not nothing"));
  EXPECT_THAT(refusal(kMinimal, {"amr.levels=2 # two"}), HasSubstr("not '2 # two'"));
  EXPECT_THAT(refusal(kMinimal, {"amr.levels=2\ntime.steps=1"}), HasSubstr("must be an integer"));
  EXPECT_THAT(refusal(kMinimal, {"grid.base=256,128"}), HasSubstr("not '256,128'"));
  EXPECT_THAT(refusal(kMinimal, {"amr.delta=nan"}), HasSubstr("it must be finite, 0 to 1"));
  for (const char* const slip : {"amr.delta=.1", "amr.delta=1.", "amr.levels=02"}) {
    EXPECT_THAT(refusal(kMinimal, {slip}), HasSubstr("such as 0.1 or 2"));
  }
  EXPECT_THAT(refusal(kMinimal, {"case.title=\xff"}), HasSubstr("must be text"));
  EXPECT_THAT(refusal(kMinimal, {"case.title='a"}), HasSubstr("must be text"));
}

TEST(ConfigError, GarbageOfAnyDepthIsRefused) {
  EXPECT_THAT(refusal("a = " + std::string(3000, '[')), StartsWith("run.toml:1:"));
  EXPECT_THAT(refusal("a = " + std::string(100000, '[')),
              HasSubstr("a line of more than 4096 bytes; is this a TOML file?"));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "a.";
  EXPECT_THAT(refusal(deep + "a = 1"), HasSubstr("nested too deeply"));
  std::string tables;
  for (int i = 0; i < 200; ++i) tables += "{a = ";
  EXPECT_THAT(refusal("a = " + tables), StartsWith("run.toml:1:"));
  std::string bytes;
  for (int i = 0; i < 4000; ++i) bytes += static_cast<char>((i * 7919) % 251);
  EXPECT_THAT(refusal(bytes), StartsWith("run.toml:"));
}

TEST(ConfigError, CommonSlipsAreToldInPlainWords) {
  const auto slip = [](const std::string& line) { return refusal(kMinimal + line); };
  EXPECT_THAT(slip("case.title = 'a\n"),
              AllOf(StartsWith("run.toml:2:"), HasSubstr("close the quote")));
  EXPECT_THAT(slip("case.title = a"), HasSubstr("quote a text"));
  EXPECT_THAT(slip("amr.keep = True"), HasSubstr("write true"));
  EXPECT_THAT(slip("case.title =\n"), HasSubstr("no value after '='"));
  EXPECT_THAT(slip("grid.base = [32, 32"), HasSubstr("close the bracket"));
  EXPECT_THAT(slip("case.title"), HasSubstr("add '=' and a value"));
  EXPECT_THAT(slip("# a \x01"), Not(HasSubstr("quote")));
  EXPECT_THAT(slip("amr.threshold = 1e999"), HasSubstr("a number must be finite"));
  EXPECT_THAT(refusal(kMinimal + std::string("a\0b", 3)), HasSubstr("not a TOML file"));
  EXPECT_THAT(refusal("\x89HDF\r\n\x1a\n"), HasSubstr("give it to --restart"));
  EXPECT_THAT(refusal(std::string("\xff\xfe[\0", 4)), HasSubstr("in UTF-16; save it as UTF-8"));
}

TEST(ConfigError, AnEarlierNameOfAKeyIsAcceptedAndTold) {
  const ConfigSource source =
      parse_config(kMinimal + "output.figures = true\n", "run.toml", {"output.figures=false"});
  EXPECT_THAT(
      source.notes(),
      ElementsAre("run.toml:2: 'output.figures' is called 'output.extras' now",
                  "--set output.figures=false: 'output.figures' is called 'output.extras' now"));
  EXPECT_FALSE(source.check(schema()).values().flag("output.extras"));
  EXPECT_TRUE(parse_config(kMinimal + "output.extras = true\n", "run.toml").notes().empty());
  EXPECT_THAT(
      refusal(kMinimal + "[output]\nextras = true\nfigures = true"),
      AllOf(StartsWith("run.toml:4: 'output.figures'"), HasSubstr("run.toml:3 sets that too")));
}

TEST(ConfigError, AnOverrideThatReplacesAnotherIsToldUnlessItIsTheSame) {
  const auto notes = [](const std::vector<std::string>& overrides) {
    return parse_config(kMinimal + "time.steps = 4\n", "run.toml", overrides).notes();
  };
  EXPECT_THAT(notes({"time.steps=5"}), IsEmpty());
  EXPECT_THAT(notes({"time.steps=5", "amr.levels=1", "time.steps = 5"}), IsEmpty());
  EXPECT_THAT(notes({"time.steps=5", "time.steps=6", "time.steps=7"}),
              ElementsAre("--set time.steps=6 replaces --set time.steps=5",
                          "--set time.steps=7 replaces --set time.steps=6"));
  EXPECT_THAT(
      notes({"output.figures=true", "output.extras=false"}),
      ElementsAre("--set output.figures=true: 'output.figures' is called 'output.extras' now",
                  "--set output.extras=false replaces --set output.figures=true"));
}

TEST(ConfigError, TheOverrideThatCountsIsTheLast) {
  const ConfigSource source = parse_config(kMinimal + "runtime.workers = 1\n", "run.toml",
                                           {"time.steps=5", "time.steps=6"});
  EXPECT_EQ(source.override_of("time.steps"), "--set time.steps=6");
  EXPECT_EQ(source.override_of("runtime.workers"), "");
}

TEST(ConfigError, CharactersBeyondAsciiStandInQuotesAndCommentsOnly) {
  const std::string message =
      ": a character that is not ASCII outside quotes and comments; quote it";
  EXPECT_EQ(refusal(kMinimal + "é = 1"), "run.toml:2" + message);
  EXPECT_EQ(refusal("# é\n\ncase.name = é"), "run.toml:3" + message);
  for (const std::string title :
       {"'é\\' # é", "\"\\\"é\" # é", "'''\né\n''é''''' # é", "\"\"\"\\\"é\"\"\"\"\"\n# é"}) {
    const std::string good = fmt::format("{}case.title = {}", kMinimal, title);
    EXPECT_NO_THROW(load(good)) << title;
    EXPECT_THAT(refusal(good + "\né = 1"), HasSubstr(message));
  }
}

TEST(ConfigError, LongValuesAreCut) {
  const std::string message =
      refusal(kMinimal + "solver.departure = '" + std::string(2000, 'x') + "'");
  EXPECT_LT(message.size(), 300U);
  EXPECT_THAT(message, HasSubstr("..."));
}

}  // namespace
}  // namespace kumiko::io::test
