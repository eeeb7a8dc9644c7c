// Contract: a schema refuses declarations that no configuration could satisfy, describes every key,
// and the nearest known word is found within few edits.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kumiko/io/nearest.hpp>
#include <kumiko/io/run_options.hpp>

#include "config_fixture.hpp"

namespace kumiko::io::test {
namespace {

using testing::HasSubstr;

std::string refused_declaration(const std::vector<amr::ParameterSpec>& parameters) {
  Schema schema;
  try {
    schema.add("solver", parameters);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(Schema, HoldsTheCoreKeysAndThoseAdded) {
  const Schema keys = schema();
  EXPECT_NE(keys.find("amr.levels"), nullptr);
  EXPECT_NE(keys.find("solver.departure"), nullptr);
  EXPECT_NE(keys.find("case.inner.radius"), nullptr);
  EXPECT_EQ(keys.find("departure"), nullptr);
  EXPECT_TRUE(keys.has_table("case.inner"));
  EXPECT_FALSE(keys.has_table("cas"));
  EXPECT_FALSE(keys.has_table("case.name"));
}

TEST(Schema, CoreDefaultsSatisfyTheirOwnRanges) {
  const Config config = parse_config(kMinimal, "run.toml").check(Schema());
  EXPECT_EQ(parse_config(config.to_toml(), "effective").check(Schema()).values().values(),
            config.values().values());
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A configuration that sets nothing gives the options that a program gets which sets nothing.
template <class Options>
void expect_defaults(const Options& read, std::set<std::string>& options) {
  for (const amr::OptionField<Options>& option : amr::fields<Options>()) {
    if (option.get && !option.required) {
      EXPECT_EQ(option.get(read), option.get(Options{})) << option.spec.name;
    }
    EXPECT_TRUE(options.insert(option.spec.name).second) << option.spec.name << " is there twice";
  }
}

TEST(Schema, GivesEveryOptionOneKeyWithTheOptionsOwnDefaultAndRange) {
  const amr::ParameterSet values =
      load(kMinimal + "[[amr.region]]\nx = [0, 1]\ny = [0, 1]\n[[record]]\nname = 'a'\n").values();
  std::set<std::string> options;
  const auto simulation = read<amr::SimulationOptions>(values);
  expect_defaults(simulation, options);
  expect_defaults(simulation.refinement, options);
  expect_defaults(simulation.refinement.regions.at(0), options);
  const auto run = read<RunOptions>(values);
  expect_defaults(run, options);
  expect_defaults(run.records.at(0), options);
  const Schema known;
  for (const Key& key : known.keys()) {
    EXPECT_EQ(options.erase(key.option), 1U) << key.spec.name << " is the key of no option";
  }
  EXPECT_EQ(options, std::set<std::string>{}) << "without a key";
}

TEST(Schema, ReadsEveryValueIntoItsOption) {
  const auto options = read<amr::SimulationOptions>(
      load(kMinimal + "grid.base = [32, 64]\namr.levels = 2\namr.criterion = 'gradient'\n"
                      "amr.memory_limit = 3\nstep.subcycling = false\nstep.schedule = 'level'\n"
                      "step.time_interpolation = 'linear'\n[[amr.region]]\nx = [0.25, 0.5]\n"
                      "y = [0, 2]\nmin_level = 1\n")
          .values());
  EXPECT_EQ(options.points_x, 32);
  EXPECT_EQ(options.points_y, 64);
  EXPECT_EQ(options.levels, 2);
  EXPECT_EQ(options.refinement.criterion, amr::Criterion::kGradient);
  EXPECT_EQ(options.refinement.memory_limit, 3U << 20U);
  EXPECT_FALSE(options.subcycling);
  EXPECT_EQ(options.schedule, amr::Schedule::kLevel);
  EXPECT_EQ(options.time_interpolation, amr::TimeInterpolation::kLinear);
  ASSERT_EQ(options.refinement.regions.size(), 1U);
  EXPECT_EQ(options.refinement.regions[0].x0, 0.25);
  EXPECT_EQ(options.refinement.regions[0].y1, 2.0);
  EXPECT_EQ(options.refinement.regions[0].min_level, 1);
}

TEST(Schema, ReadsAmountsInStepsAndInTime) {
  const auto run = [](const std::string& text) {
    return read<RunOptions>(load(kMinimal + text).values());
  };
  EXPECT_EQ(run("").checkpoints.steps, RunOptions{}.checkpoints.steps);
  EXPECT_EQ(run("").checkpoints.seconds, RunOptions{}.checkpoints.seconds);
  EXPECT_EQ(run("").wall_limit_s, RunOptions{}.wall_limit_s);
  EXPECT_EQ(run("checkpoint.every = 12").checkpoints.steps, 12);
  EXPECT_EQ(run("checkpoint.every = '2 min'").checkpoints.seconds, 120.0);
  EXPECT_EQ(run("time.wall_limit = '1.5 h'").wall_limit_s, 5400.0);
  EXPECT_EQ(refusal(kMinimal + "checkpoint.every = 'often'"),
            "run.toml:2: 'checkpoint.every' is \"often\"; it must be a number of base steps or a "
            "time such as \"10 min\" (s, min, h, d)");
  EXPECT_EQ(refusal(kMinimal + "time.wall_limit = 5"),
            "run.toml:2: 'time.wall_limit' is \"5\"; it must be a time such as \"30 min\" or \"2 "
            "h\" (s, min, h, d), or 0 for none");
}

TEST(Schema, StandsInTheReferenceWhole) {
  const std::string page = text_of(std::filesystem::path(KUMIKO_ROOT) / "docs/reference/keys.md");
  const Schema known;
  for (const Key& key : known.keys()) {
    EXPECT_THAT(page, HasSubstr("\n| `" + key.spec.name + "` | "))
        << "run scripts/check-docs --write";
  }
}

TEST(Schema, PutsKeysIntoTheEnginesMessagesAndTheEngineNamesNone) {
  EXPECT_EQ(with_keys("`steps` must be 7; `levels`, `other` and `points"),
            "'time.steps' must be 7; 'amr.levels', `other` and `points");
  namespace fs = std::filesystem;
  const Schema known;
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(KUMIKO_ROOT) / "amr")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    ++files;
    const std::string text = text_of(entry.path());
    for (const Key& key : known.keys()) {
      EXPECT_EQ(text.find(key.spec.name), std::string::npos)
          << entry.path() << ": " << key.spec.name;
    }
  }
  EXPECT_GT(files, 50);
}

TEST(Schema, LetsNothingThatDeterminesTheStateChangeAtARestart) {
  const std::set<std::string> changeable = {"amr.memory_limit", "amr.check_finite",
                                            "step.schedule",    "step.cache",
                                            "time.stop_step",   "time.wall_limit"};
  const Schema keys = schema();
  for (const Key& key : keys.keys()) {
    const std::string& name = key.spec.name;
    const std::string table = name.substr(0, name.find('.'));
    const bool of_the_state =
        std::set<std::string>{"case", "solver", "grid", "amr", "step", "time"}.contains(table);
    // Base steps end at times of output where this is on.
    const bool sets_steps = name == "output.exact";
    EXPECT_EQ(key.changeable(), (!of_the_state && !sets_steps) || changeable.contains(name))
        << name;
  }
}

TEST(Schema, RefusesNamesThatAreTaken) {
  EXPECT_EQ(refused_declaration({{"name", 1.0, ""}}),
            "the solver declares 'solver.name', a name that is taken; give it another");
  EXPECT_THAT(refused_declaration({{"a", 1.0, ""}, {"a", 1.0, ""}}), HasSubstr("'solver.a'"));
  EXPECT_THAT(refused_declaration({{"a", 1.0, ""}, {"a.b", 1.0, ""}}), HasSubstr("'solver.a.b'"));
}

TEST(Schema, RefusesNamesThatNeedQuotes) {
  EXPECT_THAT(refused_declaration({{"", 1.0, ""}}), HasSubstr("''"));
  EXPECT_THAT(refused_declaration({{"a b", 1.0, ""}}), HasSubstr("'a b'"));
  EXPECT_THAT(refused_declaration({{"a..b", 1.0, ""}}), HasSubstr("'a..b'"));
}

TEST(Schema, RefusesRangesOfNothing) {
  EXPECT_EQ(
      refused_declaration({{"weight", 2.0, "", 3.0, 1.0}}),
      "the solver declares that 'solver.weight' is at least 3 and at most 1, which no number is");
  EXPECT_THAT(refused_declaration({{"weight", 2.0, "", 0.0, std::nan("")}}),
              HasSubstr("at least 0 and at most nan"));
}

TEST(Schema, RefusesChoicesOfWhatIsNotAText) {
  EXPECT_EQ(refused_declaration(
                {{.name = "order", .default_value = 2.0, .help = "", .choices = {"1", "2"}}}),
            "the solver declares choices of 'solver.order', which is not a text");
}

TEST(Schema, RefusesDefaultsOutOfTheirRange) {
  EXPECT_EQ(refused_declaration({{"weight", 2.0, "", 0.0, 1.0}}),
            "the solver declares a default that it refuses: 'solver.weight' is 2.0; it must be "
            "0 to 1");
  EXPECT_THAT(
      refused_declaration(
          {{.name = "kind", .default_value = std::string("a"), .help = "", .choices = {"b", "c"}}}),
      HasSubstr("it must be 'b' or 'c'"));
}

TEST(DescribeKeys, TellsTypeRangeDefaultAndHelp) {
  std::string text;
  const Schema known = schema();
  for (const Key& key : known.keys()) text += describe_key(key);
  EXPECT_THAT(text, HasSubstr("case.name\n    the case to compute\n    text; required\n"));
  EXPECT_THAT(text, HasSubstr("\n    list of 2 integers, 16 to 65536, a multiple of 16; "
                              "default [256, 256]\n"));
  EXPECT_THAT(text, HasSubstr("\n    number, above 0; default 0.1\n"));
  EXPECT_THAT(text, HasSubstr("\n    text: 'first_order', 'second_order' or 'exact'; "
                              "default \"first_order\"\n"));
  EXPECT_THAT(text, HasSubstr("\n    list of 2 numbers; in each [[amr.region]]; required\n"));
  EXPECT_THAT(text, HasSubstr("\n    boolean (true or false); default true\n"));
}

TEST(Nearest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  const std::vector<std::string> words = {"levels", "linear", "base"};
  EXPECT_EQ(nearest("level", words), "levels");
  EXPECT_EQ(nearest("bsae", words), "base");
  EXPECT_EQ(nearest("lineear", words), "linear");
  EXPECT_EQ(nearest("base", words), "base");
}

TEST(Nearest, GivesNothingWhenAllAreFar) {
  EXPECT_EQ(nearest("horizontal", {"levels", "linear"}), std::nullopt);
  EXPECT_EQ(nearest("", {"a"}), std::nullopt);
  EXPECT_EQ(nearest("a", {}), std::nullopt);
}

TEST(Nearest, FindsAKeyWhoseTableWasLeftOut) {
  EXPECT_EQ(nearest("base", {"bass", "grid.base"}), "grid.base");
}

}  // namespace
}  // namespace kumiko::io::test
