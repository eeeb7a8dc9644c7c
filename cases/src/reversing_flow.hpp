// Flows that draw something out and bring it back: what such cases share.
#pragma once

#include <span>
#include <vector>

#include <kumiko/amr/case.hpp>

#include "bell.hpp"

namespace kumiko::cases {

/// A case whose velocity is a steady one times cos(πt/T). At the start, the disk of radius 0.15
/// about a centre, or for orders of convergence a Gaussian there. The solution is known at t = 0
/// and t = T only. What derives from it gives velocity and stream function.
class ReversingFlow : public amr::Case {
 public:
  double end_time() const override { return period_; }
  void initial(amr::Points points, int component, std::span<double> values) const override;
  bool exact(amr::Points points, int component, double time,
             std::span<double> values) const override;

 protected:
  /// \param parameters  period, initial and sigma
  ReversingFlow(const amr::ParameterSet& parameters, double centre_x, double centre_y);

  static std::vector<amr::ParameterSpec> parameters();

  double period() const { return period_; }
  bool is_disk() const { return disk_; }
  /// cos(πt/T), by plain arithmetic.
  double strength(double time) const;

 private:
  double period_;
  bool disk_;
  Bell bell_;
};

}  // namespace kumiko::cases
