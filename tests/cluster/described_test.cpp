// Contract: a described record is sent with all its members; bytes that are cut off, too many or
// out of range are refused, wherever they lie.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kumiko/cluster/packing.hpp>

namespace kumiko::cluster {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen, kBlue };

struct Point {
  double x = 0.0;
  std::int32_t weight = 0;

  friend bool operator==(const Point&, const Point&) = default;
};

struct Part {
  std::string name;
  std::optional<Point> point;

  friend bool operator==(const Part&, const Part&) = default;
};
constexpr auto described(std::type_identity<Part>) {
  return std::tuple(Item<&Part::name>{}, Item<&Part::point>{});
}

struct Everything {
  bool is_set = false;
  Colour colour{};
  std::uint16_t percent = 0;
  std::vector<Part> parts;
  std::vector<Point> points;
  std::vector<bool> flags;

  friend bool operator==(const Everything&, const Everything&) = default;
};
constexpr auto described(std::type_identity<Everything>) {
  using E = Everything;
  return std::tuple(Item<&E::is_set>{"is_set"}, Item<&E::colour>{"colour"}.up_to(Colour::kBlue),
                    Item<&E::percent>{"percent"}.up_to(100), Item<&E::parts>{"parts"},
                    Item<&E::points>{"points"}, Item<&E::flags>{"flags"});
}

Everything example() {
  return {true,
          Colour::kBlue,
          100,
          {{"one", Point{0.5, 1}}, {"", std::nullopt}},
          {{1.5, 2}, {2.5, 3}},
          {true, false}};
}

std::string refusal(std::span<const std::byte> bytes) {
  try {
    static_cast<void>(unpacked<Everything>(bytes));
  } catch (const std::out_of_range& error) {
    return error.what();
  }
  return "";
}

TEST(DescribedTest, GivenARecordThenItsBytesAreReadBack) {
  EXPECT_EQ(unpacked<Everything>(packed(example())), example());
  EXPECT_EQ(unpacked<Everything>(packed(Everything{})), Everything{});
}

TEST(DescribedTest, GivenBytesAtAnyAddressThenTheyAreReadWithoutUnalignedAccess) {
  const Frame bytes = packed(example());
  for (std::size_t shift = 0; shift < 16; ++shift) {
    Frame moved(shift + bytes.size());
    std::memcpy(moved.data() + shift, bytes.data(), bytes.size());
    EXPECT_EQ(unpacked<Everything>(std::span(moved).subspan(shift)), example()) << shift;
  }
}

TEST(DescribedTest, GivenBytesThatAreCutOffOrTooManyThenTheyAreRefused) {
  Frame bytes = packed(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(refusal(std::span(bytes).first(size)), testing::HasSubstr("shorter")) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(refusal(bytes), "a message is longer than what is read from it");
}

TEST(DescribedTest, GivenNumbersAndEnumeratorsAboveTheLastThenTheyAreRefused) {
  const std::string out_of_range = "a message has a value that is out of range";
  Everything wrong = example();
  wrong.percent = 101;
  EXPECT_EQ(refusal(packed(wrong)), out_of_range);
  wrong = example();
  wrong.colour = static_cast<Colour>(3);
  EXPECT_EQ(refusal(packed(wrong)), out_of_range);
}

TEST(DescribedTest, GivenALengthThatOverflowsThenItIsRefused) {
  for (const std::uint64_t length : {std::uint64_t{3}, std::numeric_limits<std::uint64_t>::max(),
                                     std::numeric_limits<std::uint64_t>::max() / sizeof(Point)}) {
    const Frame bytes = packed(std::tuple(length, Point{}));
    EXPECT_THROW(static_cast<void>(unpacked<std::vector<Point>>(bytes)), std::out_of_range);
  }
}

TEST(DescribedTest, GivenAByteThatIsNoBoolThenItIsTrue) {
  EXPECT_TRUE(unpacked<bool>(packed(std::uint8_t{2})));
}

}  // namespace
}  // namespace kumiko::cluster
