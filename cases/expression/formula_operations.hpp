// The operations of formulas, row by row: the same arithmetic and the same functions of the C
// library as in a case written in C++, so that the bits agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kumiko::cases::formula {

enum class Operation : std::uint8_t {
  kConstant,
  kVariable,
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kLess,  ///< comparisons and logic give 1 or 0; all but 0 is true
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kUnequal,
  kAnd,
  kOr,
  kSelect,  ///< the second operand where the first is not 0, elsewhere the third
  kAbs,
  kAcos,
  kAsin,
  kAtan,
  kAtan2,
  kCeil,
  kCos,
  kCosh,
  kErf,
  kExp,
  kFloor,
  kHypot,
  kLog,
  kLog10,
  kMax,
  kMin,
  kRound,
  kSign,
  kSin,
  kSinh,
  kSqrt,
  kTan,
  kTanh
};

/// A function by its name in formulas.
struct Function {
  std::string_view name;
  Operation operation;
  int arguments;  ///< 1 or 2
};

/// All functions, sorted by name.
std::span<const Function> functions();
/// The function of a name, or nullptr.
const Function* find_function(std::string_view name);

/// Rows of operands; those that an operation does not have are null.
struct Operands {
  const double* a;
  const double* b;
  const double* c;
};

/// Sets to[0] to to[count - 1], which must not overlap an operand. Costs one branch a row, and per
/// value the operation itself.
void compute(Operation operation, std::size_t count, double* to, Operands of);

}  // namespace kumiko::cases::formula
