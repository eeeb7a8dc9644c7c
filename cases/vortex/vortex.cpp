// The reversing single vortex.
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include <kumiko/plugin/plugin.hpp>

#include "reversing_flow.hpp"
#include "sine_rows.hpp"

namespace kumiko::cases {

namespace {

using namespace amr;

constexpr double kX = 0.5;
constexpr double kY = 0.75;

/// Errors of a scheme on 32, 64 and 128 cells for a period.
struct Published {
  double period;
  const char* scheme;
  std::array<double, 3> l1;
  const char* source;
};

constexpr const char* kRiderKothe = "Rider & Kothe 1998, J. Comput. Phys. 141";
constexpr std::array<Published, 5> kPublished = {
    {{0.5, "PLIC", {7.29e-4, 1.42e-4, 3.90e-5}, kRiderKothe},
     {2.0, "PLIC", {2.36e-3, 5.85e-4, 1.31e-4}, kRiderKothe},
     {8.0, "PLIC", {4.78e-2, 6.96e-3, 1.44e-3}, kRiderKothe},
     {8.0, "Stream", {3.72e-2, 6.79e-3, 1.18e-3}, "Harvie & Fletcher 2000, J. Comput. Phys. 162"},
     {8.0, "THINC/QQ", {6.70e-2, 1.52e-2, 3.06e-3}, "Xie & Xiao 2017, J. Comput. Phys. 349"}}};

/// Unit square, u drawn out by one vortex and brought back by its reversal: velocity
/// (sin²(πx) sin(2πy), -sin²(πy) sin(2πx)) cos(πt/T), zero on the sides; 0 outside. With a drift
/// the square is periodic, and the vortex moves along x with all that it carries: an unsteady
/// velocity that is not separable. At the start the disk of radius 0.15 about (0.5, 0.75), or for
/// orders of convergence a Gaussian there. The solution is known at t = 0 and t = T only. After
/// LeVeque 1996, SIAM J. Numer. Anal. 33, and Rider & Kothe 1998, J. Comput. Phys. 141. Velocities
/// are computed without library calls: the same bits everywhere. Errors are published for T = 0.5,
/// 2 and 8, and quoted here at second hand.
class Vortex final : public ReversingFlow {
 public:
  static Description describe() {
    return {"vortex", "a single vortex that draws out a disk and, reversed, brings it back",
            specs()};
  }

  explicit Vortex(const ParameterSet& parameters)
      : ReversingFlow(parameters, kX, kY), drift_(parameters.number("drift")) {}

  Boundaries boundaries() const override {
    if (drift_ == 0.0) return {};
    return {BoundaryKind::kPeriodic, BoundaryKind::kPeriodic, 0.0};
  }
  bool steady_velocity() const override {
    return drift_ == 0.0 && ReversingFlow::steady_velocity();
  }
  std::optional<double> velocity_factor(double time) const override {
    if (drift_ != 0.0) return std::nullopt;
    return ReversingFlow::velocity_factor(time);
  }
  bool exact(Points points, int component, double time, std::span<double> values) const override {
    if (drift_ == 0.0 || time == 0.0) return ReversingFlow::exact(points, component, time, values);
    const double shift = drift_ * time;
    std::vector<double> x(points.x.begin(), points.x.end());
    for (double& each : x) each -= shift + std::floor(each - shift);
    return ReversingFlow::exact({x, points.y}, component, time, values);
  }

  void velocity(Points points, double time, Vectors velocity) const override {
    const double factor = strength(time);
    sines_.for_each(points, -drift_ * time,
                    [&](std::size_t first, std::size_t count, const auto& of) {
                      double* __restrict const x = velocity.x.data() + first;
                      double* __restrict const y = velocity.y.data() + first;
                      for (std::size_t at = 0; at < count; ++at) {
                        x[at] = factor * (of.x_squared[at] * of.y_doubled[at]) + drift_;
                        y[at] = -factor * (of.y_squared[at] * of.x_doubled[at]);
                      }
                    });
  }

  bool stream_function(Points points, double time, std::span<double> values) const override {
    const double factor = strength(time) / std::numbers::pi;
    sines_.for_each(points, -drift_ * time,
                    [&](std::size_t first, std::size_t count, const auto& of) {
                      const double* const y = points.y.data() + first;
                      double* __restrict const psi = values.data() + first;
                      for (std::size_t at = 0; at < count; ++at) {
                        psi[at] = factor * (of.x_squared[at] * of.y_squared[at]) + drift_ * y[at];
                      }
                    });
    return true;
  }

  std::vector<PublishedValue> published_values() const override {
    std::vector<PublishedValue> values;
    for (const Published& of : kPublished) {
      if (!is_disk() || steady_velocity() || drift_ != 0.0 || std::abs(of.period - period()) > 1e-9)
        continue;
      for (std::size_t at = 0; at < of.l1.size(); ++at) {
        values.push_back({of.scheme, of.l1[at], of.source, "l1", 32 << at});
      }
    }
    return values;
  }

 private:
  static std::vector<ParameterSpec> specs() {
    std::vector<ParameterSpec> specs = parameters();
    specs.push_back({"drift", 0.0, "speed along x with which the vortex moves", -10.0, 10.0});
    return specs;
  }

  double drift_;
  SineRows sines_{1.0};
};

}  // namespace

}  // namespace kumiko::cases

KUMIKO_PLUGIN(kumiko::cases::Vortex)
