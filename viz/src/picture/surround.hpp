// Paints what stands around the domain in a picture: axes, title, colour bar, legends.
#pragma once

#include <cstddef>
#include <string>

#include "picture/canvas.hpp"
#include "picture/colour_map.hpp"
#include "picture/layout.hpp"
#include "picture/outlines.hpp"

namespace kumiko::viz {

/// Where to paint: what is coloured, and what is written about it in black, which may lie apart.
struct Sheet {
  Canvas& colours;
  Canvas& lettering;
};

void paint_title(Canvas& canvas, const Layout& layout, const std::string& title);
void paint_axes(Canvas& canvas, const Layout& layout, const amr::Extent& extent);

/// The label of a colour bar.
struct BarLabel {
  std::string name;
  double unit = 1.0;  ///< the value that 1 on the bar stands for
};

/// A time in the unit that makes short numbers of seconds up to `largest`.
BarLabel seconds_label(const std::string& name, double largest);

/// A colour bar at the upper end of the column, down to `bottom`. An end beyond which there are
/// values (`extremes`) is a point.
void paint_colour_bar(Sheet sheet, const Layout& layout, int bottom, const ColourMap& colours,
                      Range range, Range extremes, const BarLabel& label);
/// Workers 0 to the last one, in the same place; in columns where there are many.
void paint_worker_legend(Sheet sheet, const Layout& layout, int bottom, int workers);

/// How many units paint_level_legend() takes from the column's lower end.
int level_legend_height(int levels);
/// The levels' outlines and numbers of patches, at the lower end of the column; below them how many
/// tagged patches nesting left out, which gaps in the mesh come from.
void paint_level_legend(Sheet sheet, const Layout& layout, const Outlines& outlines,
                        const StateValues& values, std::size_t unnested, Colour inside);

}  // namespace kumiko::viz
