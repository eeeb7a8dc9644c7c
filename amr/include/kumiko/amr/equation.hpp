// Identifies the differential equation that a case is posed for, or that a solver solves.
#pragma once

#include <string>
#include <vector>

namespace kumiko::amr {

/// A constant of an equation.
struct EquationConstant {
  std::string name;
  double value;

  bool operator==(const EquationConstant&) const = default;
};

/// An equation, identified by a name that its cases and its solvers share, e.g. "burgers".
struct Equation {
  /// "advection" is ∂u/∂t + v·∇u = 0 with the case's velocity v, or its conservative form, which is
  /// the same where v is free of divergence.
  std::string name = "advection";
  std::vector<EquationConstant> constants = {};  ///< in the same order for all its users

  bool operator==(const Equation&) const = default;
};

/// "burgers", or "advection_reaction with rate = 8".
std::string to_string(const Equation& equation);

}  // namespace kumiko::amr
