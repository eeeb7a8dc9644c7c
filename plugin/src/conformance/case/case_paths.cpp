// Whether particles move, and carry the solution, as the case says.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/case/case_checks.hpp"

namespace kumiko::plugin::conformance {

namespace {

/// Particles that are traced back by the classical Runge–Kutta scheme of order 4.
class Particles {
 public:
  explicit Particles(const CaseSubject& subject)
      : subject_(subject),
        boundaries_(subject.problem.boundaries()),
        at_(subject.inside),
        has_left_(at_.size(), 0) {}

  /// Moves them back from a time by `tau`.
  void trace_back(double time, double tau, int steps) {
    const double h = -tau / steps;
    for (int step = 0; step < steps; ++step) {
      const double t = time + h * step;
      const VectorValues k1 = velocity(at_, t);
      const VectorValues k2 = velocity(along(k1, 0.5 * h), t + 0.5 * h);
      const VectorValues k3 = velocity(along(k2, 0.5 * h), t + 0.5 * h);
      const VectorValues k4 = velocity(along(k3, h), t + h);
      for (std::size_t each = 0; each < at_.size(); ++each) {
        at_.x[each] += h / 6.0 * (k1[0][each] + 2.0 * (k2[0][each] + k3[0][each]) + k4[0][each]);
        at_.y[each] += h / 6.0 * (k1[1][each] + 2.0 * (k2[1][each] + k3[1][each]) + k4[1][each]);
      }
    }
  }

  /// Where they are now, without periods.
  const Places& at() const { return at_; }
  /// Where they are within the domain. Of one that has left it, the place means nothing.
  Places within() { return within(at_); }
  bool has_left(std::size_t each) const { return has_left_[each] != 0; }

 private:
  /// Brings a coordinate into 0 .. extent. \return false if that is another place
  static bool hold(double& coordinate, double extent, bool is_periodic) {
    if (is_periodic) {
      coordinate -= extent * std::floor(coordinate / extent);
      return true;
    }
    const double before = coordinate;
    coordinate = std::clamp(coordinate, 0.0, extent);
    return coordinate == before;
  }

  Places within(Places places) {
    for (std::size_t each = 0; each < places.size(); ++each) {
      const bool holds_x = hold(places.x[each], subject_.extent.x, boundaries_.periodic_x());
      const bool holds_y = hold(places.y[each], subject_.extent.y, boundaries_.periodic_y());
      if (!holds_x || !holds_y) has_left_[each] = 1;
    }
    return places;
  }

  VectorValues velocity(const Places& places, double time) {
    return subject_.velocity(within(places), time);
  }

  Places along(const VectorValues& slope, double h) const {
    Places places = at_;
    for (std::size_t each = 0; each < places.size(); ++each) {
      places.x[each] += h * slope[0][each];
      places.y[each] += h * slope[1][each];
    }
    return places;
  }

  const CaseSubject& subject_;
  amr::Boundaries boundaries_;
  Places at_;
  std::vector<char> has_left_;
};

constexpr const char* kAllLeave = "every particle has come from outside the domain";

/// The least steps in which no particle moves further than a small part of the domain.
int steps_for(const CaseSubject& subject, double tau) {
  constexpr double kPart = 0.005;
  constexpr double kLeast = 64.0;
  constexpr double kMost = 4000.0;
  const double shorter = std::min(subject.extent.x, subject.extent.y);
  const double steps = std::ceil(tau * subject.largest_speed / (kPart * shorter));
  return static_cast<int>(std::clamp(steps, kLeast, kMost));
}

}  // namespace

Finding check_exact_displacement(CaseSubject& subject) {
  constexpr double kPart = 0.05;  // of the domain, that the fastest particle crosses
  const double shorter = std::min(subject.extent.x, subject.extent.y);
  Comparison comparison;
  for (const double time : subject.times) {
    const double tau = std::min(time, kPart * shorter / subject.largest_speed);
    if (!(tau > 0.0)) continue;
    VectorValues said = {std::vector<double>(subject.inside.size(), std::nan("")),
                         std::vector<double>(subject.inside.size(), std::nan(""))};
    const bool is_known =
        subject.problem.exact_displacement(subject.inside.points(), time, tau, {said[0], said[1]});
    if (!is_known) continue;
    Particles particles(subject);
    particles.trace_back(time, tau, steps_for(subject, tau));
    particles.within();
    for (std::size_t each = 0; each < said[0].size(); ++each) {
      if (particles.has_left(each)) continue;
      const double x = subject.inside.x[each];
      const double y = subject.inside.y[each];
      comparison.add(x, y, time, said[0][each], particles.at().x[each] - x);
      comparison.add(x, y, time, said[1][each], particles.at().y[each] - y);
    }
  }
  if (comparison.empty()) return skipped(kAllLeave);
  return comparison.judged({.tolerance = 1e-4,
                            .a = "exact_displacement()",
                            .b = "the path by the velocity",
                            .remedy = "it is where a particle was minus where it is"});
}

Finding check_transport(CaseSubject& subject) {
  if (!subject.is_advection()) {
    return skipped("equation '" + subject.problem.equation().name + "' does more than carry");
  }
  if (subject.has_divergence) return skipped("the flow has a divergence: see that check");
  Comparison comparison;
  std::map<std::pair<double, double>, Particles> paths;  // by the times from and to
  for (int component = 0; component < subject.components; ++component) {
    std::optional<double> since;
    for (const double time : subject.times) {
      const auto now = subject.exact(subject.inside, component, time);
      if (!now) continue;
      const std::optional<double> from = std::exchange(since, time);
      if (!from) continue;
      const auto [path, is_new] = paths.try_emplace({*from, time}, subject);
      Particles& particles = path->second;
      if (is_new) particles.trace_back(time, time - *from, steps_for(subject, time - *from));
      const Places there = particles.within();
      const auto before = subject.exact(there, component, *from);
      for (std::size_t each = 0; before && each < there.size(); ++each) {
        if (particles.has_left(each)) continue;
        comparison.add(subject.inside.x[each], subject.inside.y[each], time, (*now)[each],
                       (*before)[each]);
      }
    }
  }
  if (paths.empty()) return skipped("the case knows exact() at fewer than two times");
  if (comparison.empty()) return skipped(kAllLeave);
  return comparison.judged({.tolerance = 1e-3,
                            .a = "exact()",
                            .b = "what the velocity has carried there",
                            .remedy = "errors would be those of another problem"});
}

}  // namespace kumiko::plugin::conformance
