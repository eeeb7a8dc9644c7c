
#include <fmt/core.h>

#include <kumiko/amr/refinement_options.hpp>

namespace kumiko::amr {

namespace {

void check_thresholds(const RefinementOptions& options, int points) {
  const double threshold = options.threshold;
  const double on = on_grid(options, points).threshold;
  if (options.criterion == Criterion::kLoehner && on >= 1.0) {
    const std::string from =
        on == threshold ? ""
                        : fmt::format(" on this `points`, from {} at {} by `threshold_order`",
                                      threshold, options.threshold_at);
    throw OptionError(
        "threshold", fmt::format("{}{}", on, from),
        "with `criterion` loehner it must be below 1, since the indicator never exceeds 1");
  }
  if (options.derefine_threshold > threshold) {
    throw OptionError("derefine_threshold", fmt::format("{}", options.derefine_threshold),
                      fmt::format("it must be at most `threshold`, {}", threshold));
  }
}

void require_interval(const char* option, double from, double to, std::size_t region) {
  if (from < to) return;
  throw OptionError(option, fmt::format("[{}, {}]", from, to),
                    "its first number must be below its second", region);
}

void check_region(const RefinementRegion& region, std::size_t index, int levels) {
  check_ranges(region, index);
  require_interval("x", region.x0, region.x1, index);
  require_interval("y", region.y0, region.y1, index);
  const auto refuse_least = [&](const std::string& wanted) {
    throw OptionError("min_level", fmt::format("{}", region.min_level), wanted, index);
  };
  if (region.min_level > region.max_level) {
    refuse_least(fmt::format("it must be at most `max_level`, {}", region.max_level));
  }
  if (region.min_level >= levels) {
    refuse_least(fmt::format("with `levels` at {} the finest level is {}", levels, levels - 1));
  }
}

}  // namespace

template <>
const std::vector<OptionField<RefinementRegion>>& fields<RefinementRegion>() {
  using enum Determines;
  using R = RefinementRegion;
  const Range levels = {0, kLargestLevelCount - 1};
  static const std::vector<OptionField<R>> list = {
      required(pair_field<&R::x0, &R::x1>(
          "x", {}, kCourse,
          "extent in x of a region with levels of its own: from, to, in the case's units")),
      required(pair_field<&R::y0, &R::y1>(
          "y", {}, kCourse,
          "extent in y of a region with levels of its own: from, to, in the case's units")),
      field<&R::max_level>("max_level", levels, kCourse,
                           "finest level that tags may bring to the region; 0 = the base grid"),
      field<&R::min_level>("min_level", levels, kCourse,
                           "level to which the region is refined in any case"),
  };
  return list;
}

template <>
const std::vector<OptionField<RefinementOptions>>& fields<RefinementOptions>() {
  using enum Determines;
  using R = RefinementOptions;
  static const std::vector<OptionField<R>> list = {
      field<&R::criterion>(
          "criterion", {}, kCourse,
          "the indicator of where to refine: Loehner's, the largest difference to a "
          "neighbouring point, or the case's own"),
      field<&R::threshold>(
          "threshold", {.least = 0, .open = true}, kCourse,
          "indicator above which the mesh is refined, in its units; for loehner below 1"),
      field<&R::derefine_threshold>(
          "derefine_threshold", {.least = 0}, kCourse,
          "indicator above which existing patches stay; 0 = the same as `threshold`"),
      field<&R::threshold_order>(
          "threshold_order", {0, 4}, kCourse,
          "power of the base grid's spacing with which both thresholds fall where `points` is not "
          "`threshold_at`, so that a smooth field is refined in the same places: 2 for loehner, 1 "
          "for gradient; 0 = they stay as they are"),
      field<&R::threshold_at>(
          "threshold_at", {0, kMostBasePoints}, kCourse,
          "points of level 0 in x for which the thresholds are given; 0 = `points` of the file; "
          "without effect where `threshold_order` is 0"),
      field<&R::hysteresis>("hysteresis", {0, kMostCount}, kCourse,
                            "regrids in a row at which a patch stays though it is not wanted"),
      field<&R::min_lifetime>("min_lifetime", {0, kMostCount}, kCourse,
                              "base steps that a patch stays after it came"),
      field<&R::delta>("delta", {0, 1}, kCourse,
                       "weight of the loehner indicator's filter against ripples"),
      field<&R::floor>("floor", {0, 1}, kCourse,
                       "added to the loehner indicator's denominator, as a multiple of each "
                       "component's scale"),
      field<&R::buffer>("buffer", {0, kPatchSize, "since tags reach the next patch at most"},
                        kCourse, "points of the tagged level by which tags grow"),
      field<&R::interval>(
          "interval", {0, kMostCount}, kCourse,
          "base steps between regrids; 0 = as many as keep the distance travelled within `buffer`"),
      field<&R::memory_limit>("memory_limit", {0, kMostCount}, kRun,
                              "MiB that the patches of each rank may take; 0 = no limit"),
      field<&R::check_finite>(
          "check_finite", {0, kMostCount}, kRun,
          "least base steps between looks for values that are not finite; 0 = only where rows or "
          "files are written"),
  };
  return list;
}

RefinementOptions on_grid(RefinementOptions options, int points) {
  if (options.threshold_at != 0) {
    const double ratio = static_cast<double>(options.threshold_at) / points;
    for (int power = 0; power < options.threshold_order; ++power) {
      options.threshold *= ratio;
      options.derefine_threshold *= ratio;
    }
  }
  options.threshold_order = options.threshold_at = 0;
  return options;
}

double keep_threshold(const RefinementOptions& options) {
  return options.derefine_threshold > 0.0 ? options.derefine_threshold : options.threshold;
}

void check(const RefinementOptions& options, int points, int levels) {
  check_ranges(options);
  check_thresholds(options, points);
  if (options.indicator && options.criterion != Criterion::kUser) {
    throw OptionError("criterion", std::get<std::string>(detail::to_value(options.criterion)),
                      "with an indicator of the program's own it must be user");
  }
  for (std::size_t index = 0; index < options.regions.size(); ++index) {
    check_region(options.regions[index], index, levels);
  }
}

}  // namespace kumiko::amr
