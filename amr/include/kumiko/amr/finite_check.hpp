// Finds values that are infinite or not a number soon after they arise, and reports their place.
#pragma once

#include <stdexcept>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// The case or the solver has computed a value that is infinite or not a number. The run cannot
/// continue.
class BrokenValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A point within a patch whose value is not finite.
struct BrokenPoint {
  int i = 0;
  int j = 0;
  int component = 0;
  double value = 0.0;
};

/// A value of the state is infinite or not a number; the message names the point and the base step.
struct NonFiniteError : BrokenValueError {
  NonFiniteError(int base_steps, const PatchId& of, const BrokenPoint& point);

  int step;  ///< base steps taken
  PatchId patch;
  BrokenPoint at;
};

/// Whether every value of a view's interior is finite. Any thread; does not suspend.
/// Cost: three vectorised integer operations a point and component, no branch.
bool is_finite(ConstPatchView field);

/// Throws NonFiniteError for the first value of a patch's interior, by component, row and column,
/// that is not finite. Any thread; does not suspend.
/// \param field  the patch's state after `step` base steps
void check_finite(const PatchId& patch, ConstPatchView field, int step);

/// Checks the current state of every patch, patches in parallel. Throws NonFiniteError of the first
/// patch in canonical order of the finest level that has such values: finest first, since they
/// arise there most often. Call between base steps, inside Backend::run(); every rank of a shared
/// mesh does, and all throw the same.
void check_finite(const Hierarchy& hierarchy, Backend& backend, int step,
                  Communicator& communicator = single_rank());

}  // namespace kumiko::amr
