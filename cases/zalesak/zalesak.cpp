#include "zalesak.hpp"

#include <cmath>
#include <numbers>

namespace kumiko::cases {

namespace {

using amr::Points;
using amr::Vectors;

constexpr double kCentre = 0.5;  ///< of the rotation, in x and y
constexpr double kRevolution = 2.0 * std::numbers::pi;
constexpr const char* kThesis = "reference thesis, 2011";

double slotted_disk(double x, double y) {
  const double dx = x - 0.5;
  const double dy = y - 0.75;
  const bool in_disk = dx * dx + dy * dy <= 0.15 * 0.15;
  const bool in_slot = std::abs(dx) < 0.025 && y < 0.85;
  return in_disk && !in_slot ? 1.0 : 0.0;
}

class Zalesak final : public amr::Case {
 public:
  double end_time() const override { return kRevolution; }

  void initial(Points points, int, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = slotted_disk(points.x[at], points.y[at]);
    }
  }

  void velocity(Points points, double, Vectors velocity) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      velocity.x[at] = -(points.y[at] - kCentre);
      velocity.y[at] = points.x[at] - kCentre;
    }
  }
  bool steady_velocity() const override { return true; }

  bool exact_displacement(Points points, double, double tau, Vectors displacement) const override {
    // 1 - cos τ without cancellation.
    const double half = std::sin(0.5 * tau);
    const double versine = 2.0 * half * half;
    const double sine = std::sin(tau);
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double dx = points.x[at] - kCentre;
      const double dy = points.y[at] - kCentre;
      displacement.x[at] = sine * dy - versine * dx;
      displacement.y[at] = -sine * dx - versine * dy;
    }
    return true;
  }

  bool exact(Points points, int component, double time, std::span<double> values) const override {
    const double turns = time / kRevolution;
    const double angle = kRevolution * (turns - std::round(turns));
    // Whole turns bring the nodes back onto themselves: no rounding may move them across the edge.
    if (std::abs(angle) < 1e-9) {
      initial(points, component, values);
      return true;
    }
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double dx = points.x[at] - kCentre;
      const double dy = points.y[at] - kCentre;
      values[at] = slotted_disk(kCentre + std::cos(angle) * dx + std::sin(angle) * dy,
                                kCentre - std::sin(angle) * dx + std::cos(angle) * dy);
    }
    return true;
  }

  std::vector<amr::PublishedValue> published_values() const override {
    return {{"rms.coarse", 6.000e-2, kThesis},
            {"rms.amr", 4.114e-2, kThesis},
            {"rms.fine", 3.566e-2, kThesis},
            // Two values are printed for each ratio.
            {"wall.fine_over_amr", 1.6, kThesis},
            {"wall.fine_over_amr", 3.1, kThesis},
            {"wall.threads_over_pthread", 0.82, kThesis},
            {"wall.threads_over_pthread", 0.71, kThesis}};
  }
};

}  // namespace

CaseEntry zalesak_entry() {
  return {"zalesak",
          "Zalesak's slotted disk, one revolution in solid rotation",
          {},
          [](const amr::ParameterSet&) { return std::make_unique<Zalesak>(); }};
}

}  // namespace kumiko::cases
