// Whether a case's values are finite, and fit at the start and on the sides.
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_checks.hpp"

namespace kumiko::plugin::conformance {

namespace {

/// Points along a side.
constexpr int kAlong = 64;

/// The corners, the middles of the sides and the centre.
Places landmarks(const amr::Extent& extent) {
  Places places;
  for (const double up : {0.0, 0.5, 1.0}) {
    for (const double across : {0.0, 0.5, 1.0}) places.add(across * extent.x, up * extent.y);
  }
  return places;
}

/// Points on a side, none of them a corner.
Places places_on(amr::Side side, const amr::Extent& extent) {
  Places places;
  for (int at = 0; at < kAlong; ++at) {
    const double part = (at + 0.5 + 0.45 * noise(at, 0)) / kAlong;
    places.add(part * extent.x, part * extent.y);
  }
  return places.on(side, extent);
}

/// The first value that is not finite, in words; empty if there is none.
class Unfinished {
 public:
  void look(const Places& places, double time, const std::vector<double>& values,
            const std::string& whose) {
    count_ += values.size();
    for (std::size_t at = 0; at < values.size() && text_.empty(); ++at) {
      if (std::isfinite(values[at])) continue;
      text_ = fmt::format("{} at ({:g}, {:g}), t = {:g} is {}", whose, places.x[at], places.y[at],
                          time, values[at]);
    }
  }
  const std::string& text() const { return text_; }
  std::size_t count() const { return count_; }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

void look_at(const CaseSubject& subject, const Places& places, Unfinished& found) {
  for (int component = 0; component < subject.components; ++component) {
    const std::string of = subject.of(component);
    found.look(places, 0.0, subject.initial(places, component), "initial()" + of);
    for (const double time : subject.times) {
      const auto exact = subject.exact(places, component, time);
      if (exact) found.look(places, time, *exact, "exact()" + of);
    }
  }
  for (const double time : subject.times) {
    const VectorValues velocity = subject.velocity(places, time);
    found.look(places, time, velocity[0], "velocity().x");
    found.look(places, time, velocity[1], "velocity().y");
    const auto stream = subject.stream(places, time);
    if (stream) found.look(places, time, *stream, "stream_function()");
  }
}

/// The two ends of the periodic axes.
std::vector<std::pair<Places, Places>> seams(const CaseSubject& subject) {
  std::vector<std::pair<Places, Places>> ends;
  const amr::Boundaries boundaries = subject.problem.boundaries();
  const auto add = [&](amr::Side one, double dx, double dy) {
    const Places places = places_on(one, subject.extent);
    ends.emplace_back(places, places.moved(dx, dy));
  };
  if (boundaries.periodic_x()) add(amr::Side::kLeft, subject.extent.x, 0.0);
  if (boundaries.periodic_y()) add(amr::Side::kBottom, 0.0, subject.extent.y);
  return ends;
}

}  // namespace

Finding check_finite(CaseSubject& subject) {
  Unfinished found;
  look_at(subject, landmarks(subject.extent), found);
  look_at(subject, subject.inside, found);
  for (const amr::Side side : subject.prescribed_sides) {
    const Places places = places_on(side, subject.extent);
    for (int component = 0; component < subject.components; ++component) {
      for (const double time : subject.times) {
        found.look(places, time, subject.prescribed(side, places, component, time),
                   "boundary_values()" + subject.of(component));
      }
    }
  }
  for (const double time : subject.times) {
    for (const std::vector<double>& axis : subject.velocity(subject.inside, time)) {
      for (const double value : axis) raise(subject.largest_speed, std::abs(value));
    }
  }
  const Numbers numbers = {{"values", static_cast<double>(found.count())}};
  if (!found.text().empty()) {
    return failed(numbers, "{}; set every value, also at corners and at the end", found.text());
  }
  return passed(numbers, "all {} values are finite", found.count());
}

Finding check_exact_at_0(CaseSubject& subject) {
  Comparison comparison;
  for (int component = 0; component < subject.components; ++component) {
    const auto exact = subject.exact(subject.inside, component, 0.0);
    if (!exact) continue;
    comparison.add(subject.inside, 0.0, *exact, subject.initial(subject.inside, component));
  }
  if (comparison.empty()) return skipped("the case does not know exact() at t = 0");
  return comparison.judged({.tolerance = 1e-9,
                            .share = 0.01,
                            .a = "exact() at t = 0",
                            .b = "initial()",
                            .remedy = "errors would be those of another problem"});
}

Finding check_sides(CaseSubject& subject) {
  if (subject.prescribed_sides.empty()) return skipped("no side has prescribed values");
  Comparison with_exact;
  Comparison with_initial;
  for (const amr::Side side : subject.prescribed_sides) {
    const Places places = places_on(side, subject.extent);
    for (int component = 0; component < subject.components; ++component) {
      for (const double time : subject.times) {
        const std::vector<double> values = subject.prescribed(side, places, component, time);
        if (time == 0.0) {
          with_initial.add(places, time, values, subject.initial(places, component));
          continue;
        }
        const auto exact = subject.exact(places, component, time);
        if (exact) with_exact.add(places, time, values, *exact);
      }
    }
  }
  if (!with_exact.empty()) {
    return with_exact.judged({.tolerance = 1e-9,
                              .share = 0.01,
                              .a = "boundary_values()",
                              .b = "exact()",
                              .remedy = "let the side have what the solution has there"});
  }
  // An inflow may begin with a jump.
  return with_initial.judged({.tolerance = 1e-9,
                              .share = 1.0,
                              .a = "boundary_values() at t = 0",
                              .b = "initial()",
                              .remedy = {}});
}

Finding check_seam(CaseSubject& subject) {
  const auto ends = seams(subject);
  if (ends.empty()) return skipped("no sides are periodic");
  Comparison flow;
  Comparison values;
  for (const auto& [one, other] : ends) {
    for (const double time : subject.times) {
      const VectorValues here = subject.velocity(one, time);
      const VectorValues there = subject.velocity(other, time);
      for (std::size_t axis = 0; axis < here.size(); ++axis) {
        flow.add(one, time, here[axis], there[axis]);
      }
    }
    for (int component = 0; component < subject.components; ++component) {
      values.add(one, 0.0, subject.initial(one, component), subject.initial(other, component));
      for (const double time : subject.times) {
        const auto here = subject.exact(one, component, time);
        const auto there = subject.exact(other, component, time);
        if (here && there) values.add(one, time, *here, *there);
      }
    }
  }
  Finding of_flow = flow.judged({.tolerance = 1e-9,
                                 .share = 0.02,
                                 .a = "the velocity on a periodic side",
                                 .b = "that on the opposite one",
                                 .remedy = "let both ends of a periodic axis have one flow",
                                 .least = subject.largest_speed});
  if (of_flow.verdict == Verdict::kFailed) return of_flow;
  // A field may jump there.
  return values.judged({.tolerance = 1e-9,
                        .share = 1.0,
                        .a = "the field on a periodic side",
                        .b = "that on the opposite one",
                        .remedy = {}});
}

}  // namespace kumiko::plugin::conformance
