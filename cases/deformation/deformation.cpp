// The reversing field of many vortices.
#include <numbers>

#include <kumiko/plugin/plugin.hpp>

#include "reversing_flow.hpp"
#include "sine_rows.hpp"

namespace kumiko::cases {

namespace {

using namespace amr;

/// Unit square, periodic. u is torn apart by a field of vortices and put together by its reversal:
/// velocity (sin(4π(x + ½)) sin(4π(y + ½)), cos(4π(x + ½)) cos(4π(y + ½))) cos(πt/T). At the start
/// the disk of radius 0.15 about (0.5, 0.5), or for orders of convergence a Gaussian there. The
/// solution is known at t = 0 and t = T only. The field is that of Smolarkiewicz 1982, Mon. Weather
/// Rev. 110, the reversal that of Rider & Kothe 1998, J. Comput. Phys. 141. Velocities are computed
/// without library calls: the same bits everywhere.
class Deformation final : public ReversingFlow {
 public:
  static Description describe() {
    std::vector<ParameterSpec> specs = parameters();
    specs.front().default_value = 2.0;
    return {"deformation", "a field of vortices that tears a disk apart and, reversed, mends it",
            std::move(specs)};
  }

  explicit Deformation(const ParameterSet& parameters) : ReversingFlow(parameters, 0.5, 0.5) {}

  Boundaries boundaries() const override {
    return {BoundaryKind::kPeriodic, BoundaryKind::kPeriodic, 0.0};
  }

  void velocity(Points points, double time, Vectors velocity) const override {
    const double factor = strength(time);
    sines_.for_each(points, 0.0, [&](std::size_t first, std::size_t count, const auto& of) {
      double* __restrict const x = velocity.x.data() + first;
      double* __restrict const y = velocity.y.data() + first;
      for (std::size_t at = 0; at < count; ++at) {
        x[at] = factor * (of.x_doubled[at] * of.y_doubled[at]);
        y[at] = factor * (cosine(of.x_squared[at]) * cosine(of.y_squared[at]));
      }
    });
  }

  /// -sin(4πx) cos(4πy) / 4π, times the strength.
  bool stream_function(Points points, double time, std::span<double> values) const override {
    const double factor = -strength(time) / (4.0 * std::numbers::pi);
    sines_.for_each(points, 0.0, [&](std::size_t first, std::size_t count, const auto& of) {
      double* __restrict const psi = values.data() + first;
      for (std::size_t at = 0; at < count; ++at) {
        psi[at] = factor * (of.x_doubled[at] * cosine(of.y_squared[at]));
      }
    });
    return true;
  }

 private:
  /// cos(2a) of sin²(a).
  static double cosine(double squared) { return 1.0 - 2.0 * squared; }

  SineRows sines_{2.0};  // sin(4π(x + ½)) is sin(4πx): half a unit is a whole period
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::Deformation)
