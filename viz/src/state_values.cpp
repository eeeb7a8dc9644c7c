#include "state_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <kumiko/amr/require.hpp>

namespace kumiko::viz {

namespace {

using amr::kPatchPoints;
using amr::kPatchSize;

std::size_t components_of(const amr::SavedRun& state) {
  for (const amr::SavedLevel& level : state.levels) {
    if (!level.patches.empty()) return level.values.size() / level.patches.size() / kPatchPoints;
  }
  throw std::invalid_argument("has no patches, so there is nothing to draw");
}

amr::Extra extra_of(Quantity quantity) {
  if (quantity == Quantity::kWorker) return amr::Extra::kWorker;
  return quantity == Quantity::kCost ? amr::Extra::kCost : amr::Extra::kIndicator;
}

std::size_t component_of(const amr::SavedRun& state, Quantity quantity, int component) {
  const std::size_t field = components_of(state) - static_cast<std::size_t>(state.extras);
  if (quantity != Quantity::kField) {
    const amr::Extra extra = extra_of(quantity);
    amr::require(has_extras(state),
                 "has no {} of its patches; run the case with --set output.figures=true",
                 to_string(extra));
    return field + static_cast<std::size_t>(extra);
  }
  amr::require(component >= 0 && static_cast<std::size_t>(component) < field,
               "has no component {}, but {} of them", component, field);
  return static_cast<std::size_t>(component);
}

/// Calls f with the value of every leaf point.
template <class Function>
void for_leaf_values(const StateValues& values, Function f) {
  for (int level = 0; level < values.levels(); ++level) {
    for (const amr::LeafBox<2>& leaf : values.leaves(level)) {
      for (int point = 0; point < leaf.size * leaf.size; ++point) {
        f(values.at(level, leaf.slot, leaf.first[0] + point % leaf.size,
                    leaf.first[1] + point / leaf.size));
      }
    }
  }
}

/// The largest value, unless it is far beyond nearly all: while a patch was worked on, the system
/// may have done something else for a while.
double usual_high(std::vector<double> values) {
  constexpr double kNearlyAll = 0.98;
  constexpr double kFar = 1.5;
  const auto most = values.begin() + static_cast<std::ptrdiff_t>(
                                         kNearlyAll * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), most, values.end());
  return std::min(kFar * *most, *std::max_element(most, values.end()));
}

}  // namespace

StateValues::StateValues(const amr::SavedRun& state, Quantity quantity, int component)
    : state_(state),
      record_(components_of(state) * kPatchPoints),
      offset_(component_of(state, quantity, component) * kPatchPoints) {}

double StateValues::at(int level, std::size_t slot, int i, int j) const {
  const auto point = static_cast<std::size_t>(j * kPatchSize + i);
  return this->level(level).values[slot * record_ + offset_ + point];
}

bool StateValues::has(const amr::PatchId& id) const {
  if (id.level >= levels()) return false;
  const std::vector<amr::PatchId>& patches = level(id.level).patches;
  return std::binary_search(patches.begin(), patches.end(), id);
}

std::vector<amr::LeafBox<2>> StateValues::leaves(int level) const {
  const std::vector<amr::PatchId> none;
  return amr::leaf_boxes<amr::PatchId>(
      this->level(level).patches, level + 1 < levels() ? this->level(level + 1).patches : none);
}

Range StateValues::extremes() const {
  Range range = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for_leaf_values(*this, [&](double value) {
    if (std::isfinite(value)) range = joined(range, {value, value});
  });
  return range;
}

bool has_extras(const amr::SavedRun& state) {
  return state.extras == static_cast<int>(amr::kExtraNames.size());
}

Range value_range(const amr::SavedRun& state, Quantity quantity, int component) {
  std::vector<double> values;
  for_leaf_values(StateValues(state, quantity, component), [&](double value) {
    if (std::isfinite(value)) values.push_back(value);
  });
  if (values.empty()) return {0.0, 1.0};
  const auto [low, high] = std::ranges::minmax_element(values);
  Range range = {*low, *high};
  if (quantity == Quantity::kWorker) return {0.0, std::max(0.0, range.high)};
  if (quantity == Quantity::kCost) range.high = usual_high(std::move(values));
  const bool from_zero = quantity != Quantity::kField || range.low == range.high;
  if (from_zero) range = joined(range, {0.0, 0.0});
  return range.low == range.high ? Range{0.0, 1.0} : range;
}

Range joined(Range one, Range other) {
  return {std::min(one.low, other.low), std::max(one.high, other.high)};
}

}  // namespace kumiko::viz
