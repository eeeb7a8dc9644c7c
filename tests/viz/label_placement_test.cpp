// Contract: labels stay near what they label and off each other; what is spread keeps its order.
#include "chart/label_placement.hpp"

#include <algorithm>
#include <cmath>
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

/// From a box to a place; 0 within it.
double distance(const Box& box, Place place) {
  return std::hypot(std::max({box.left - place.x, 0.0, place.x - box.right}),
                    std::max({box.top - place.y, 0.0, place.y - box.bottom}));
}

/// The boxes of texts at points, all of which have markers.
std::vector<Box> placed(LabelPlacement& placement, const std::vector<PointLabel>& labels) {
  for (const PointLabel& label : labels) placement.add_point(label.point);
  std::vector<Box> boxes;
  for (const Place& place : placement.place(labels)) {
    boxes.push_back(box_of(place, labels[boxes.size()].text));
  }
  return boxes;
}

TEST(LabelPlacement, GivenSeveralLabelsOfOnePlaceThenTheyDoNotOverlap) {
  LabelPlacement placement(kPlot);
  const Place point{100.0, 50.0};
  const std::vector<Box> boxes =
      placed(placement, std::vector<PointLabel>(6, {point, "128", kSize}));
  for (std::size_t at = 0; at < boxes.size(); ++at) {
    EXPECT_FALSE(overlap(boxes[at], {97.0, 47.0, 103.0, 53.0}));
    for (std::size_t other = 0; other < at; ++other) EXPECT_FALSE(overlap(boxes[at], boxes[other]));
  }
}

TEST(LabelPlacement, GivenRoomThenTheLabelIsNextToItsMarker) {
  LabelPlacement placement(kPlot);
  const Place point{100.0, 50.0};
  const std::vector<Box> boxes = placed(placement, {{point, "64", kSize}});
  EXPECT_GE(distance(boxes[0], point), 5.0);
  EXPECT_LE(distance(boxes[0], point), 8.0);
}

TEST(LabelPlacement, GivenNeighboursThenEachLabelIsNearerToItsOwnPoint) {
  // Two lines that begin beside each other at the upper left and fall to the lower right.
  LabelPlacement placement({7.0, 0.0, 400.0, 293.0});
  const std::vector<PointLabel> labels = {{{45.3, 16.1}, "32", 9.0}, {{21.4, 40.1}, "32", 9.0}};
  placement.add_line(labels[0].point, {378.6, 231.4});
  placement.add_line(labels[1].point, {352.1, 283.6});
  const std::vector<Box> boxes = placed(placement, labels);
  for (std::size_t at = 0; at < 2; ++at) {
    EXPECT_LT(2.0 * distance(boxes[at], labels[at].point),
              distance(boxes[at], labels[1 - at].point));
  }
  EXPECT_FALSE(overlap(boxes[0], boxes[1]));
}

TEST(LabelPlacement, GivenALaterLabelWithOnePlaceLeftThenTheEarlierOneGivesWay) {
  // As wide as a label: there is room above and below the points alone, and none above the upper
  // one.
  LabelPlacement placement({24.0, 15.0, 36.0, 100.0});
  const std::vector<PointLabel> labels = {{{30.0, 52.0}, "64", kSize}, {{30.0, 24.0}, "64", kSize}};
  const std::vector<Box> boxes = placed(placement, labels);
  EXPECT_FALSE(overlap(boxes[0], boxes[1]));
  for (std::size_t at = 0; at < 2; ++at) EXPECT_GT(boxes[at].top, labels[at].point.y);
}

TEST(LabelPlacement, GivenAPointInACornerThenItsLabelIsInside) {
  for (const Place point :
       {Place{1.0, 1.0}, Place{199.0, 1.0}, Place{1.0, 99.0}, Place{199.0, 99.0}}) {
    LabelPlacement placement(kPlot);
    const Box box = placed(placement, {{point, "64", kSize}})[0];
    EXPECT_GE(box.left, kPlot.left);
    EXPECT_LE(box.right, kPlot.right);
    EXPECT_GE(box.top, kPlot.top);
    EXPECT_LE(box.bottom, kPlot.bottom);
  }
}

TEST(LabelPlacement, GivenALineThroughTheFavouredPlaceThenTheLabelGivesWay) {
  const Place point{100.0, 50.0};
  const std::vector<PointLabel> labels = {{point, "64", kSize}};
  LabelPlacement free(kPlot);
  const Box favoured = placed(free, labels)[0];
  const double middle = 0.5 * (favoured.top + favoured.bottom);
  LabelPlacement placement(kPlot);
  placement.add_line({0.0, middle}, {200.0, middle});
  const Box box = placed(placement, labels)[0];
  EXPECT_FALSE(box.top < middle && middle < box.bottom);
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
