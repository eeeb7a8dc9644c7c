#include "chart/svg.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace kumiko::viz {

namespace {

/// Of a character to the size of its font. DejaVu Sans, among the widest, has 0.6 on average.
constexpr double kCharacterWidth = 0.6;

/// True if a byte begins a character of UTF-8.
bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

template <class... Arguments>
void append(std::string& text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  text += fmt::format(format, std::forward<Arguments>(arguments)...);
}

std::string stroke_attributes(const Stroke& stroke) {
  std::string text =
      fmt::format("stroke=\"{}\" stroke-width=\"{:g}\"", stroke.colour, stroke.width);
  if (!stroke.dashes.empty()) append(text, " stroke-dasharray=\"{}\"", stroke.dashes);
  return text;
}

/// Outlines of markers around the origin.
constexpr std::string_view kOutlines[kMarkers] = {
    "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z",
    "M-3.6 -3.6H3.6V3.6H-3.6Z",
    "M0 -4.8L4.5 3.4H-4.5Z",
    "M0 -5L4.4 0L0 5L-4.4 0Z",
    "M0 4.8L4.5 -3.4H-4.5Z",
    "M-4 -2L-2 -4L0 -2L2 -4L4 -2L2 0L4 2L2 4L0 2L-2 4L-4 2L-2 0Z"};

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += byte < 0x20U || byte == 0x7FU ? ' ' : c;
    }
  }
  return result;
}

double text_width(std::string_view text, double size) {
  const auto characters = std::ranges::count_if(text, begins_character);
  return kCharacterWidth * size * static_cast<double>(characters);
}

std::string clipped(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  std::size_t end = text.size();
  while (end > 0 && text_width(text.substr(0, end), size) + kCharacterWidth * size > width) {
    do {
      --end;
    } while (end > 0 && !begins_character(text[end]));
  }
  return std::string(text.substr(0, end)) + "…";
}

Svg::Svg(double width, double height, std::string_view title) {
  append(text_,
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
         "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" font-family=\"DejaVu Sans, Verdana, "
         "Helvetica, Arial, sans-serif\">\n",
         width, height);
  append(text_, "<title>{}</title>\n", escaped(title));
  append(text_, "<rect width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#ffffff\"/>\n", width, height);
}

void Svg::rectangle(const Box& box, std::string_view fill, std::string_view stroke) {
  append(text_,
         "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
         "stroke=\"{}\"/>\n",
         box.left, box.top, box.right - box.left, box.bottom - box.top, fill, stroke);
}

void Svg::line(Place from, Place to, const Stroke& stroke) {
  append(text_, "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n", from.x,
         from.y, to.x, to.y, stroke_attributes(stroke));
}

void Svg::polyline(std::span<const Place> places, const Stroke& stroke) {
  append(text_, "<polyline fill=\"none\" stroke-linejoin=\"round\" {} points=\"",
         stroke_attributes(stroke));
  for (const Place& place : places) append(text_, "{:.2f},{:.2f} ", place.x, place.y);
  text_.back() = '"';
  text_ += "/>\n";
}

void Svg::marker(std::size_t number, Place centre, std::string_view colour) {
  append(text_,
         "<path d=\"{}\" transform=\"translate({:.2f} {:.2f})\" fill=\"{}\" stroke=\"#ffffff\" "
         "stroke-width=\"0.8\"/>\n",
         kOutlines[number], centre.x, centre.y, colour);
}

void Svg::text(Place place, std::string_view text, const TextStyle& style) {
  append(text_, "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:g}\" fill=\"{}\"", place.x, place.y,
         style.size, style.colour);
  if (style.anchor != "start") append(text_, " text-anchor=\"{}\"", style.anchor);
  if (style.halo) {
    text_ +=
        " paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"2.5\" stroke-linejoin=\"round\"";
  }
  if (style.bold) text_ += " font-weight=\"bold\"";
  if (style.upward) append(text_, " transform=\"rotate(-90 {:.2f} {:.2f})\"", place.x, place.y);
  append(text_, ">{}</text>\n", escaped(text));
}

void Svg::open_group(std::string_view tooltip) {
  append(text_, "<g><title>{}</title>\n", escaped(tooltip));
}

void Svg::close_group() { text_ += "</g>\n"; }

/// An inner picture in the same coordinates: a clip path would need a name, which another picture
/// of the same web page might have too.
void Svg::open_clip(const Box& box) {
  append(text_,
         "<svg x=\"{0:.2f}\" y=\"{1:.2f}\" width=\"{2:.2f}\" height=\"{3:.2f}\" viewBox=\"{0:.2f} "
         "{1:.2f} {2:.2f} {3:.2f}\">\n",
         box.left, box.top, box.right - box.left, box.bottom - box.top);
}

void Svg::close_clip() { text_ += "</svg>\n"; }

std::string Svg::finish() {
  text_ += "</svg>\n";
  return std::move(text_);
}

}  // namespace kumiko::viz
