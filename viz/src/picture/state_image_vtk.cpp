#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <span>

#include <fmt/core.h>

#include <kumiko/amr/require.hpp>
#include <kumiko/viz/state_image.hpp>

#include "picture/canvas.hpp"
#include "picture/colour_map.hpp"
#include "picture/layout.hpp"
#include "picture/outlines.hpp"
#include "picture/state_values.hpp"
#include "picture/surround.hpp"

namespace kumiko::viz {

namespace {

using amr::kPatchSize;

constexpr int kLeastBar = 230;  ///< units that a colour bar or the workers' legend needs

/// The worker that an extra of a file stands for. Extras are not checked when a file is read; -1
/// for none.
int worker_of(double extra) {
  constexpr double kMost = 65535.0;  // more than any run has
  return std::isfinite(extra) ? static_cast<int>(std::clamp(extra, -1.0, kMost)) : -1;
}

/// Of outlines: a colour that stands out from all of the palette's; none does from viridis's.
std::optional<Colour> ink_on(Palette palette) {
  constexpr Colour kSea = {0, 110, 160};
  constexpr Colour kBrick = {220, 50, 30};
  constexpr std::optional<Colour> kInks[] = {std::nullopt, kBlack, kSea, kBrick};
  static_assert(std::size(kInks) == static_cast<std::size_t>(Palette::kDeep) + 1);
  return kInks[static_cast<std::size_t>(palette)];
}

/// A value of the quantity to its colour.
using Colours = std::function<Colour(double)>;

/// Viridis for a field, since most are amounts from nothing upwards; colours about a neutral zero
/// for one that goes about as far below zero as above. An overshoot below zero makes no such field.
Palette palette_of(Quantity quantity, Range range) {
  constexpr double kLeastPart = 0.4;
  if (quantity == Quantity::kCost) return Palette::kHeat;
  if (quantity == Quantity::kIndicator) return Palette::kDeep;
  const double least = std::min(-range.low, range.high);
  const double largest = std::max(-range.low, range.high);
  return least >= kLeastPart * largest && least > 0.0 ? Palette::kDiverging : Palette::kViridis;
}

/// Paints every point of the domain by the leaf node nearest to it, or by the leaf cell that it
/// lies in. A node's square reaches half a spacing each way, to the domain's end for the last
/// nodes. The levels go from coarse to fine: where a finer level begins, between the two levels'
/// squares, the covered coarse node shows, which holds the same value as the fine node that lies
/// there. Extras are of patches rather than of nodes: they fill the patch's square as cells do.
void paint_values(Canvas& canvas, const Layout& layout, const amr::Geometry& geometry,
                  const StateValues& values, bool as_nodes, const Colours& colours) {
  const amr::Extent extent = geometry.extent();
  // How far a point's square reaches below its index × spacing.
  const double before = as_nodes ? 0.5 : 0.0;
  for (int level = 0; level < values.mesh().levels(); ++level) {
    const double h = geometry.spacing(level);
    const auto first = [&](int point) { return std::max((point - before) * h, 0.0); };
    const auto last = [&](int point, double length) {
      return (point + 1.5) * h > length ? length : (point + 1 - before) * h;
    };
    const std::span<const amr::PatchId> patches = values.mesh().ids(level);
    for (std::size_t slot = 0; slot < patches.size(); ++slot) {
      const std::span<const double> of_patch = values.of(level, slot);
      for (int point = 0; point < amr::kPatchPoints; ++point) {
        const int i = patches[slot].i * kPatchSize + point % kPatchSize;
        const int j = patches[slot].j * kPatchSize + point / kPatchSize;
        canvas.fill(layout.x(first(i)), layout.y(first(j)), layout.x(last(i, extent.x)) - 1,
                    layout.y(last(j, extent.y)) - 1,
                    colours(of_patch[static_cast<std::size_t>(point)]));
      }
    }
  }
}

/// Numbers in the patches that have room, where colours alone do not distinguish the workers: in
/// the first quadrant that no finer patch covers.
void paint_worker_numbers(Canvas& canvas, const Layout& layout, const amr::Geometry& geometry,
                          const StateValues& values) {
  constexpr int kLargest = 16;
  constexpr double kShareOfQuadrant = 0.45;
  constexpr int kSmallest = 7;
  for (int level = 0; level < values.mesh().levels(); ++level) {
    const double h = geometry.spacing(level);
    const double side = h * amr::kQuadrantSize;
    const auto room = static_cast<int>(side * layout.pixels_per_length() * kShareOfQuadrant);
    const int size = std::min(layout.unit(kLargest), room);
    if (size < kSmallest) continue;
    const std::span<const amr::PatchId> patches = values.mesh().ids(level);
    std::size_t next = 0;  // slot without a number
    for (const amr::LeafBox<2>& leaf : values.mesh().leaf_boxes(level)) {
      if (leaf.slot < next) continue;
      next = leaf.slot + 1;
      const auto worker = worker_of(values.of(level, leaf.slot).front());
      const Colour colour = lightness(worker_colour(worker)) > 0.5 ? kBlack : kWhite;
      const auto [i, j] = amr::box_of(patches[leaf.slot], leaf).begin;
      canvas.text(layout.x(i * h + 0.5 * side), layout.y(j * h + 0.5 * side),
                  {size, Align::kCentre, colour}, fmt::format("{}", worker));
    }
  }
}

Range range_of(const amr::SavedRun& state, const StateImageOptions& options) {
  const Range range =
      options.range ? *options.range : value_range(state, options.quantity, options.component);
  const bool in_order =
      options.quantity == Quantity::kWorker ? range.low <= range.high : range.low < range.high;
  amr::require(std::isfinite(range.low) && std::isfinite(range.high) && in_order,
               "colours cannot go from {:g} to {:g}; give a lower and a higher number", range.low,
               range.high);
  return range;
}

/// The same options, whose width can be drawn.
const StateImageOptions& checked(const StateImageOptions& options) {
  constexpr int kLeast = 300;
  constexpr int kMost = 8000;
  amr::require(options.width >= kLeast && options.width <= kMost,
               "a picture cannot be {} pixels wide; choose {} to {}", options.width, kLeast, kMost);
  return options;
}

/// One picture in the making.
class Picture {
 public:
  Picture(const amr::SavedRun& state, const amr::Geometry& geometry,
          const StateImageOptions& options)
      : options_(checked(options)),
        geometry_(geometry),
        values_(state, options.quantity, options.component),
        range_(range_of(state, options)),
        palette_(palette_of(options.quantity, range_)),
        unnested_(state.unnested),
        legend_(options.outlines ? level_legend_height(values_.mesh().levels()) : 0),
        layout_(geometry.extent(), options, kLeastBar + legend_) {}

  std::string draw() const {
    Canvas canvas(layout_.width(), layout_.height(), kWhite);
    paint({canvas, canvas});
    return canvas.png();
  }

  LayeredImage draw_in_layers() const {
    Canvas colours(layout_.width(), layout_.height());
    Canvas lettering(layout_.width(), layout_.height());
    paint({colours, lettering});
    return {colours.png(), lettering.png(), layout_.width(), layout_.height()};
  }

 private:
  void paint(Sheet sheet) const {
    const bool is_worker = options_.quantity == Quantity::kWorker;
    const int bottom = layout_.column().y0 + layout_.unit(legend_);
    if (is_worker) {
      paint_workers(sheet, bottom);
    } else {
      paint_amounts(sheet, bottom);
    }
    paint_axes(sheet.lettering, layout_, geometry_.extent());
    paint_title(sheet.lettering, layout_, options_.title);
  }

  void paint_workers(Sheet sheet, int bottom) const {
    constexpr int kToldByColour = 8;
    const int workers = worker_of(range_.high) + 1;
    paint_values(sheet.colours, layout_, geometry_, values_, false,
                 [](double worker) { return worker_colour(worker_of(worker)); });
    paint_outlines(sheet, kBlack, worker_colour(1));
    if (workers > kToldByColour) paint_worker_numbers(sheet.colours, layout_, geometry_, values_);
    paint_worker_legend(sheet, layout_, bottom, workers);
  }

  void paint_amounts(Sheet sheet, int bottom) const {
    const bool is_field = options_.quantity == Quantity::kField;
    const ColourMap colours(palette_, range_);
    paint_values(sheet.colours, layout_, geometry_, values_,
                 is_field && geometry_.centring() == amr::Centring::kNode, colours);
    paint_outlines(sheet, ink_on(palette_),
                   palette_ == Palette::kDiverging ? colours(0.0) : colours(range_.low));
    paint_colour_bar(sheet, layout_, bottom, colours, range_, values_.extremes(), bar_label());
  }

  BarLabel bar_label() const {
    if (options_.quantity == Quantity::kCost) return seconds_label("cost", range_.high);
    return {options_.quantity == Quantity::kField ? options_.name : "indicator"};
  }

  void paint_outlines(Sheet sheet, std::optional<Colour> ink, Colour of_legend) const {
    if (!options_.outlines) return;
    const Outlines outlines(ink, layout_, geometry_);
    outlines.paint(sheet.colours, values_);
    paint_level_legend(sheet, layout_, outlines, values_, unnested_, of_legend);
  }

  const StateImageOptions& options_;
  const amr::Geometry& geometry_;
  StateValues values_;
  Range range_;
  Palette palette_;
  std::size_t unnested_;  ///< as SavedRun has it
  int legend_;            ///< the levels' legend's height, in units
  Layout layout_;
};

}  // namespace

bool pictures_available() { return true; }

std::string draw_state(const amr::SavedRun& state, const amr::Geometry& geometry,
                       const StateImageOptions& options) {
  return Picture(state, geometry, options).draw();
}

LayeredImage draw_state_in_layers(const amr::SavedRun& state, const amr::Geometry& geometry,
                                  const StateImageOptions& options) {
  return Picture(state, geometry, options).draw_in_layers();
}

}  // namespace kumiko::viz
