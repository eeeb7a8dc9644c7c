// Flows that draw something out and bring it back: what such cases share.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include <kumiko/amr/case.hpp>

#include "bell.hpp"
#include "sine_forms.hpp"

namespace kumiko::cases {

/// A case whose velocity is a steady one times cos(πt/T); its strength is constant if it is not to
/// reverse. At the start, the disk of radius 0.15 about a centre, or for orders of convergence a
/// Gaussian there. The solution is known at t = 0 and, if the flow reverses, at t = T. What derives
/// from it gives velocity and stream function.
class ReversingFlow : public amr::Case {
 public:
  double end_time() const override { return period_; }
  bool steady_velocity() const override { return !reverses_; }
  std::optional<double> velocity_factor(double time) const override { return strength(time); }

  void initial(amr::Points points, int, std::span<double> values) const override {
    constexpr double kRadius = 0.15;
    if (!disk_) return bell_.sample(points, values);
    evaluate(points, values, [this](double x, double y) {
      const double dx = x - bell_.x;
      const double dy = y - bell_.y;
      return dx * dx + dy * dy <= kRadius * kRadius ? 1.0 : 0.0;
    });
  }

  bool exact(amr::Points points, int component, double time,
             std::span<double> values) const override {
    constexpr double kSlack = 1e-9;
    const double turn = time / period_;
    const bool is_back = reverses_ && std::abs(turn - 1.0) <= kSlack;
    if (std::abs(turn) > kSlack && !is_back) return false;
    initial(points, component, values);
    return true;
  }

 protected:
  /// \param parameters  period, reverses, initial and sigma
  ReversingFlow(const amr::ParameterSet& parameters, double centre_x, double centre_y)
      : period_(parameters.number("period")),
        reverses_(parameters.flag("reverses")),
        disk_(parameters.text("initial") == "disk"),
        bell_{centre_x, centre_y, parameters.number("sigma")} {}

  static std::vector<amr::ParameterSpec> parameters() {
    return {
        {"period", 8.0, "T, the length of the whole run; the flow reverses at T / 2", 1e-3, 1000.0},
        {"reverses", true,
         "whether the flow reverses; else its strength is constant, and no error is known"},
        amr::choice("initial", {"disk", "gaussian"}, "disk",
                    "what is drawn out: the disk of the literature, or a Gaussian"),
        {"sigma", 0.05, "standard deviation of the Gaussian", 1e-3, 1.0}};
  }

  double period() const { return period_; }
  bool is_disk() const { return disk_; }
  /// cos(πt/T), by plain arithmetic, or 1 where nothing reverses.
  double strength(double time) const {
    return reverses_ ? sine_forms(0.5 * (time / period_)).cosine() : 1.0;
  }

 private:
  double period_;
  bool reverses_;
  bool disk_;
  Bell bell_;
};

}  // namespace kumiko::cases
