#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <fmt/core.h>

#include <kumiko/amr/finite_check.hpp>

namespace kumiko::amr {

namespace {

// The exponent's bits in a double, and the lowest of them.
constexpr std::uint64_t kExponent = 0x7FF0'0000'0000'0000;
constexpr std::uint64_t kLowestOfExponent = 0x0010'0000'0000'0000;

}  // namespace

NonFiniteError::NonFiniteError(int step, const PatchId& patch, int i, int j, int component,
                               double value)
    : BrokenValueError(fmt::format(
          "the value at point ({}, {}) of {}, component {}, is {} after base step {}; the case or "
          "the solver is not stable as configured",
          i, j, to_string(patch), component, value, step)),
      step_(step),
      patch_(patch),
      i_(i),
      j_(j),
      component_(component),
      value_(value) {}

bool is_finite(ConstPatchView field) {
  // All bits of the exponent are set in infinities and NaN only: one more then carries into the
  // sign, which the mask has cleared.
  std::uint64_t carries = 0;
  for (int component = 0; component < field.components(); ++component) {
    const double* row = field.origin(component);
    for (int j = 0; j < kPatchSize; ++j, row += field.stride()) {
      for (int i = 0; i < kPatchSize; ++i) {
        carries |= (std::bit_cast<std::uint64_t>(row[i]) & kExponent) + kLowestOfExponent;
      }
    }
  }
  return (carries >> 63) == 0;
}

void check_finite(const PatchId& patch, ConstPatchView field, int step) {
  if (is_finite(field)) return;
  for (int component = 0; component < field.components(); ++component) {
    for (int j = 0; j < kPatchSize; ++j) {
      for (int i = 0; i < kPatchSize; ++i) {
        const double value = field(i, j, component);
        if (!std::isfinite(value)) throw NonFiniteError(step, patch, i, j, component, value);
      }
    }
  }
}

void check_finite(const Hierarchy& hierarchy, Backend& backend, int step) {
  for (int index = hierarchy.max_levels(); index-- > 0;) {
    const Level& level = hierarchy.level(index);
    if (level.empty()) continue;
    backend.for_each(level, [&](std::size_t slot, int) {
      check_finite(level.patch(slot).id(), level.patch(slot).now(), step);
    });
  }
}

}  // namespace kumiko::amr
