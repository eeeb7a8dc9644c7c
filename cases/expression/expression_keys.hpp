// The keys of the case of formulas: reads them into programs, and checks what they say together.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <kumiko/amr/case.hpp>

#include "formula_grammar.hpp"
#include "formula_program.hpp"

namespace kumiko::cases {

/// A side's condition; the formula of a side of BoundaryKind::kPrescribed.
struct ExpressionSide {
  amr::Boundary boundary;
  std::optional<formula::Program> prescribed = std::nullopt;
  std::string key = {};  ///< that has its formula
};

/// A problem that was written as formulas.
struct ExpressionProblem {
  amr::Extent extent;
  double end_time;
  formula::Program initial;
  formula::Program velocity;  ///< both components, times the factor
  std::optional<formula::Program> stream_function = {};
  std::optional<formula::Program> factor = {};  ///< if it alone depends on the time
  double unit_factor_time = 0.0;                ///< a time at which `factor` is largest
  std::optional<formula::Program> displacement = {};
  std::optional<formula::Program> exact = {};
  std::array<ExpressionSide, 4> sides = {};
};

/// The keys of [case] with their help.
std::vector<amr::ParameterSpec> expression_keys();

/// Throws std::invalid_argument, which names the key, the column and what is expected there.
ExpressionProblem read_expression(const amr::ParameterSet& parameters);

}  // namespace kumiko::cases
