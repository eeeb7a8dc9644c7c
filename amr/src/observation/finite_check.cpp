#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/finite_check.hpp>

#include "observation/own_parts.hpp"

namespace kumiko::amr {

namespace {

// The exponent's bits in a double, and the lowest of them.
constexpr std::uint64_t kExponent = 0x7FF0'0000'0000'0000;
constexpr std::uint64_t kLowestOfExponent = 0x0010'0000'0000'0000;

struct BrokenPoint {
  int i = 0;
  int j = 0;
  int component = 0;
  double value = 0.0;
};

/// By component, row and column, of a field that is not finite.
BrokenPoint first_broken(ConstPatchView field) {
  BrokenPoint at;
  while (std::isfinite(at.value = field(at.i, at.j, at.component))) {
    if (++at.i < kPatchSize) continue;
    at.i = 0;
    if (++at.j < kPatchSize) continue;
    at.j = 0;
    ++at.component;
  }
  return at;
}

}  // namespace

NonFiniteError::NonFiniteError(int step, const PatchId& patch, int i, int j, int component,
                               double value)
    : BrokenValueError(fmt::format(
          "the value at point ({}, {}) of {}, component {}, is {} {}", i, j, to_string(patch),
          component, value,
          step == 0 ? "in the initial state; correct what the case gives there"
                    : fmt::format("after base step {}; the case or the solver is not stable as "
                                  "configured",
                                  step))),
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
  const BrokenPoint at = first_broken(field);
  throw NonFiniteError(step, patch, at.i, at.j, at.component, at.value);
}

void check_finite(const Hierarchy& hierarchy, Backend& backend, int step, Owner& owner) {
  const auto list = [](const PartlyCovered& leaves, std::vector<Part<BrokenPoint>>& to) {
    const ConstPatchView field = leaves.patch.now();
    if (!is_finite(field)) to.push_back({leaves.patch.id(), 0, first_broken(field)});
  };
  const auto broken = collect_parts<BrokenPoint>(hierarchy, backend, owner, list);
  if (broken.empty()) return;
  const auto& [patch, item, at] = *std::ranges::find(
      broken, broken.back().patch.level, [](const auto& part) { return part.patch.level; });
  throw NonFiniteError(step, patch, at.i, at.j, at.component, at.value);
}

}  // namespace kumiko::amr
