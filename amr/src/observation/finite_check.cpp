#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include <kumiko/amr/finite_check.hpp>
#include <kumiko/amr/finite_values.hpp>

#include "observation/own_parts.hpp"

namespace kumiko::amr {

namespace {

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

NonFiniteError::NonFiniteError(int base_steps, const PatchId& of, const BrokenPoint& point)
    : BrokenValueError(fmt::format(
          "the value at point ({}, {}) of {}, component {}, is {} {}", point.i, point.j,
          to_string(of), point.component, point.value,
          base_steps == 0
              ? "in the initial state; correct the case's initial(), which must write a "
                "finite value there"
              : fmt::format("after base step {}; the case or the solver is not stable "
                            "as configured",
                            base_steps))),
      step(base_steps),
      patch(of),
      at(point) {}

bool is_finite(ConstPatchView field) {
  for (int component = 0; component < field.components(); ++component) {
    const double* row = field.origin(component);
    for (int j = 0; j < kPatchSize; ++j, row += field.stride()) {
      if (!are_finite({row, kPatchSize})) return false;
    }
  }
  return true;
}

void check_finite(const PatchId& patch, ConstPatchView field, int step) {
  if (!is_finite(field)) throw NonFiniteError(step, patch, first_broken(field));
}

void check_finite(const Hierarchy& hierarchy, Backend& backend, int step,
                  Communicator& communicator) {
  const auto list = [](const PartlyCovered& leaves, std::vector<PatchValue<BrokenPoint>>& to) {
    const ConstPatchView field = leaves.patch.now();
    if (!is_finite(field)) to.push_back({leaves.patch.id(), 0, first_broken(field)});
  };
  const auto broken = collect_parts<BrokenPoint>(hierarchy, backend, communicator, list);
  if (broken.empty()) return;
  const auto& [patch, item, at] = *std::ranges::find(
      broken, broken.back().patch.level, [](const auto& part) { return part.patch.level; });
  throw NonFiniteError(step, patch, at);
}

}  // namespace kumiko::amr
