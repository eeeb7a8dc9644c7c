// Contract: a picture shows each leaf value where it lies in its colour, the patches' edges, and
// beside the domain what the colours mean; colours are as their palettes promise.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>

#include <kumiko/viz/state_image.hpp>

#include "picture/canvas.hpp"
#include "picture/colour_map.hpp"

namespace kumiko::viz {
namespace {

TEST(Drawable, GivenWhatTheFontLacksThenItIsWrittenOtherwise) {
  EXPECT_EQ(drawable("2.5×10⁻⁸"), "2.5e-8");
  EXPECT_EQ(drawable("-10⁻¹²"), "-1e-12");
  EXPECT_EQ(drawable("10⁶ m²"), "1e6 m²");
  EXPECT_EQ(drawable("cost, µs"), "cost, µs");
  EXPECT_EQ(drawable("t → 0.1"), "t ? 0.1");
}

using amr::Centring;
using amr::kPatchPoints;
using amr::kPatchSize;
using amr::PatchId;

// A picture of this width has 1024 pixels of a square domain, 90 and 80 from left and bottom.
constexpr int kWidth = 1314;
constexpr int kLeft = 90;
constexpr int kBottom = 80;
constexpr int kPlotSide = 1024;

/// What stands in component `component` of a patch's point.
using Values = double (*)(const amr::Geometry& geometry, const PatchId& id, int i, int j,
                          int component);

/// A state of level 0 and, if there are any, of finer levels.
amr::SavedRun state_of(const amr::Geometry& geometry, int components, Values values,
                       std::vector<std::vector<PatchId>> finer = {}) {
  amr::SavedRun state{amr::Mesh<2>(geometry.base_grid())};
  for (auto& patches : finer) state.mesh.assign(state.mesh.levels(), std::move(patches));
  for (int index = 0; index < state.mesh.levels(); ++index) {
    amr::SavedLevel& level = state.levels.emplace_back();
    for (const PatchId& id : state.mesh.ids(index)) {
      for (int component = 0; component < components; ++component) {
        for (int point = 0; point < kPatchPoints; ++point) {
          level.values.push_back(
              values(geometry, id, point % kPatchSize, point / kPatchSize, component));
        }
      }
    }
  }
  return state;
}

/// Component 0 is x, component 1 is -x.
double ramp(const amr::Geometry& geometry, const PatchId& id, int i, int, int component) {
  const double x = geometry.coordinate(id.level, id.i * kPatchSize + i);
  return component == 0 ? x : -x;
}

/// A field of zeros, and extras: level, worker i + 10 j, cost (level + 1) µs, indicator 0 to 1
/// from a patch's left to its right.
double extras(const amr::Geometry&, const PatchId& id, int i, int, int component) {
  const std::array<double, 5> values = {0.0, static_cast<double>(id.level), id.i + 10.0 * id.j,
                                        1e-6 * (id.level + 1), i / 15.0};
  return values[static_cast<std::size_t>(component)];
}

/// 64² points; level 1 covers 1/4 to 3/4, level 2 covers 3/8 to 1/2, in both directions.
amr::SavedRun three_levels(const amr::Geometry& geometry, int components, Values values) {
  std::vector<PatchId> ids;
  for (int j = 2; j < 6; ++j) {
    for (int i = 2; i < 6; ++i) ids.push_back({1, i, j});
  }
  return state_of(geometry, components, values,
                  {ids, {{2, 6, 6}, {2, 7, 6}, {2, 6, 7}, {2, 7, 7}}});
}

amr::Geometry square(Centring centring = Centring::kNode) {
  return {64, 64, {1.0, 1.0}, {}, centring};
}

amr::SavedRun with_extras() {
  amr::SavedRun state = three_levels(square(), 5, extras);
  state.extras = 4;
  return state;
}

/// A picture that was read back.
class Png {
 public:
  explicit Png(const std::string& bytes) : bytes_(bytes) {
    reader_->SetMemoryBuffer(bytes_.data());
    reader_->SetMemoryBufferLength(static_cast<vtkIdType>(bytes_.size()));
    reader_->Update();
  }
  int width() const { return reader_->GetOutput()->GetDimensions()[0]; }
  int height() const { return reader_->GetOutput()->GetDimensions()[1]; }
  Colour at(int x, int y) const {
    const auto* const rgb =
        static_cast<const unsigned char*>(reader_->GetOutput()->GetScalarPointer(x, y, 0));
    return {rgb[0], rgb[1], rgb[2]};
  }
  double opacity(int x, int y) const {
    if (reader_->GetOutput()->GetNumberOfScalarComponents() < 4) return 1.0;
    const auto* const rgba =
        static_cast<const unsigned char*>(reader_->GetOutput()->GetScalarPointer(x, y, 0));
    return rgba[3] / 255.0;
  }
  /// Pixels of a box that are darker than a middle grey.
  int ink(int x0, int y0, int x1, int y1) const {
    int dark = 0;
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) dark += at(x, y)[0] < 100 ? 1 : 0;
    }
    return dark;
  }

 private:
  std::string bytes_;
  vtkNew<vtkPNGReader> reader_;
};

StateImageOptions plain(Quantity quantity = Quantity::kField) {
  StateImageOptions options;
  options.title = "title";
  options.quantity = quantity;
  options.outlines = false;
  options.width = kWidth;
  return options;
}

StateImageOptions ramp_options() {
  StateImageOptions options = plain();
  options.range = Range{0.0, 1.0};
  return options;
}

Png draw(const amr::SavedRun& state, const StateImageOptions& options,
         const amr::Geometry& geometry = square()) {
  return Png(draw_state(state, geometry, options));
}

TEST(StateImage, GivenNoDisplayThenItDrawsNevertheless) {
  const char* const display = std::getenv("DISPLAY");
  ASSERT_TRUE(display == nullptr || std::string(display).empty());
  const Png png = draw(three_levels(square(), 1, ramp), ramp_options());
  EXPECT_EQ(png.width(), kWidth);
  EXPECT_EQ(png.height(), 80 + kPlotSide + 80);
}

TEST(StateImage, GivenARampThenEachNodeHasItsColourWhereItLies) {
  const Png png = draw(three_levels(square(), 1, ramp), ramp_options());
  const ColourMap colour(Palette::kViridis, {0.0, 1.0});
  for (const int y : {kBottom + 20, kBottom + 330, kBottom + kPlotSide / 2, kBottom + 1000}) {
    for (int node = 0; node < 64; ++node) {
      ASSERT_EQ(png.at(kLeft + 16 * node, y), colour(node / 64.0)) << node << " row " << y;
    }
  }
  // Level 2 covers 3/8 to 1/2: its nodes are 4 pixels apart.
  for (int node = 98; node < 126; ++node) {
    ASSERT_EQ(png.at(kLeft + 4 * node, kBottom + 450), colour(node / 256.0)) << node;
  }
}

TEST(StateImage, GivenLevelsThatMeetThenEveryPixelHasTheColourOfTheNearestNode) {
  const Png png = draw(three_levels(square(), 1, ramp), ramp_options());
  const ColourMap colour(Palette::kViridis, {0.0, 1.0});
  for (int y = kBottom; y < kBottom + kPlotSide; ++y) {
    for (int x = kLeft; x < kLeft + kPlotSide; ++x) {
      ASSERT_NE(png.at(x, y), kWhite) << "nothing is drawn at " << x << " " << y;
    }
  }
  // Level 1 begins at x = 1/4: up to half a coarse spacing before, its first node is the nearest.
  const int row = kBottom + 420;
  EXPECT_EQ(png.at(kLeft + 256 - 9, row), colour(15 / 64.0));
  EXPECT_EQ(png.at(kLeft + 256 - 8, row), colour(16 / 64.0));
  EXPECT_EQ(png.at(kLeft + 256 + 3, row), colour(16 / 64.0));
  // It ends at x = 3/4: the last fine node reaches a quarter of a coarse spacing further.
  EXPECT_EQ(png.at(kLeft + 768 - 5, row), colour(95 / 128.0));
  EXPECT_EQ(png.at(kLeft + 768 - 4, row), colour(96 / 128.0));
  EXPECT_EQ(png.at(kLeft + kPlotSide - 1, row), colour(63 / 64.0));
}

TEST(StateImage, GivenCellsThenEachFillsItsSquare) {
  const amr::Geometry cells = square(Centring::kCell);
  const Png png = draw(three_levels(cells, 1, ramp), ramp_options(), cells);
  const ColourMap colour(Palette::kViridis, {0.0, 1.0});
  for (const int x : {0, 15}) {
    EXPECT_EQ(png.at(kLeft + x, kBottom), colour(0.5 / 64)) << "the first cell";
    EXPECT_EQ(png.at(kLeft + 63 * 16 + x, kBottom + kPlotSide - 1), colour(63.5 / 64))
        << "the last";
  }
  const int row = kBottom + 420;
  EXPECT_EQ(png.at(kLeft + 255, row), colour(15.5 / 64));
  EXPECT_EQ(png.at(kLeft + 256, row), colour(32.5 / 128));
  EXPECT_EQ(png.at(kLeft + 767, row), colour(95.5 / 128));
  EXPECT_EQ(png.at(kLeft + 768, row), colour(48.5 / 64));
}

TEST(StateImage, GivenADomainTwiceAsWideThenTheLongerSideHasThePixels) {
  const amr::Geometry wide(64, 32, {2.0, 1.0}, {}, Centring::kCell);
  const amr::SavedRun state = state_of(wide, 1, ramp);
  StateImageOptions options = plain();
  options.range = Range{0.0, 2.0};
  const Png png = draw(state, options, wide);
  const ColourMap colour(Palette::kViridis, {0.0, 2.0});
  EXPECT_EQ(png.width(), kWidth);
  EXPECT_EQ(png.height(), 80 + kPlotSide / 2 + 80);
  EXPECT_EQ(png.at(kLeft, kBottom), colour(0.5 / 32));
  EXPECT_EQ(png.at(kLeft + kPlotSide - 1, kBottom + kPlotSide / 2 - 1), colour(2.0 - 0.5 / 32));
  EXPECT_EQ(png.at(kLeft + kPlotSide / 2, kBottom + 100), colour(1.0 + 0.5 / 32));
}

TEST(StateImage, GivenAHighDomainThenThePictureIsNarrower) {
  const amr::Geometry high(16, 64, {0.25, 1.0}, {}, Centring::kCell);
  const amr::SavedRun state = state_of(high, 1, ramp);
  const Png png = draw(state, plain(), high);
  EXPECT_EQ(png.width(), 90 + kPlotSide / 4 + 200);
  EXPECT_EQ(png.height(), 80 + kPlotSide + 80);
}

/// How many pieces of ink there are in a box along y, with white between them.
int pieces_along_y(const Png& png, int x0, int y0, int x1, int y1) {
  int pieces = 0;
  for (int y = y0; y < y1; ++y) {
    pieces += png.ink(x0, y, x1, y + 1) > 0 && png.ink(x0, y - 1, x1, y) == 0 ? 1 : 0;
  }
  return pieces;
}

int pieces_along_x(const Png& png, int x0, int y0, int x1, int y1) {
  int pieces = 0;
  for (int x = x0; x < x1; ++x) {
    pieces += png.ink(x, y0, x + 1, y1) > 0 && png.ink(x - 1, y0, x, y1) == 0 ? 1 : 0;
  }
  return pieces;
}

TEST(StateImage, GivenALongDomainThenTheNumbersOfItsShortSideStandApart) {
  StateImageOptions options = ramp_options();
  options.outlines = true;
  const amr::Geometry wide(2048, 16, {128.0, 1.0}, {}, Centring::kCell);
  const Png low = draw(state_of(wide, 1, ramp), options, wide);
  EXPECT_EQ(pieces_along_y(low, kLeft - 30, 1, kLeft - 12, low.height()), 2) << "0 and 1";
  const amr::Geometry high(16, 2048, {1.0, 128.0}, {}, Centring::kCell);
  const Png narrow = draw(state_of(high, 1, ramp), options, high);
  EXPECT_EQ(pieces_along_x(narrow, kLeft - 40, kBottom - 34, kLeft + 48, kBottom - 14), 2);
}

TEST(StateImage, GivenALevelWhosePatchesAreTooSmallToDrawThenTheLegendSaysSo) {
  const amr::Geometry wide(2048, 32, {64.0, 1.0}, {}, Centring::kCell);
  StateImageOptions options = ramp_options();
  options.outlines = true;
  // Patches of level 0 have 8 pixels, those of level 1 four.
  const amr::SavedRun state = state_of(wide, 1, ramp, {{{1, 0, 0}}});
  const Png drawn = draw(state, options, wide);
  const int column = kLeft + kPlotSide + 40;
  const int row = kBottom + 36;  // above the one on what did not nest
  EXPECT_GT(drawn.ink(column, row, column + 30, row + 36), 10) << "words where a sign would be";
  EXPECT_GT(drawn.ink(column + 100, row, drawn.width() - 1, row + 36), 10);
}

TEST(StateImage, GivenAnotherComponentThenThatIsDrawn) {
  StateImageOptions options = plain();
  options.component = 1;
  options.range = Range{-1.0, 0.0};
  const Png png = draw(three_levels(square(), 2, ramp), options);
  const ColourMap colour(Palette::kViridis, {-1.0, 0.0});
  EXPECT_EQ(png.at(kLeft + 16 * 8, kBottom + 20), colour(-0.125));
}

TEST(StateImage, GivenAFieldOfBothSignsThenZeroIsNeutral) {
  StateImageOptions options = plain();
  options.component = 1;
  options.range = Range{-1.0, 1.0};
  const Png png = draw(three_levels(square(), 2, ramp), options);
  const ColourMap colour(Palette::kDiverging, {-1.0, 1.0});
  EXPECT_EQ(png.at(kLeft, kBottom + 20), colour(0.0));
  const auto [red, green, blue] = colour(0.0);
  EXPECT_NEAR(red, green, 6);
  EXPECT_NEAR(green, blue, 6);
  // An overshoot makes no field of both signs.
  options.range = Range{-0.35, 1.0};
  const Png overshoot = draw(three_levels(square(), 2, ramp), options);
  const ColourMap viridis(Palette::kViridis, {-0.35, 1.0});
  EXPECT_EQ(overshoot.at(kLeft, kBottom + 20), viridis(0.0));
}

TEST(StateImage, GivenWorkersThenEachPatchHasItsOwnersColour) {
  const Png png = draw(with_extras(), plain(Quantity::kWorker));
  // Patch (i, j) of level 0 is 256 pixels wide, from its first node on; worker i + 10 j.
  EXPECT_EQ(png.at(kLeft, kBottom), worker_colour(0));
  EXPECT_EQ(png.at(kLeft + 255, kBottom + 1), worker_colour(0));
  EXPECT_EQ(png.at(kLeft + 256, kBottom + 1), worker_colour(1));
  EXPECT_EQ(png.at(kLeft + 1023, kBottom + 1023), worker_colour(33));
  // Patch (3, 2) of level 1, 128 pixels; patch (6, 7) of level 2, 64 pixels.
  EXPECT_EQ(png.at(kLeft + 3 * 128 + 120, kBottom + 2 * 128 + 120), worker_colour(23));
  EXPECT_EQ(png.at(kLeft + 6 * 64 + 1, kBottom + 7 * 64 + 1), worker_colour(76));
}

TEST(StateImage, GivenWorkersThatCannotBeThenTheyAreNobodyOrTheLast) {
  amr::SavedRun state = with_extras();
  for (amr::SavedLevel& level : state.levels) {
    for (std::size_t at = 0; at < level.values.size(); ++at) {
      level.values[at] = at % 3 == 0 ? 1e300 : at % 3 == 1 ? -1e300 : std::nan("");
    }
  }
  EXPECT_NO_THROW(draw(state, plain(Quantity::kWorker)));
}

TEST(StateImage, GivenManyWorkersThenTheirNumbersStandInThePatches) {
  StateImageOptions options = plain(Quantity::kWorker);
  const Png png = draw(with_extras(), options);
  // Patch (2, 0) of worker 2, in the middle of its first quadrant, 128 pixels wide.
  int other = 0;
  for (int y = 50; y < 78; ++y) {
    for (int x = 50; x < 78; ++x) {
      other += png.at(kLeft + 512 + x, kBottom + y) == worker_colour(2) ? 0 : 1;
    }
  }
  EXPECT_GT(other, 20);
  options.range = Range{0.0, 7.0};
  const Png few = draw(with_extras(), options);
  EXPECT_EQ(few.at(kLeft + 512 + 64, kBottom + 64), worker_colour(2)) << "colours suffice";
}

TEST(StateImage, GivenCostsThenDearIsDark) {
  const Png png = draw(with_extras(), plain(Quantity::kCost));
  const ColourMap colour(Palette::kHeat, value_range(with_extras(), Quantity::kCost));
  EXPECT_EQ(png.at(kLeft + 10, kBottom + 10), colour(1e-6));
  EXPECT_EQ(png.at(kLeft + 300, kBottom + 300), colour(2e-6));
  EXPECT_EQ(png.at(kLeft + 400, kBottom + 400), colour(3e-6));
  EXPECT_GT(lightness(colour(1e-6)), lightness(colour(2e-6)));
  EXPECT_GT(lightness(colour(2e-6)), lightness(colour(3e-6)));
}

TEST(StateImage, GivenIndicatorsThenEachPointHasItsOwn) {
  StateImageOptions options = plain(Quantity::kIndicator);
  options.range = Range{0.0, 1.0};
  const Png png = draw(with_extras(), options);
  const ColourMap colour(Palette::kDeep, {0.0, 1.0});
  for (int point = 0; point < kPatchSize; ++point) {
    EXPECT_EQ(png.at(kLeft + 16 * point + 8, kBottom + 10), colour(point / 15.0)) << "level 0";
    EXPECT_EQ(png.at(kLeft + 384 + 4 * point + 2, kBottom + 400), colour(point / 15.0))
        << "level 2";
  }
}

TEST(StateImage, GivenLayersThenTheyMakeUpThePictureAndAreTransparentBesideIt) {
  StateImageOptions options = ramp_options();
  options.outlines = true;
  const Png whole = draw(three_levels(square(), 1, ramp), options);
  const LayeredImage layers =
      draw_state_in_layers(three_levels(square(), 1, ramp), square(), options);
  const Png colours(layers.colours);
  const Png lettering(layers.lettering);
  ASSERT_EQ(colours.width(), whole.width());
  ASSERT_EQ(lettering.height(), whole.height());
  int written = 0;
  for (int y = 0; y < whole.height(); ++y) {
    for (int x = 0; x < whole.width(); ++x) {
      const double ink = lettering.opacity(x, y);
      const bool is_coloured = colours.opacity(x, y) == 1.0;
      ASSERT_TRUE(is_coloured || colours.opacity(x, y) == 0.0) << x << " " << y;
      written += ink > 0.0 ? 1 : 0;
      for (std::size_t channel = 0; channel < 3; ++channel) {
        const double below = is_coloured ? colours.at(x, y)[channel] : 255.0;
        ASSERT_NEAR(whole.at(x, y)[channel], (1.0 - ink) * below, 2.0) << x << " " << y;
      }
    }
  }
  EXPECT_GT(written, 1000);
  EXPECT_EQ(colours.opacity(2, 2), 0.0);
  EXPECT_EQ(colours.opacity(kLeft + 5, kBottom + 5), 1.0);
}

TEST(StateImage, GivenLargerLetteringThenTheDomainLeavesItRoom) {
  StateImageOptions options = ramp_options();
  options.lettering = 1.5;
  const Png png = draw(three_levels(square(), 1, ramp), options);
  const int margins = kWidth - kPlotSide;
  const ColourMap colour(Palette::kViridis, {0.0, 1.0});
  EXPECT_EQ(png.width(), kWidth);
  EXPECT_EQ(png.at(135, 120), colour(0.0));
  EXPECT_EQ(png.at(134, 120), (Colour{0, 0, 0})) << "the frame";
  EXPECT_EQ(png.at(135 + kWidth - margins * 3 / 2, 400), (Colour{0, 0, 0}));
  EXPECT_GT(png.ink(0, 0, kWidth, 110),
            draw(three_levels(square(), 1, ramp), ramp_options()).ink(0, 0, kWidth, 73));
  options.title.clear();
  const Png untitled = draw(three_levels(square(), 1, ramp), options);
  EXPECT_EQ(untitled.height(), png.height() - 75) << "no room for a title";
}

TEST(StateImage, GivenOutlinesThenPatchEdgesDifferFromTheFieldAndInteriorsDoNot) {
  StateImageOptions options = ramp_options();
  options.outlines = true;
  const Png png = draw(three_levels(square(), 1, ramp), options);
  const ColourMap colour(Palette::kViridis, {0.0, 1.0});
  const int inside = kBottom + 100;
  EXPECT_NE(png.at(kLeft + 256, inside), colour(16 / 64.0)) << "edge between base patches";
  EXPECT_EQ(png.at(kLeft + 128, inside), colour(8 / 64.0)) << "no level 1 edge outside level 1";
  EXPECT_NE(png.at(kLeft + 384, kBottom + 420), colour(0.375)) << "edge of level 1 and 2";
  EXPECT_NE(png.at(kLeft + 448, kBottom + 420), colour(0.4375)) << "edge of level 2";
  EXPECT_EQ(png.at(kLeft + 576, kBottom + 600), colour(0.5625)) << "no level 2 edge outside";
}

TEST(StateImage, GivenPatchesThatDidNotNestThenTheLegendSaysSoAndNothingElseMoves) {
  amr::SavedRun state = three_levels(square(), 1, ramp);
  StateImageOptions options = ramp_options();
  options.outlines = true;
  const Png nested = draw(state, options);
  state.unnested = 42;
  const Png unnested = draw(state, options);
  ASSERT_EQ(nested.height(), unnested.height());
  int changed = 0;
  for (int y = 0; y < nested.height(); ++y) {
    for (int x = 0; x < nested.width(); ++x) {
      if (nested.at(x, y) == unnested.at(x, y)) continue;
      ++changed;
      ASSERT_GT(x, kLeft + kPlotSide);
      ASSERT_LT(y, kBottom + 36) << "above the row below the levels";
    }
  }
  EXPECT_GT(changed, 50);
}

TEST(StateImage, GivenPatchesOfAFewPixelsThenTheirOutlinesDoNotHideThem) {
  const amr::Geometry fine(2048, 2048, {1.0, 1.0}, {}, Centring::kCell);
  const amr::SavedRun state =
      state_of(fine, 1, [](const amr::Geometry&, const PatchId&, int, int, int) { return 0.5; });
  StateImageOptions options = ramp_options();
  options.width = 400;
  options.outlines = true;
  const Png png = draw(state, options, fine);
  const ColourMap colour(Palette::kViridis, {0.0, 1.0});
  for (int x = 100; x < 200; ++x) ASSERT_EQ(png.at(x, 200), colour(0.5)) << x;
}

TEST(StateImage, GivenAColourBarAndATitleThenTheyAreDrawnBesideTheDomain) {
  const Png png = draw(three_levels(square(), 1, ramp), ramp_options());
  const ColourMap colour(Palette::kViridis, {0.0, 1.0});
  const int bar = kLeft + kPlotSide + 56;
  std::vector<Colour> seen;
  for (int y = kBottom; y < kBottom + kPlotSide; ++y) {
    const Colour here = png.at(bar, y);
    if (here != kWhite && here != Colour{0, 0, 0} && (seen.empty() || seen.back() != here)) {
      seen.push_back(here);
    }
  }
  ASSERT_GT(seen.size(), 200U);
  EXPECT_EQ(seen.front(), colour(0.0));
  EXPECT_GT(png.ink(kLeft, kBottom + kPlotSide + 20, kLeft + kPlotSide, kBottom + kPlotSide + 60),
            50);
  EXPECT_GT(png.ink(kLeft, 0, kLeft + kPlotSide, kBottom - 10), 50) << "numbers below the axis";
  EXPECT_GT(png.ink(0, kBottom, kLeft - 10, kBottom + kPlotSide), 50) << "and beside it";
}

TEST(StateImage, GivenValuesBeyondTheRangeThenTheBarHasAPoint) {
  const auto black_above = [](Range range) {
    StateImageOptions options = plain();
    options.range = range;
    const Png png = draw(three_levels(square(), 1, ramp), options);
    int coloured = 0;
    for (int y = kBottom; y < kBottom + kPlotSide; ++y) {
      coloured += png.at(kLeft + kPlotSide + 56, y) == kWhite ? 0 : 1;
    }
    return coloured;
  };
  const int without = black_above({0.0, 1.0});
  EXPECT_GT(black_above({0.0, 0.5}), without + 10) << "above";
  EXPECT_GT(black_above({0.5, 1.0}), without + 10) << "below";
}

TEST(StateImage, GivenAStateWithoutExtrasThenTheErrorSaysHowToHaveThem) {
  const amr::SavedRun state = three_levels(square(), 1, ramp);
  EXPECT_FALSE(has_extras(state));
  EXPECT_TRUE(has_extras(with_extras()));
  for (const Quantity quantity : {Quantity::kWorker, Quantity::kCost, Quantity::kIndicator}) {
    try {
      draw_state(state, square(), plain(quantity));
      FAIL();
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("output.extras=true"), std::string::npos);
    }
  }
}

TEST(StateImage, GivenWhatCannotBeDrawnThenItIsRefused) {
  const amr::SavedRun state = three_levels(square(), 1, ramp);
  StateImageOptions options = plain();
  options.component = 1;
  EXPECT_THROW(draw_state(state, square(), options), std::invalid_argument);
  options = plain();
  options.range = Range{1.0, 1.0};
  EXPECT_THROW(draw_state(state, square(), options), std::invalid_argument);
  options = plain();
  options.width = 10;
  EXPECT_THROW(draw_state(state, square(), options), std::invalid_argument);
}

TEST(ValueRange, GivenCoveredPointsThenTheyDoNotCount) {
  // Level 0 has 1 where level 1 has 2 and 3.
  const amr::Geometry geometry(32, 32, {1.0, 1.0}, {});
  const auto values = [](const amr::Geometry&, const PatchId& id, int i, int, int) {
    if (id.level == 1) return i < 8 ? 2.0 : 3.0;
    return id.i == 0 && id.j == 0 && i == 0 ? 9.0 : 1.0;
  };
  const amr::SavedRun state =
      state_of(geometry, 1, values, {{{1, 0, 0}, {1, 1, 0}, {1, 0, 1}, {1, 1, 1}}});
  const Range range = value_range(state, Quantity::kField);
  EXPECT_EQ(range.low, 1.0);
  EXPECT_EQ(range.high, 3.0) << "the 9 is covered";
}

TEST(ValueRange, GivenCostsThenOneThatWasInterruptedDoesNotCount) {
  const amr::Geometry geometry(256, 256, {1.0, 1.0}, {});
  const auto values = [](const amr::Geometry&, const PatchId& id, int, int, int component) {
    return component == 3 ? (id.i == 3 && id.j == 3 ? 1e-3 : 2e-6) : 0.0;
  };
  amr::SavedRun state = state_of(geometry, 5, values);
  state.extras = 4;
  const Range range = value_range(state, Quantity::kCost);
  EXPECT_EQ(range.low, 0.0);
  EXPECT_NEAR(range.high, 3e-6, 1e-12);
}

TEST(ValueRange, GivenOddFieldsThenTheRangeIsNeverEmpty) {
  const amr::Geometry geometry(16, 16, {1.0, 1.0}, {});
  const auto range_of = [&](Values values) {
    return value_range(state_of(geometry, 1, values), Quantity::kField);
  };
  const auto expect = [](Range range, double low, double high) {
    EXPECT_EQ(range.low, low);
    EXPECT_EQ(range.high, high);
  };
  using Geometry = amr::Geometry;
  expect(range_of([](const Geometry&, const PatchId&, int, int, int) { return 0.0; }), 0.0, 1.0);
  expect(range_of([](const Geometry&, const PatchId&, int, int, int) { return 5.0; }), 0.0, 5.0);
  expect(range_of([](const Geometry&, const PatchId&, int, int, int) { return -5.0; }), -5.0, 0.0);
  expect(range_of([](const Geometry&, const PatchId&, int i, int, int) {
           return i == 0 ? std::numeric_limits<double>::quiet_NaN() : 1.0 + i;
         }),
         2.0, 16.0);
}

TEST(ColourMap, GivenValuesBeyondTheRangeThenTheyHaveTheEndColoursAndNanIsWhite) {
  const ColourMap colour(Palette::kViridis, {0.0, 1.0});
  EXPECT_EQ(colour(-0.3), colour(0.0));
  EXPECT_EQ(colour(1.2), colour(1.0));
  EXPECT_EQ(colour(0.0), (Colour{68, 1, 84}));
  EXPECT_EQ(colour(1.0), (Colour{253, 231, 37}));
  EXPECT_EQ(colour(std::nan("")), kWhite);
}

/// CIELAB of an sRGB colour (IEC 61966-2-1, white D65), written anew.
std::array<double, 3> lab(Colour colour) {
  std::array<double, 3> linear{};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const double value = colour[channel] / 255.0;
    linear[channel] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  const auto [r, g, b] = linear;
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116.0; };
  const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const double y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const double z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return {116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)};
}

double difference(Colour one, Colour other) {
  const auto a = lab(one);
  const auto b = lab(other);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// All colours of every palette on level 0: the field goes from 0 to 1 with x, costs and indicators
/// do so within each patch.
double every_colour(const amr::Geometry& geometry, const PatchId& id, int i, int j, int component) {
  return component < 3 ? ramp(geometry, id, i, j, 0) : i / 15.0;
}

amr::SavedRun with_every_colour() {
  amr::SavedRun state = three_levels(square(), 5, every_colour);
  state.extras = 4;
  return state;
}

/// How well a thin line is seen: by lightness and somewhat by red and green, but not by yellow and
/// blue, which the eye does not resolve there.
double contrast(Colour one, Colour other) {
  const auto a = lab(one);
  const auto b = lab(other);
  return std::hypot(a[0] - b[0], (a[1] - b[1]) / 2.0);
}

/// What the lines along a row of patch edges are.
struct Line {
  double least_contrast = 1e9;
  double lightest_on_dark = 0.0;  ///< of colours beside
};

/// \param edge  pixels above the domain's lower end, \param from, to  pixels from its left one
Line line_of(const Png& lined, const Png& bare, int edge, int from, int to) {
  constexpr double kDark = 30.0;
  Line line;
  for (int x = kLeft + from; x < kLeft + to; ++x) {
    double most = 0.0;
    for (int y = kBottom + edge - 2; y <= kBottom + edge + 2; ++y) {
      const Colour here = lined.at(x, y);
      most = std::max(most, contrast(here, bare.at(x, y)));
      if (here == bare.at(x, y) || lab(bare.at(x, y))[0] > kDark) continue;
      line.lightest_on_dark = std::max(line.lightest_on_dark, lab(here)[0]);
    }
    line.least_contrast = std::min(line.least_contrast, most);
  }
  return line;
}

/// Of the lines of level 0, and of those of levels 1 and 2.
std::array<Line, 2> lines_of(StateImageOptions options) {
  const Png bare = draw(with_every_colour(), options);
  options.outlines = true;
  const Png lined = draw(with_every_colour(), options);
  return {line_of(lined, bare, 256, 0, kPlotSide), line_of(lined, bare, 384, 256, 768)};
}

constexpr double kSeen = 8.0;

TEST(StateImage, GivenAnyColourThenOutlinesAreSeenOnIt) {
  StateImageOptions options = plain();
  for (const Range range : {Range{0.0, 0.7}, Range{-1.0, 1.0}, Range{-0.7, 0.7}}) {
    options.range = range;
    for (const Line& line : lines_of(options)) EXPECT_GT(line.least_contrast, kSeen) << range.low;
  }
  options.range = Range{0.0, 1.0};
  for (const Quantity quantity : {Quantity::kCost, Quantity::kIndicator}) {
    options.quantity = quantity;
    for (const Line& line : lines_of(options)) {
      EXPECT_GT(line.least_contrast, kSeen) << (quantity == Quantity::kCost ? "cost" : "indicator");
    }
  }
}

TEST(StateImage, GivenDarkSpotsInALightPictureThenOutlinesDoNotLookLikeMissingValuesThere) {
  constexpr double kNearlyWhite = 70.0;
  StateImageOptions options = plain();
  options.range = Range{0.0, 1.0};
  for (const Quantity quantity : {Quantity::kCost, Quantity::kIndicator}) {
    options.quantity = quantity;
    for (const Line& line : lines_of(options)) EXPECT_LT(line.lightest_on_dark, kNearlyWhite);
  }
}

TEST(StateImage, GivenAnyWorkerThenOutlinesAreSeenOnItsColour) {
  StateImageOptions options = plain(Quantity::kWorker);
  options.outlines = true;
  for (int worker = 0; worker < kWorkerColours; ++worker) {
    amr::SavedRun state = with_extras();
    for (amr::SavedLevel& level : state.levels) {
      std::fill(level.values.begin(), level.values.end(), worker);
    }
    const Png png = draw(state, options);
    // An edge of level 0, away from the number that may stand in a patch.
    EXPECT_GT(contrast(png.at(kLeft + 256, kBottom + 200), worker_colour(worker)), kSeen) << worker;
  }
}

TEST(ColourMap, GivenASequentialPaletteThenLightnessIsMonotoneAndStepsLookAlike) {
  for (const Palette palette : {Palette::kHeat, Palette::kDeep}) {
    const ColourMap colour(palette, {0.0, 1.0});
    double least = 1e9;
    double most = 0.0;
    for (int step = 0; step < 16; ++step) {
      const Colour here = colour(step / 16.0);
      const Colour next = colour((step + 1) / 16.0);
      EXPECT_LT(lab(next)[0], lab(here)[0]) << step;
      least = std::min(least, difference(here, next));
      most = std::max(most, difference(here, next));
    }
    EXPECT_LT(most, 1.35 * least) << "equal steps of value, equal steps for the eye";
  }
}

TEST(ColourMap, GivenADivergingPaletteThenZeroIsNeutralWhereverTheRangeEnds) {
  const ColourMap colour(Palette::kDiverging, {-0.5, 1.0});
  const ColourMap whole(Palette::kDiverging, {-1.0, 1.0});
  EXPECT_LT(difference(colour(0.0), whole(0.0)), 3.0);
  EXPECT_LT(difference(colour(-0.5), whole(-0.5)), 3.0) << "half as far as red reaches";
  EXPECT_LT(difference(colour(1.0), whole(1.0)), 1.0);
}

TEST(WorkerColour, GivenEightWorkersThenTheirColoursAreFarApartAndLaterOnesDiffer) {
  for (int one = 0; one < 8; ++one) {
    for (int other = 0; other < one; ++other) {
      EXPECT_GT(difference(worker_colour(one), worker_colour(other)), 25.0) << one << " " << other;
    }
  }
  for (int one = 0; one < kWorkerColours; ++one) {
    for (int other = 0; other < one; ++other) {
      EXPECT_NE(worker_colour(one), worker_colour(other)) << one << " " << other;
    }
  }
  EXPECT_EQ(worker_colour(kWorkerColours), worker_colour(0));
  EXPECT_EQ(worker_colour(-1), kWhite) << "nobody";
}

}  // namespace
}  // namespace kumiko::viz
