// Contract: a schema refuses declarations that no configuration could satisfy, describes every key,
// and the nearest known word is found within few edits.
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kumiko/io/nearest.hpp>

#include "config_fixture.hpp"

namespace kumiko::io::test {
namespace {

using testing::HasSubstr;

std::string refused_declaration(const std::vector<amr::ParameterSpec>& parameters) {
  Schema schema;
  try {
    schema.add_solver(parameters);
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

TEST(Schema, LetsNothingThatDeterminesTheStateChangeAtARestart) {
  const std::set<std::string> changeable = {"amr.memory_limit", "amr.check_finite", "step.schedule",
                                            "time.stop_step", "time.wall_limit"};
  const Schema keys = schema();
  for (const Key& key : keys.keys()) {
    const std::string& name = key.spec.name;
    const std::string table = name.substr(0, name.find('.'));
    if (!std::set<std::string>{"case", "solver", "grid", "amr", "step", "time"}.contains(table))
      continue;
    EXPECT_EQ(key.changeable, changeable.contains(name)) << name;
  }
}

TEST(Schema, RefusesNamesThatAreTaken) {
  EXPECT_EQ(refused_declaration({{"name", 1.0, ""}}),
            "the solver declares 'solver.name', a name that is taken");
  EXPECT_THAT(refused_declaration({{"a", 1.0, ""}, {"a", 1.0, ""}}), HasSubstr("'solver.a'"));
  EXPECT_THAT(refused_declaration({{"a", 1.0, ""}, {"a.b", 1.0, ""}}), HasSubstr("'solver.a.b'"));
}

TEST(Schema, RefusesNamesThatNeedQuotes) {
  EXPECT_THAT(refused_declaration({{"", 1.0, ""}}), HasSubstr("''"));
  EXPECT_THAT(refused_declaration({{"a b", 1.0, ""}}), HasSubstr("'a b'"));
  EXPECT_THAT(refused_declaration({{"a..b", 1.0, ""}}), HasSubstr("'a..b'"));
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
  const std::string text = describe_keys(schema());
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
