// Contract: labels stay near what they label and off each other; what is spread keeps its order.
#include "label_placement.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace kumiko::viz {
namespace {

constexpr Box kPlot{0.0, 0.0, 200.0, 100.0};
constexpr double kSize = 10.0;

Box box_of(Place baseline, std::string_view label) {
  const double half = 0.5 * text_width(label, kSize);
  return {baseline.x - half, baseline.y - 0.8 * kSize, baseline.x + half, baseline.y};
}

bool overlap(const Box& one, const Box& other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom &&
         other.top < one.bottom;
}

TEST(LabelPlacement, GivenSeveralLabelsOfOnePlaceThenTheyDoNotOverlap) {
  LabelPlacement placement(kPlot);
  const Place point{100.0, 50.0};
  placement.add_point(point);
  std::vector<Box> boxes;
  for (int count = 0; count < 6; ++count) {
    boxes.push_back(box_of(placement.place(point, "128", kSize), "128"));
    EXPECT_FALSE(overlap(boxes.back(), {97.0, 47.0, 103.0, 53.0}));
    for (int other = 0; other < count; ++other) {
      EXPECT_FALSE(overlap(boxes.back(), boxes[static_cast<std::size_t>(other)]));
    }
  }
}

TEST(LabelPlacement, GivenAPointInACornerThenItsLabelIsInside) {
  LabelPlacement placement(kPlot);
  for (const Place point :
       {Place{1.0, 1.0}, Place{199.0, 1.0}, Place{1.0, 99.0}, Place{199.0, 99.0}}) {
    const Box box = box_of(placement.place(point, "64", kSize), "64");
    EXPECT_GE(box.left, kPlot.left);
    EXPECT_LE(box.right, kPlot.right);
    EXPECT_GE(box.top, kPlot.top);
    EXPECT_LE(box.bottom, kPlot.bottom);
  }
}

TEST(LabelPlacement, GivenALineThroughTheFavouredPlaceThenTheLabelGivesWay) {
  LabelPlacement placement(kPlot);
  const Place point{100.0, 50.0};
  placement.add_line({50.0, 100.0}, {150.0, 0.0});  // to the upper right
  EXPECT_LT(placement.place(point, "64", kSize).x, point.x);
}

using Places = std::vector<double>;

TEST(Spread, GivenRoomThenNothingMoves) {
  EXPECT_EQ(spread({10.0, 30.0, 50.0}, 20.0, 0.0, 100.0), (Places{10.0, 30.0, 50.0}));
  EXPECT_EQ(spread({}, 20.0, 0.0, 100.0), Places{});
}

TEST(Spread, GivenNeighboursThenTheyMoveApartByEqualParts) {
  EXPECT_EQ(spread({48.0, 52.0}, 20.0, 0.0, 100.0), (Places{40.0, 60.0}));
  EXPECT_EQ(spread({50.0, 50.0, 50.0, 90.0}, 10.0, 0.0, 100.0), (Places{40.0, 50.0, 60.0, 90.0}));
}

TEST(Spread, GivenAnEdgeThenPlacesStayWithinIt) {
  EXPECT_EQ(spread({1.0, 2.0}, 20.0, 0.0, 100.0), (Places{0.0, 20.0}));
  EXPECT_EQ(spread({99.0, 130.0}, 20.0, 0.0, 100.0), (Places{80.0, 100.0}));
}

TEST(Spread, GivenTooLittleRoomThenPlacesAreEvenlySpread) {
  EXPECT_EQ(spread({5.0, 5.0, 5.0}, 20.0, 0.0, 10.0), (Places{0.0, 5.0, 10.0}));
}

}  // namespace
}  // namespace kumiko::viz
