// How large the components of a field are, for what is measured in proportion to that.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <kumiko/amr/field_scale.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::amr {

/// A scale for each component, in the field's units. It follows the largest magnitude by factors of
/// 2 alone: a field whose magnitude stays within a factor keeps its scale to the bit.
class FieldScales {
 public:
  FieldScales() = default;
  /// The components of each of these vectors share one scale, by the largest magnitude of them.
  explicit FieldScales(std::vector<VectorComponents> vectors) : vectors_(std::move(vectors)) {}

  /// The scales of a run that begins: the magnitudes themselves.
  void begin(std::span<const double> magnitudes);
  /// Follows the field. With m the largest magnitude, a scale s doubles while m >= 2 s and halves
  /// while m < s/4, though not below 2⁻²⁰ of the largest one that it has been. A scale of 0 becomes
  /// the largest power of two that is not above m. What is not finite changes nothing.
  void follow(std::span<const double> magnitudes);

  /// A component's scale, or 2⁻⁴⁰ of the largest scale of all where that is larger.
  double of(int component) const;

  /// The scales as a checkpoint keeps them, to continue a run from.
  const std::vector<FieldScale>& saved() const { return scales_; }
  void resume(std::vector<FieldScale> saved) { scales_ = std::move(saved); }

 private:
  std::vector<double> shared(std::span<const double> magnitudes) const;

  std::vector<VectorComponents> vectors_;
  std::vector<FieldScale> scales_;
};

}  // namespace kumiko::amr
