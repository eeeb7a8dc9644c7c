#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <vector>

#include <kumiko/amr/flow_check.hpp>

namespace kumiko::amr {

namespace {

constexpr int kAcross = 10;  ///< points along each axis
/// Half the distance over which ψ is differenced, of the domain's extent.
constexpr double kHalf = 1e-4;
constexpr double kTolerance = 0.2;

struct Places {
  std::vector<double> x;
  std::vector<double> y;
  Points points() const { return {x, y}; }
};

/// Points within the domain that lie on no regular grid's lines, moved by a little.
Places places(const Extent& extent, double dx, double dy) {
  Places all;
  for (int j = 0; j < kAcross; ++j) {
    for (int i = 0; i < kAcross; ++i) {
      all.x.push_back(extent.x * (0.0371 + 0.0931 * i) + dx);
      all.y.push_back(extent.y * (0.0457 + 0.0923 * j) + dy);
    }
  }
  return all;
}

std::optional<FlowContradiction> contradiction_at(const Case& problem, double time) {
  const Extent extent = problem.extent();
  const double half_x = kHalf * extent.x;
  const double half_y = kHalf * extent.y;
  const Places here = places(extent, 0.0, 0.0);
  const std::size_t count = here.x.size();
  const auto stream = [&](double dx, double dy) {
    std::vector<double> psi(count);
    const bool is_known = problem.stream_function(places(extent, dx, dy).points(), time, psi);
    if (!is_known) psi.clear();
    return psi;
  };
  const std::vector<double> right = stream(half_x, 0.0);
  if (right.empty()) return std::nullopt;
  const std::vector<double> left = stream(-half_x, 0.0);
  const std::vector<double> top = stream(0.0, half_y);
  const std::vector<double> bottom = stream(0.0, -half_y);
  std::vector<double> vx(count);
  std::vector<double> vy(count);
  problem.velocity(here.points(), time, {vx, vy});
  double largest = 0.0;
  for (std::size_t at = 0; at < count; ++at) {
    largest = std::max({largest, std::abs(vx[at]), std::abs(vy[at])});
  }
  std::optional<FlowContradiction> worst;
  double most = kTolerance * largest;
  std::size_t differing = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const double by_x = (top[at] - bottom[at]) / (2.0 * half_y);
    const double by_y = (left[at] - right[at]) / (2.0 * half_x);
    const double difference = std::max(std::abs(by_x - vx[at]), std::abs(by_y - vy[at]));
    if (!(difference > kTolerance * largest)) continue;
    ++differing;
    if (difference < most) continue;
    most = difference;
    worst = {here.x[at], here.y[at], time, {by_x, by_y}, {vx[at], vy[at]}};
  }
  if (2 * differing <= count) return std::nullopt;
  return worst;
}

}  // namespace

std::optional<FlowContradiction> contradiction(const Case& problem) {
  try {
    const std::array<double, 2> parts = {0.0, 0.3};
    for (const double part : parts) {
      if (auto found = contradiction_at(problem, part * problem.end_time())) return found;
    }
  } catch (const std::exception&) {
    // The run tells what the case throws, with its place.
  }
  return std::nullopt;
}

std::optional<FactorContradiction> factor_contradiction(const Case& problem) {
  constexpr double kOfLargest = 1e-6;
  const double unit_time = problem.unit_factor_time();
  if (!problem.velocity_factor(unit_time)) return std::nullopt;
  const Places here = places(problem.extent(), 0.0, 0.0);
  const std::size_t count = here.x.size();
  const auto flow_at = [&](double time) {
    std::array<std::vector<double>, 2> flow = {std::vector<double>(count),
                                               std::vector<double>(count)};
    problem.velocity(here.points(), time, {flow[0], flow[1]});
    return flow;
  };
  const auto field = flow_at(unit_time);
  std::optional<FactorContradiction> worst;
  double most = 0.0;
  double largest = 0.0;
  const std::array<double, 4> parts = {0.0, 0.137, 0.618, 1.0};
  for (const double part : parts) {
    const double time = part * problem.end_time();
    const auto flow = flow_at(time);
    const std::optional<double> said = problem.velocity_factor(time);
    if (!said) {
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      return FactorContradiction{
          here.x[0], here.y[0], time, kNone, {flow[0][0], flow[1][0]}, {field[0][0], field[1][0]}};
    }
    const double factor = *said;
    for (std::size_t at = 0; at < count; ++at) {
      const std::array<double, 2> velocity = {flow[0][at], flow[1][at]};
      const std::array<double, 2> steady = {field[0][at], field[1][at]};
      for (std::size_t axis = 0; axis < velocity.size(); ++axis) {
        largest = std::max({largest, std::abs(velocity[axis]), std::abs(factor * steady[axis])});
        const double difference = std::abs(velocity[axis] - factor * steady[axis]);
        if (!(difference > most)) continue;
        most = difference;
        worst = {here.x[at], here.y[at], time, factor, velocity, steady};
      }
    }
  }
  if (most <= kOfLargest * largest) return std::nullopt;
  return worst;
}

}  // namespace kumiko::amr
