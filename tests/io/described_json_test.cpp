// Contract: the keys of a record's JSON are those of its description, in its order; a value that
// cannot be is refused with its text, and a key that nobody describes is skipped.
#include "text/described_json.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kumiko::io {
namespace {

using cluster::Item;
using DescribedJson = nlohmann::ordered_json;

struct Wheel {
  std::uint8_t spokes = 0;
  double radius = 0.0;
};
constexpr auto described(std::type_identity<Wheel>) {
  return std::tuple(Item<&Wheel::spokes>{"spokes"}.up_to(48), Item<&Wheel::radius>{"radius"});
}

struct Maker {
  std::string name;
  std::string town;
};
constexpr auto described(std::type_identity<Maker>) {
  return std::tuple(Item<&Maker::name>{"maker"}, Item<&Maker::town>{"town"});
}

struct Bicycle {
  Maker maker;
  Wheel front;
  std::vector<Wheel> others;
  std::optional<double> price;
  bool is_sold = false;
  std::uint8_t gears = 1;
};
constexpr auto described(std::type_identity<Bicycle>) {
  using B = Bicycle;
  return std::tuple(Item<&B::maker>{}, Item<&B::front, &Wheel::spokes>{"front_spokes"},
                    Item<&B::others>{"others"}.up_to(2), Item<&B::price>{"price"},
                    Item<&B::is_sold>{"is_sold"}, Item<&B::gears>{"gears"}.up_to(30).added_later());
}

constexpr const char* kText =
    R"({"maker":"A","town":"B","front_spokes":36,"others":[{"spokes":1,"radius":0.5}],"price":2.5,"is_sold":true,"gears":8})";

/// The text of the error when `pointer` has another value.
std::string fault_of_bicycle(const char* pointer, const DescribedJson& value) {
  DescribedJson json = DescribedJson::parse(kText);
  json[DescribedJson::json_pointer(pointer)] = value;
  try {
    json.get<Bicycle>();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(DescribedJsonTest, GivenARecordThenItsKeysAreInOrderAndReadBack) {
  const Bicycle bicycle{{"A", "B"}, {36, 0.0}, {{1, 0.5}}, 2.5, true, 8};
  EXPECT_EQ(DescribedJson(bicycle).dump(), kText);
  const auto read = DescribedJson::parse(kText).get<Bicycle>();
  EXPECT_EQ(read.maker.town, "B");
  EXPECT_EQ(read.front.spokes, 36);
  EXPECT_EQ(read.others.at(0).radius, 0.5);
  EXPECT_EQ(read.price, 2.5);
  EXPECT_TRUE(read.is_sold);
  EXPECT_EQ(read.gears, 8);
}

TEST(DescribedJsonTest, GivenNoOptionalValueThenItHasNoKeyAndNoneIsNeeded) {
  DescribedJson json = Bicycle{};
  EXPECT_FALSE(json.contains("price"));
  EXPECT_EQ(json.get<Bicycle>().price, std::nullopt);
}

TEST(DescribedJsonTest, GivenAnEarlierFileThenAKeyThatWasAddedLaterHasItsInitialValue) {
  DescribedJson json = DescribedJson::parse(kText);
  json.erase("gears");
  EXPECT_EQ(json.get<Bicycle>().gears, 1);
  EXPECT_EQ(fault_of_bicycle("/gears", 31U), "'31' is out of range");
}

TEST(DescribedJsonTest, GivenAKeyThatNobodyDescribesThenItIsSkipped) {
  EXPECT_EQ(fault_of_bicycle("/bell", true), "");
}

TEST(DescribedJsonTest, GivenAMissingKeyThenItsNameIsTold) {
  for (const char* const key : {"maker", "town", "front_spokes", "others"}) {
    DescribedJson json = DescribedJson::parse(kText);
    json.erase(key);
    try {
      json.get<Bicycle>();
      ADD_FAILURE() << key;
    } catch (const nlohmann::json::exception& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(key));
    }
  }
}

TEST(DescribedJsonTest, GivenAValueThatCannotBeThenTheTextSaysWhy) {
  EXPECT_EQ(fault_of_bicycle("/front_spokes", -1), "'-1' is not a count");
  EXPECT_EQ(fault_of_bicycle("/front_spokes", 1.5), "'1.5' is not a count");
  EXPECT_EQ(fault_of_bicycle("/front_spokes", DescribedJson::array()), "array is not a count");
  EXPECT_EQ(fault_of_bicycle("/front_spokes", 48U), "");
  EXPECT_EQ(fault_of_bicycle("/others/0/spokes", 49U), "'49' is out of range");
  EXPECT_EQ(fault_of_bicycle("/others/0/spokes", 257U), "'257' is out of range");
  EXPECT_EQ(fault_of_bicycle("/price", -0.5), "'-0.5' is out of range");
  EXPECT_THAT(fault_of_bicycle("/price", nullptr), testing::HasSubstr("must be number"));
  EXPECT_THAT(fault_of_bicycle("/is_sold", 1U), testing::HasSubstr("must be boolean"));
  EXPECT_EQ(fault_of_bicycle("/others", "none"), "'others' is not a list of at most 2");
  const DescribedJson wheel = Wheel{};
  EXPECT_EQ(fault_of_bicycle("/others", {wheel, wheel, wheel}),
            "'others' is not a list of at most 2");
}

}  // namespace
}  // namespace kumiko::io
