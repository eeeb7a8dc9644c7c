#include <cstddef>
#include <utility>

#include <kumiko/io/run_options.hpp>

namespace kumiko::io {

namespace {

/// The same option, of so many numbers.
amr::OptionField<RecordOptions> sized(std::size_t size, amr::OptionField<RecordOptions> option) {
  option.list_size = size;
  return option;
}

}  // namespace

}  // namespace kumiko::io

namespace kumiko::amr {

template <>
const std::vector<OptionField<io::RecordOptions>>& fields<io::RecordOptions>() {
  using R = io::RecordOptions;
  using enum Determines;
  constexpr double kMostPoints = 100000;
  static const std::vector<OptionField<R>> list = {
      required(field<&R::name>("record.name", {}, kRun,
                               "the record's name: its file is record_NAME.csv")),
      optional(field<&R::points>("record.points", {}, kRun,
                                 "points whose values are recorded, in the case's units")),
      optional(io::sized(
          2, field<&R::line_from>("record.line.from", {}, kRun,
                                  "first point of a line whose values are recorded: [x, y]"))),
      optional(io::sized(
          2, field<&R::line_to>("record.line.to", {}, kRun, "last point of the line: [x, y]"))),
      optional(field<&R::line_points>("record.line.n", {2, kMostPoints}, kRun,
                                      "points on the line, at equal distances, both ends "
                                      "included")),
      optional(io::sized(4, field<&R::box>("record.box", {}, kRun,
                                           "a box whose integral is recorded: "
                                           "[x0, y0, x1, y1]"))),
      optional(field<&R::extremes>("record.extremes", {}, kRun,
                                   "true: the least and the greatest value with their places")),
      optional(field<&R::component>("record.component", {}, kRun,
                                    "the component that is recorded; without it, all")),
      field<&R::every>("record.every", {0, kMostCount}, kRun,
                       "base steps between rows; 0 = by record.interval alone, which makes it the "
                       "default"),
      field<&R::interval>("record.interval", {.least = 0.0}, kRun,
                          "time of the case between rows, each of the base step that is nearest; "
                          "0 = by record.every alone"),
  };
  return list;
}

}  // namespace kumiko::amr
