#include "config/refinement_keys.hpp"

#include <fmt/format.h>

#include <kumiko/amr/refinement_options.hpp>
#include <kumiko/io/schema.hpp>

#include "config/listed_name.hpp"

namespace kumiko::io {

namespace {

std::optional<Refusal> refused_interval(const amr::ParameterSet& values, const std::string& key) {
  const std::vector<double>& ends = values.numbers(key);
  if (ends[0] < ends[1]) return std::nullopt;
  return Refusal{key, fmt::format("'{}' is [{}, {}]; its first number must be below its second",
                                  listed_name(key)->declared(), ends[0], ends[1])};
}

std::optional<Refusal> refused_region(const amr::ParameterSet& values, const std::string& entry) {
  if (auto refusal = refused_interval(values, entry + ".x")) return refusal;
  if (auto refusal = refused_interval(values, entry + ".y")) return refusal;
  const std::int64_t least = values.integer(entry + ".min_level");
  const std::int64_t largest = values.integer(entry + ".max_level");
  if (least > largest) {
    return Refusal{
        entry + ".min_level",
        fmt::format("'amr.region.min_level' is {}; it must be at most 'amr.region.max_level', {}",
                    least, largest)};
  }
  const std::int64_t levels = values.integer("amr.levels");
  if (least < levels) return std::nullopt;
  return Refusal{entry + ".min_level",
                 fmt::format("'amr.region.min_level' is {}, but with 'amr.levels' at {} the finest "
                             "level is {}",
                             least, levels, levels - 1)};
}

}  // namespace

double threshold_on_grid(const amr::ParameterSet& values, const char* key) {
  const double threshold = values.number(key);
  const auto order = static_cast<int>(values.integer("amr.threshold_order"));
  if (order == 0) return threshold;
  return amr::scaled_threshold(threshold, order,
                               static_cast<int>(values.integer("amr.threshold_at")),
                               static_cast<int>(values.list("grid.base").front()));
}

std::optional<Refusal> refused_refinement(const amr::ParameterSet& values) {
  const double threshold = values.number("amr.threshold");
  const double on_grid = threshold_on_grid(values, "amr.threshold");
  if (values.text("amr.criterion") == "loehner" && on_grid >= 1.0) {
    return Refusal{
        "amr.threshold",
        fmt::format(
            "'amr.threshold' is {}{}; it must be below 1, which the indicator 'loehner' never "
            "exceeds",
            on_grid,
            on_grid == threshold ? ""
                                 : fmt::format(" on this 'grid.base', from {} at {} by "
                                               "'amr.threshold_order'",
                                               threshold, values.integer("amr.threshold_at")))};
  }
  const double keep = values.number("amr.derefine_threshold");
  if (keep > threshold) {
    return Refusal{"amr.derefine_threshold",
                   fmt::format("'amr.derefine_threshold' is {}; it must be at most "
                               "'amr.threshold', {}",
                               keep, threshold)};
  }
  for (std::size_t index = 0;; ++index) {
    const std::string entry = ListedName{"amr.region", index, ""}.entry();
    if (!values.contains(entry + ".x")) return std::nullopt;
    if (auto refusal = refused_region(values, entry)) return refusal;
  }
}

}  // namespace kumiko::io
