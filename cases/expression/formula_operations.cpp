#include "formula_operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace kumiko::cases::formula {

namespace {

constexpr std::array<Function, 23> kFunctions = {
    {{"abs", Operation::kAbs, 1},     {"acos", Operation::kAcos, 1},
     {"asin", Operation::kAsin, 1},   {"atan", Operation::kAtan, 1},
     {"atan2", Operation::kAtan2, 2}, {"ceil", Operation::kCeil, 1},
     {"cos", Operation::kCos, 1},     {"cosh", Operation::kCosh, 1},
     {"erf", Operation::kErf, 1},     {"exp", Operation::kExp, 1},
     {"floor", Operation::kFloor, 1}, {"hypot", Operation::kHypot, 2},
     {"log", Operation::kLog, 1},     {"log10", Operation::kLog10, 1},
     {"max", Operation::kMax, 2},     {"min", Operation::kMin, 2},
     {"round", Operation::kRound, 1}, {"sign", Operation::kSign, 1},
     {"sin", Operation::kSin, 1},     {"sinh", Operation::kSinh, 1},
     {"sqrt", Operation::kSqrt, 1},   {"tan", Operation::kTan, 1},
     {"tanh", Operation::kTanh, 1}}};

/// A row to be computed.
struct Row {
  std::size_t count;
  double* to;
  Operands of;

  template <class Of>
  void unary(Of value) const {
    const double* const a = of.a;
    double* __restrict const result = to;
    for (std::size_t at = 0; at < count; ++at) result[at] = value(a[at]);
  }
  template <class Of>
  void binary(Of value) const {
    const double* const a = of.a;
    const double* const b = of.b;
    double* __restrict const result = to;
    for (std::size_t at = 0; at < count; ++at) result[at] = value(a[at], b[at]);
  }
  void select() const {
    for (std::size_t at = 0; at < count; ++at) to[at] = of.a[at] != 0.0 ? of.b[at] : of.c[at];
  }
};

constexpr double number(bool is_true) { return is_true ? 1.0 : 0.0; }

/// True if the operation is arithmetic, and is done.
bool arithmetic(Operation operation, const Row& row) {
  switch (operation) {
    case Operation::kNegate:
      row.unary([](double a) { return -a; });
      return true;
    case Operation::kAdd:
      row.binary([](double a, double b) { return a + b; });
      return true;
    case Operation::kSubtract:
      row.binary([](double a, double b) { return a - b; });
      return true;
    case Operation::kMultiply:
      row.binary([](double a, double b) { return a * b; });
      return true;
    case Operation::kDivide:
      row.binary([](double a, double b) { return a / b; });
      return true;
    case Operation::kPower:
      row.binary([](double a, double b) { return std::pow(a, b); });
      return true;
    default:
      return false;
  }
}

/// True if the operation is a comparison or logic, and is done.
bool logic(Operation operation, const Row& row) {
  switch (operation) {
    case Operation::kLess:
      row.binary([](double a, double b) { return number(a < b); });
      return true;
    case Operation::kLessEqual:
      row.binary([](double a, double b) { return number(a <= b); });
      return true;
    case Operation::kGreater:
      row.binary([](double a, double b) { return number(a > b); });
      return true;
    case Operation::kGreaterEqual:
      row.binary([](double a, double b) { return number(a >= b); });
      return true;
    case Operation::kEqual:
      row.binary([](double a, double b) { return number(a == b); });
      return true;
    case Operation::kUnequal:
      row.binary([](double a, double b) { return number(a != b); });
      return true;
    case Operation::kAnd:
      row.binary([](double a, double b) { return number(a != 0.0 && b != 0.0); });
      return true;
    case Operation::kOr:
      row.binary([](double a, double b) { return number(a != 0.0 || b != 0.0); });
      return true;
    case Operation::kSelect:
      row.select();
      return true;
    default:
      return false;
  }
}

/// True if the operation is a function with corners or steps, or of two arguments, and is done.
bool piecewise(Operation operation, const Row& row) {
  switch (operation) {
    case Operation::kAbs:
      row.unary([](double a) { return std::abs(a); });
      return true;
    case Operation::kAtan2:
      row.binary([](double a, double b) { return std::atan2(a, b); });
      return true;
    case Operation::kCeil:
      row.unary([](double a) { return std::ceil(a); });
      return true;
    case Operation::kFloor:
      row.unary([](double a) { return std::floor(a); });
      return true;
    case Operation::kHypot:
      row.binary([](double a, double b) { return std::hypot(a, b); });
      return true;
    case Operation::kMax:
      row.binary([](double a, double b) { return std::max(a, b); });
      return true;
    case Operation::kMin:
      row.binary([](double a, double b) { return std::min(a, b); });
      return true;
    case Operation::kRound:
      row.unary([](double a) { return std::round(a); });
      return true;
    case Operation::kSign:
      row.unary([](double a) { return number(a > 0.0) - number(a < 0.0); });
      return true;
    default:
      return false;
  }
}

using OfOne = double (*)(double);

/// The C library's function of one number, or nullptr.
OfOne library_function(Operation operation) {
  switch (operation) {
    case Operation::kAcos:
      return std::acos;
    case Operation::kAsin:
      return std::asin;
    case Operation::kAtan:
      return std::atan;
    case Operation::kCos:
      return std::cos;
    case Operation::kCosh:
      return std::cosh;
    case Operation::kErf:
      return std::erf;
    case Operation::kExp:
      return std::exp;
    case Operation::kLog:
      return std::log;
    case Operation::kLog10:
      return std::log10;
    case Operation::kSin:
      return std::sin;
    case Operation::kSinh:
      return std::sinh;
    case Operation::kSqrt:
      return std::sqrt;
    case Operation::kTan:
      return std::tan;
    case Operation::kTanh:
      return std::tanh;
    default:
      return nullptr;
  }
}

}  // namespace

std::span<const Function> functions() { return kFunctions; }

const Function* find_function(std::string_view name) {
  const auto* const found =
      std::find_if(kFunctions.begin(), kFunctions.end(),
                   [name](const Function& function) { return function.name == name; });
  return found == kFunctions.end() ? nullptr : found;
}

void compute(Operation operation, std::size_t count, double* to, Operands of) {
  const Row row{count, to, of};
  if (arithmetic(operation, row) || logic(operation, row) || piecewise(operation, row)) return;
  if (const OfOne function = library_function(operation)) return row.unary(function);
  throw std::logic_error("a constant or a variable has no operation to compute");
}

}  // namespace kumiko::cases::formula
