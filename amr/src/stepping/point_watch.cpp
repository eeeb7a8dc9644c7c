#include "stepping/point_watch.hpp"

#include <algorithm>

namespace kumiko::amr {

std::size_t PointWatch::add(Points points, int every) {
  const std::size_t begin = x_.size();
  x_.insert(x_.end(), points.x.begin(), points.x.end());
  y_.insert(y_.end(), points.y.begin(), points.y.end());
  sets_.push_back({begin, x_.size(), every});
  return sets_.size() - 1;
}

bool PointWatch::is_any_wanted(int step) const {
  return std::ranges::any_of(sets_, [&](const Set& set) { return step % set.every == 0; });
}

void PointWatch::begin_window(int first, int count) {
  is_taking_ = false;
  if (sets_.empty()) return;
  for (int step = first + 1; step <= first + count; ++step) is_taking_ |= is_any_wanted(step);
  if (!is_taking_) return;
  window_ = first;
  first_.resize(static_cast<std::size_t>(hierarchy_.used_levels()));
  for (int level = 0; level < hierarchy_.used_levels(); ++level) {
    first_[static_cast<std::size_t>(level)].assign(hierarchy_.mesh().size(level), -1);
  }
  places_.clear();
  next_.clear();
  for (std::size_t point = 0; point < x_.size(); ++point) {
    const PointPlace place = place_of(hierarchy_, x_[point], y_[point]);
    std::int32_t& first_of_patch = first_[static_cast<std::size_t>(place.level)][place.slot];
    next_.push_back(first_of_patch);
    first_of_patch = static_cast<std::int32_t>(point);
    places_.push_back(place);
  }
  const auto components = static_cast<std::size_t>(hierarchy_.shape().components);
  values_.resize(static_cast<std::size_t>(count + 1) * x_.size() * components);
}

void PointWatch::take_last(int step) {
  for (int level = 0; level < hierarchy_.used_levels(); ++level) {
    for (const std::uint32_t slot : hierarchy_.level(level).own()) {
      take_points(step, level, slot, State::kNow);
    }
  }
}

void PointWatch::take_points(int step, int level, std::size_t slot, State state) {
  const ConstPatchView field = hierarchy_.level(level).patch(slot).state(state);
  const Centring centring = hierarchy_.geometry().centring();
  std::int32_t at = first_[static_cast<std::size_t>(level)][slot];
  for (; at >= 0; at = next_[static_cast<std::size_t>(at)]) {
    const auto point = static_cast<std::size_t>(at);
    double* const values = values_.data() + place_of_values(step, point);
    for (int component = 0; component < field.components(); ++component) {
      values[component] = value_at(centring, field, places_[point], component);
    }
  }
}

std::size_t PointWatch::place_of_values(int step, std::size_t point) const {
  const auto row = static_cast<std::size_t>(step - window_) * x_.size();
  return (row + point) * static_cast<std::size_t>(hierarchy_.shape().components);
}

std::span<const PointPlace> PointWatch::places(std::size_t set) const {
  return std::span(places_).subspan(sets_[set].begin, sets_[set].end - sets_[set].begin);
}

std::span<const double> PointWatch::values(std::size_t set, std::size_t point, int step) const {
  return std::span(values_).subspan(place_of_values(step, sets_[set].begin + point),
                                    static_cast<std::size_t>(hierarchy_.shape().components));
}

}  // namespace kumiko::amr
