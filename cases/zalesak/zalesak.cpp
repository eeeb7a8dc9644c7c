#include <cmath>

#include <kumiko/solvers/plugin.hpp>

#include "solid_rotation.hpp"

namespace kumiko::cases {

namespace {

using amr::Points;

constexpr const char* kThesis = "reference thesis, 2011";

double slotted_disk(double x, double y) {
  const double dx = x - 0.5;
  const double dy = y - 0.75;
  const bool in_disk = dx * dx + dy * dy <= 0.15 * 0.15;
  const bool in_slot = std::abs(dx) < 0.025 && y < 0.85;
  return in_disk && !in_slot ? 1.0 : 0.0;
}

class Zalesak final : public SolidRotation {
 public:
  static amr::Description describe() {
    return {"zalesak", "Zalesak's slotted disk, one revolution in solid rotation", {}};
  }

  explicit Zalesak(const amr::ParameterSet&) {}

  double end_time() const override { return kRevolution; }

  void initial(Points points, int, std::span<double> values) const override {
    for (std::size_t at = 0; at < points.size(); ++at) {
      values[at] = slotted_disk(points.x[at], points.y[at]);
    }
  }

  bool exact(Points points, int component, double time, std::span<double> values) const override {
    const double angle = rotation_angle(time);
    // Whole turns bring the nodes back onto themselves: no rounding may move them across the edge.
    if (angle == 0.0) {
      initial(points, component, values);
      return true;
    }
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double dx = points.x[at] - kRotationCentre;
      const double dy = points.y[at] - kRotationCentre;
      values[at] = slotted_disk(kRotationCentre + std::cos(angle) * dx + std::sin(angle) * dy,
                                kRotationCentre - std::sin(angle) * dx + std::cos(angle) * dy);
    }
    return true;
  }

  std::vector<amr::PublishedValue> published_values() const override {
    return {{"rms.coarse", 6.000e-2, kThesis, "rms", 256},
            {"rms.amr", 4.114e-2, kThesis, "rms", 1024},
            {"rms.fine", 3.566e-2, kThesis, "rms", 1024},
            // Two values are printed for each ratio.
            {"wall.fine_over_amr", 1.6, kThesis},
            {"wall.fine_over_amr", 3.1, kThesis},
            {"wall.threads_over_pthread", 0.82, kThesis},
            {"wall.threads_over_pthread", 0.71, kThesis}};
  }
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::Zalesak)
