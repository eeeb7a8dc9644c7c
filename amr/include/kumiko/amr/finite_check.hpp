// Finds values that are infinite or not a number soon after they arise, and says where they are.
#pragma once

#include <stdexcept>
#include <string>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/collect.hpp>
#include <kumiko/amr/hierarchy.hpp>

namespace kumiko::amr {

/// The case or the solver gives a value that is infinite or not a number. The run cannot go on.
class BrokenValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value of the state is infinite or not a number; the error says where and after which step.
class NonFiniteError : public BrokenValueError {
 public:
  /// \param step  base steps taken
  /// \param i, j  within the patch
  NonFiniteError(int step, const PatchId& patch, int i, int j, int component, double value);

  int step() const { return step_; }
  /// The patch, with its level.
  const PatchId& patch() const { return patch_; }
  int i() const { return i_; }
  int j() const { return j_; }
  int component() const { return component_; }
  double value() const { return value_; }

 private:
  int step_;
  PatchId patch_;
  int i_;
  int j_;
  int component_;
  double value_;
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
/// arise there most often. Call between base steps, inside Backend::run(); every owner of a shared
/// mesh does, and all throw the same.
void check_finite(const Hierarchy& hierarchy, Backend& backend, int step,
                  Owner& owner = sole_owner());

}  // namespace kumiko::amr
