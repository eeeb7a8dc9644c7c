#include "picture/state_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <kumiko/amr/require.hpp>

namespace kumiko::viz {

namespace {

using amr::kPatchSize;

amr::Extra extra_of(Quantity quantity) {
  if (quantity == Quantity::kWorker) return amr::Extra::kWorker;
  return quantity == Quantity::kCost ? amr::Extra::kCost : amr::Extra::kIndicator;
}

std::size_t component_of(const amr::SavedRun& state, Quantity quantity, int component) {
  const std::size_t field = state.components() - static_cast<std::size_t>(state.extras);
  if (quantity != Quantity::kField) {
    const amr::Extra extra = extra_of(quantity);
    amr::require(has_extras(state),
                 "has no {} of its patches; run the case with --set output.extras=true",
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
  for (int level = 0; level < values.mesh().levels(); ++level) {
    for (const amr::LeafBox<2>& leaf : values.mesh().leaf_boxes(level)) {
      const std::span<const double> patch = values.of(level, leaf.slot);
      for (int j = leaf.first[1]; j < leaf.first[1] + leaf.size; ++j) {
        const auto row = static_cast<std::size_t>(j * kPatchSize + leaf.first[0]);
        for (const double value : patch.subspan(row, static_cast<std::size_t>(leaf.size))) f(value);
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
    : state_(state), component_(component_of(state, quantity, component)) {}

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
