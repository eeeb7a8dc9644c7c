#include "conformance/case/places.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kumiko::plugin::conformance {

namespace {

constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();

/// Points along each axis.
constexpr int kAcrossDomain = 32;
/// Of the domain's extent: what is left out next to the sides.
constexpr double kMargin = 0.01;

/// Points within the domain, each moved off the lines of its grid.
Places places_inside(const amr::Extent& extent) {
  Places places;
  for (int j = 0; j < kAcrossDomain; ++j) {
    for (int i = 0; i < kAcrossDomain; ++i) {
      const double across = (i + 0.5 + 0.45 * noise(i, j, 0)) / kAcrossDomain;
      const double up = (j + 0.5 + 0.45 * noise(i, j, 1)) / kAcrossDomain;
      places.add(extent.x * (kMargin + (1.0 - 2.0 * kMargin) * across),
                 extent.y * (kMargin + (1.0 - 2.0 * kMargin) * up));
    }
  }
  return places;
}

}  // namespace

Places Places::moved(double dx, double dy) const {
  Places all = *this;
  for (double& each : all.x) each += dx;
  for (double& each : all.y) each += dy;
  return all;
}

Places Places::on(amr::Side side, const amr::Extent& extent) const {
  Places all = *this;
  switch (side) {
    case amr::Side::kLeft:
      std::ranges::fill(all.x, 0.0);
      break;
    case amr::Side::kRight:
      std::ranges::fill(all.x, extent.x);
      break;
    case amr::Side::kBottom:
      std::ranges::fill(all.y, 0.0);
      break;
    case amr::Side::kTop:
      std::ranges::fill(all.y, extent.y);
      break;
  }
  return all;
}

CaseSubject::CaseSubject(const amr::Case& its_problem)
    : problem(its_problem),
      times{0.0, 0.137 * end, 0.5 * end, 0.618 * end, end},
      inside(places_inside(extent)) {
  const auto kinds = problem.boundaries().sides();
  for (std::size_t at = 0; at < kinds.size(); ++at) {
    if (kinds[at].kind == amr::BoundaryKind::kPrescribed) {
      prescribed_sides.push_back(static_cast<amr::Side>(at));
    }
  }
}

VectorValues CaseSubject::velocity(const Places& places, double time) const {
  VectorValues values = {std::vector<double>(places.size(), kUnset),
                         std::vector<double>(places.size(), kUnset)};
  problem.velocity(places.points(), time, {values[0], values[1]});
  return values;
}

std::vector<double> CaseSubject::initial(const Places& places, int component) const {
  std::vector<double> values(places.size(), kUnset);
  problem.initial(places.points(), component, values);
  return values;
}

std::vector<double> CaseSubject::prescribed(amr::Side side, const Places& places, int component,
                                            double time) const {
  std::vector<double> values(places.size(), kUnset);
  problem.boundary_values(side, places.points(), component, time, values);
  return values;
}

std::optional<VectorValues> CaseSubject::displacement(const Places& places, double time,
                                                      double tau) const {
  VectorValues values = {std::vector<double>(places.size(), kUnset),
                         std::vector<double>(places.size(), kUnset)};
  if (!problem.exact_displacement(places.points(), time, tau, {values[0], values[1]})) {
    return std::nullopt;
  }
  return values;
}

std::optional<std::vector<double>> CaseSubject::stream(const Places& places, double time) const {
  std::vector<double> values(places.size(), kUnset);
  if (!problem.stream_function(places.points(), time, values)) return std::nullopt;
  return values;
}

std::optional<std::vector<double>> CaseSubject::exact(const Places& places, int component,
                                                      double time) const {
  std::vector<double> values(places.size(), kUnset);
  if (!problem.exact(places.points(), component, time, values)) return std::nullopt;
  return values;
}

std::string CaseSubject::of(int component) const {
  if (components == 1) return {};
  return fmt::format(" of component '{}'", names.at(static_cast<std::size_t>(component)));
}

void Comparison::add(const Places& places, double time, const std::vector<double>& a,
                     const std::vector<double>& b) {
  for (std::size_t at = 0; at < places.size(); ++at) {
    add(places.x[at], places.y[at], time, a[at], b[at]);
  }
}

Finding Comparison::judged(const Terms& terms) const {
  double scale = terms.least;
  for (const Pair& pair : pairs_) {
    for (const double value : {pair.a, pair.b}) {
      if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
    }
  }
  const Pair* worst = nullptr;
  double most = 0.0;
  std::size_t differing = 0;
  for (const Pair& pair : pairs_) {
    double difference = 0.0;
    raise(difference, std::abs(pair.a - pair.b));
    if (difference > terms.tolerance * scale) ++differing;
    if (worst != nullptr && difference <= most) continue;
    most = difference;
    worst = &pair;
  }
  const double relative = scale > 0.0 ? most / scale : 0.0;
  const Numbers numbers = {{"values", static_cast<double>(pairs_.size())},
                           {"differing", static_cast<double>(differing)},
                           {"largest_difference", relative}};
  if (most == 0.0) return passed(numbers, "{} and {} are the same", terms.a, terms.b);
  if (differing == 0) {
    return passed(numbers, "{} and {} agree to {:.1e} of the largest value", terms.a, terms.b,
                  relative);
  }
  const std::string where = fmt::format(
      "{} and {} differ in {} of {} values, most at ({:.4g}, {:.4g}), t = {:.4g}: "
      "{:.6g} and {:.6g}",
      terms.a, terms.b, differing, pairs_.size(), worst->x, worst->y, worst->time, worst->a,
      worst->b);
  if (static_cast<double>(differing) <= terms.share * static_cast<double>(pairs_.size())) {
    return noted(numbers, "{}, as where a flow or a field jumps", where);
  }
  return failed(numbers, "{}; {}", where, terms.remedy);
}

}  // namespace kumiko::plugin::conformance
