// Notices a case's answers that are infinite or not a number.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kumiko/amr/case.hpp>

namespace kumiko::amr {

/// Hands every question on to a case, and remembers whether the case has given a velocity, a stream
/// function, a factor of them or a displacement that is infinite or not a number, at a point that
/// is neither. A solver may not notice: if it asks again, at a place computed from the first
/// answer, it may get a finite one there.
///
/// For one thread, and as long as the case lives. An answer costs a comparison for each number.
class CheckedCase final : public Case {
 public:
  explicit CheckedCase(const Case& problem) : case_(problem) {}

  /// Whether all its answers have been finite.
  bool is_sound() const { return is_sound_; }

  int dimensions() const override { return case_.dimensions(); }
  Extent extent() const override { return case_.extent(); }
  Boundaries boundaries() const override { return case_.boundaries(); }
  void boundary_values(Side side, Points points, int component, double time,
                       std::span<double> values) const override {
    case_.boundary_values(side, points, component, time, values);
  }
  double end_time() const override { return case_.end_time(); }
  Equation equation() const override { return case_.equation(); }
  int components() const override { return case_.components(); }
  std::vector<std::string> component_names() const override { return case_.component_names(); }
  void initial(Points points, int component, std::span<double> values) const override {
    case_.initial(points, component, values);
  }
  void velocity(Points points, double time, Vectors velocity) const override;
  bool stream_function(Points points, double time, std::span<double> values) const override;
  bool steady_velocity() const override { return case_.steady_velocity(); }
  std::optional<double> velocity_factor(double time) const override;
  double unit_factor_time() const override { return case_.unit_factor_time(); }
  bool exact_displacement(Points points, double time, double tau,
                          Vectors displacement) const override;
  bool exact(Points points, int component, double time, std::span<double> values) const override {
    return case_.exact(points, component, time, values);
  }
  bool refinement_indicator(const RefinementPatch& patch,
                            std::span<double> indicator) const override {
    return case_.refinement_indicator(patch, indicator);
  }
  std::vector<PublishedValue> published_values() const override { return case_.published_values(); }

 private:
  void look_at(Points points, std::span<const double> values) const;

  const Case& case_;
  mutable bool is_sound_ = true;
};

}  // namespace kumiko::amr
