// Points of a case's domain, what the case says there, and how two of its answers compare.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <kumiko/amr/case.hpp>

#include "conformance/subject.hpp"

namespace kumiko::plugin::conformance {

/// Points, each with both coordinates.
struct Places {
  std::vector<double> x;
  std::vector<double> y;

  std::size_t size() const { return x.size(); }
  amr::Points points() const { return {x, y}; }
  void add(double its_x, double its_y) {
    x.push_back(its_x);
    y.push_back(its_y);
  }
  /// The same points, all moved.
  Places moved(double dx, double dy) const;
  /// The points of a side next to them.
  Places on(amr::Side side, const amr::Extent& extent) const;
};

/// Values by axis.
using VectorValues = std::array<std::vector<double>, 2>;

/// The case under test. Its checks read it; the first ones also find what others go by.
struct CaseSubject {
  explicit CaseSubject(const amr::Case& its_problem);

  /// The velocity. A value that the case does not set is not a number.
  VectorValues velocity(const Places& places, double time) const;
  std::vector<double> initial(const Places& places, int component) const;
  /// Of a side with prescribed values.
  std::vector<double> prescribed(amr::Side side, const Places& places, int component,
                                 double time) const;
  /// Nothing where the case does not know it.
  std::optional<VectorValues> displacement(const Places& places, double time, double tau) const;
  std::optional<std::vector<double>> stream(const Places& places, double time) const;
  std::optional<std::vector<double>> exact(const Places& places, int component, double time) const;
  /// "of component 'dye'"; empty of a field with one component.
  std::string of(int component) const;
  /// True if the case is ∂u/∂t + v·∇u = 0.
  bool is_advection() const { return problem.equation().name == "advection"; }

  const amr::Case& problem;
  amr::Extent extent = problem.extent();
  std::vector<amr::Side> prescribed_sides = {};
  int components = problem.components();
  std::vector<std::string> names = problem.component_names();
  double end = problem.end_time();
  std::array<double, 5> times;  ///< of the whole run, its start and end among them
  Places inside;                ///< points on no regular grid's lines, away from the sides
  double largest_speed = 0.0;   ///< along an axis, there at all the times
  bool has_divergence = false;  ///< found by check_divergence
  std::string activity = {};    ///< e.g. "check stream of case 'hill'", for fault reports
};

/// Two answers to one question, at many places and times.
class Comparison {
 public:
  void add(double x, double y, double time, double a, double b) {
    pairs_.push_back({x, y, time, a, b});
  }
  /// Answers at all the places.
  void add(const Places& places, double time, const std::vector<double>& a,
           const std::vector<double>& b);
  bool empty() const { return pairs_.empty(); }

  /// How answers are judged, and what is said of them.
  struct Terms {
    double tolerance;     ///< of the largest value, or of `least`
    double share = 0.05;  ///< of places that may differ, since flows and fields may jump
    const char* a;        ///< whose the first answer is, in words
    const char* b;
    std::string remedy;  ///< where they differ at more places
    double least = 0.0;  ///< what the largest value is taken for at least, of answers near zero
  };
  /// Passed where the answers agree everywhere, noted where they differ at a few places.
  Finding judged(const Terms& terms) const;

 private:
  struct Pair {
    double x, y, time, a, b;
  };
  std::vector<Pair> pairs_;
};

}  // namespace kumiko::plugin::conformance
