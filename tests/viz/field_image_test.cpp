// Contract: a picture shows each node where it lies in its value's colour, and the patches' edges.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>

#include <kumiko/viz/field_image.hpp>

#include "colour_map.hpp"

namespace kumiko::viz {
namespace {

// The layout that draw_field() keeps: a plot of 1024 pixels, 90 and 80 from the left and bottom.
constexpr int kLeft = 90;
constexpr int kBottom = 80;
constexpr int kPlot = 1024;

/// Three levels on 64² points; u = x, so that a column has one colour.
std::unique_ptr<amr::Hierarchy> ramp(amr::Centring centring = amr::Centring::kNode) {
  auto hierarchy = std::make_unique<amr::Hierarchy>(amr::Geometry(64, 64, {1.0, 1.0}, {}, centring),
                                                    3, amr::PatchShape{1, 2, 0});
  std::vector<amr::PatchId> ids;
  for (int j = 2; j < 6; ++j) {
    for (int i = 2; i < 6; ++i) ids.push_back({1, i, j});
  }
  hierarchy->change(1, ids);
  hierarchy->change(2, {{2, 6, 6}, {2, 7, 6}, {2, 6, 7}, {2, 7, 7}});
  for (int index = 0; index < 3; ++index) {
    amr::Level& level = hierarchy->level(index);
    for (std::size_t slot = 0; slot < level.size(); ++slot) {
      amr::Patch& patch = level.patch(slot);
      for (int i = 0; i < amr::kPatchSize; ++i) {
        patch.now().interior().col(i) =
            hierarchy->geometry().coordinate(index, patch.id().i * amr::kPatchSize + i);
      }
    }
  }
  return hierarchy;
}

class FieldImage : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("kumiko-viz-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Draws the ramp and reads the picture back.
  void draw(bool outlines, amr::Centring centring = amr::Centring::kNode) {
    FieldImageOptions options;
    options.title = "ramp";
    options.draw_outlines = outlines;
    const auto hierarchy = ramp(centring);
    draw_field(folder_ / "ramp.png", *hierarchy, options);
    reader_->SetFileName((folder_ / "ramp.png").c_str());
    reader_->Update();
  }

  Colour at(int x, int y) {
    const auto* const rgb =
        static_cast<const unsigned char*>(reader_->GetOutput()->GetScalarPointer(x, y, 0));
    return {rgb[0], rgb[1], rgb[2]};
  }

  std::filesystem::path folder_;
  vtkNew<vtkPNGReader> reader_;
};

TEST_F(FieldImage, GivenARampThenEachNodeHasItsColourWhereItLies) {
  ASSERT_EQ(std::getenv("DISPLAY") == nullptr || std::string(std::getenv("DISPLAY")).empty(), true);
  draw(false);
  const ColourMap colour(0.0, 1.0);
  for (const int y : {kBottom + 20, kBottom + 330, kBottom + kPlot / 2, kBottom + 1000}) {
    for (int node = 0; node < 64; ++node) {
      ASSERT_EQ(at(kLeft + 16 * node, y), colour(node / 64.0)) << "node " << node << " row " << y;
    }
  }
  // Level 2 covers 3/8 to 1/2: its nodes are 4 pixels apart.
  for (int node = 98; node < 126; ++node) {
    ASSERT_EQ(at(kLeft + 4 * node, kBottom + 450), colour(node / 256.0)) << "node " << node;
  }
}

TEST_F(FieldImage, GivenLevelsThatMeetThenEveryPixelHasTheColourOfTheNearestNode) {
  draw(false);
  const ColourMap colour(0.0, 1.0);
  for (int y = kBottom; y < kBottom + kPlot; ++y) {
    for (int x = kLeft; x < kLeft + kPlot; ++x) {
      ASSERT_NE(at(x, y), (Colour{255, 255, 255})) << "nothing is drawn at " << x << " " << y;
    }
  }
  // Level 1 begins at x = 1/4: up to half a coarse spacing before, its first node is the nearest.
  const int row = kBottom + 420;
  EXPECT_EQ(at(kLeft + 256 - 9, row), colour(15 / 64.0));
  EXPECT_EQ(at(kLeft + 256 - 8, row), colour(16 / 64.0));
  EXPECT_EQ(at(kLeft + 256 + 3, row), colour(16 / 64.0));
  // It ends at x = 3/4: the last fine node reaches a quarter of a coarse spacing further.
  EXPECT_EQ(at(kLeft + 768 - 5, row), colour(95 / 128.0));
  EXPECT_EQ(at(kLeft + 768 - 4, row), colour(96 / 128.0));
  EXPECT_EQ(at(kLeft + kPlot - 1, row), colour(63 / 64.0));
}

TEST_F(FieldImage, GivenCellsThenEachFillsItsSquare) {
  draw(false, amr::Centring::kCell);
  const ColourMap colour(0.0, 1.0);
  for (const int x : {0, 15}) {
    EXPECT_EQ(at(kLeft + x, kBottom), colour(0.5 / 64)) << "the first cell, 16 pixels wide";
    EXPECT_EQ(at(kLeft + 63 * 16 + x, kBottom + kPlot - 1), colour(63.5 / 64)) << "the last one";
  }
  // Levels meet at the sides of their cells.
  const int row = kBottom + 420;
  EXPECT_EQ(at(kLeft + 255, row), colour(15.5 / 64));
  EXPECT_EQ(at(kLeft + 256, row), colour(32.5 / 128));
  EXPECT_EQ(at(kLeft + 767, row), colour(95.5 / 128));
  EXPECT_EQ(at(kLeft + 768, row), colour(48.5 / 64));
}

TEST_F(FieldImage, GivenOutlinesThenPatchEdgesDifferFromTheFieldAndInteriorsDoNot) {
  draw(true);
  const ColourMap colour(0.0, 1.0);
  const int inside = kBottom + 100;
  EXPECT_NE(at(kLeft + 256, inside), colour(16 / 64.0)) << "edge between base patches";
  EXPECT_EQ(at(kLeft + 128, inside), colour(8 / 64.0)) << "no level 1 edge outside level 1";
  EXPECT_NE(at(kLeft + 384, kBottom + 420), colour(0.375)) << "edge of level 1 and 2";
  EXPECT_NE(at(kLeft + 448, kBottom + 420), colour(0.4375)) << "edge of level 2";
  EXPECT_EQ(at(kLeft + 576, kBottom + 600), colour(0.5625)) << "no level 2 edge outside level 2";
}

TEST_F(FieldImage, GivenAColourBarAndTextThenTheyAreDrawnBesideThePlot) {
  draw(true);
  const ColourMap colour(0.0, 1.0);
  const int bar = kLeft + kPlot + 56;
  EXPECT_EQ(at(bar, kBottom + kPlot - 40), colour(1.0));
  EXPECT_EQ(at(bar, kBottom + kPlot / 3), colour(0.0));
  int dark = 0;
  for (int y = kBottom + kPlot + 20; y < kBottom + kPlot + 60; ++y) {
    for (int x = kLeft; x < kLeft + kPlot; ++x) dark += at(x, y)[0] < 100 ? 1 : 0;
  }
  EXPECT_GT(dark, 50) << "the title has ink";
}

TEST_F(FieldImage, GivenValuesBeyondTheRangeThenTheyHaveTheEndColours) {
  const ColourMap colour(0.0, 1.0);
  EXPECT_EQ(colour(-0.3), colour(0.0));
  EXPECT_EQ(colour(1.2), colour(1.0));
  EXPECT_EQ(colour(0.0), (Colour{68, 1, 84}));
  EXPECT_EQ(colour(1.0), (Colour{253, 231, 37}));
}

TEST_F(FieldImage, GivenAFileThatCannotBeWrittenThenTheErrorNamesItAndNothingIsLeft) {
  const auto hierarchy = ramp();
  const auto file = folder_ / "missing" / "ramp.png";
  try {
    draw_field(file, *hierarchy, {});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos) << error.what();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace kumiko::viz
