// Forward differentiation: the derivative of each node from those of its operands, so that the
// graph grows by a bounded number of nodes for each node.
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "formula_graph.hpp"

namespace kumiko::cases::formula {

namespace {

/// Writes derivatives into a graph. What is 0 or 1 throughout is left out of sums and products, so
/// that most derivatives are short. Each of the three rules sets a result and is true if it knows
/// the operation.
class Calculus {
 public:
  explicit Calculus(Graph& graph) : graph_(graph) {}

  /// \param self  the node; da, db  the derivatives of its first two operands
  NodeId of(NodeId self, NodeId da, NodeId db, NodeId dc) {
    const Node node = graph_.at(self);
    NodeId result = zero();
    if (of_arithmetic(self, node, da, db, result) || of_pieces(node, da, db, dc, result) ||
        of_two(self, node, da, db, result)) {
      return result;
    }
    const NodeId by_argument = slope(self, node);
    return node.operation == Operation::kSqrt ? at_rest(by_argument, da) : times(by_argument, da);
  }

  NodeId zero() { return number(0.0); }
  NodeId one() { return number(1.0); }

 private:
  NodeId number(double value) { return graph_.constant(value); }
  NodeId make(Operation operation, NodeId a, NodeId b = kNoNode, NodeId c = kNoNode) {
    return graph_.apply(operation, a, b, c);
  }
  NodeId negative(NodeId a) { return make(Operation::kNegate, a); }
  NodeId plus(NodeId a, NodeId b) {
    if (graph_.is_constant(a, 0.0)) return b;
    if (graph_.is_constant(b, 0.0)) return a;
    return make(Operation::kAdd, a, b);
  }
  NodeId minus(NodeId a, NodeId b) {
    if (graph_.is_constant(a, 0.0)) return negative(b);
    if (graph_.is_constant(b, 0.0)) return a;
    return make(Operation::kSubtract, a, b);
  }
  NodeId times(NodeId a, NodeId b) {
    if (graph_.is_constant(a, 0.0) || graph_.is_constant(b, 0.0)) return zero();
    if (graph_.is_constant(a, 1.0)) return b;
    if (graph_.is_constant(b, 1.0)) return a;
    return make(Operation::kMultiply, a, b);
  }
  NodeId over(NodeId a, NodeId b) {
    if (graph_.is_constant(a, 0.0)) return zero();
    return make(Operation::kDivide, a, b);
  }
  NodeId square(NodeId a) { return times(a, a); }
  /// A slope that may be infinite times the derivative of the argument: 0 where that is 0, as in
  /// the middle of sqrt(x^2 + y^2).
  NodeId at_rest(NodeId slope, NodeId da) {
    if (graph_.is_constant(da)) return times(slope, da);
    return select(make(Operation::kEqual, da, zero()), zero(), times(slope, da));
  }
  NodeId select(NodeId condition, NodeId a, NodeId b) {
    return a == b ? a : make(Operation::kSelect, condition, a, b);
  }

  bool of_arithmetic(NodeId self, const Node& node, NodeId da, NodeId db, NodeId& result) {
    const auto [a, b, c] = node.of;
    switch (node.operation) {
      case Operation::kNegate:
        result = minus(zero(), da);
        return true;
      case Operation::kAdd:
        result = plus(da, db);
        return true;
      case Operation::kSubtract:
        result = minus(da, db);
        return true;
      case Operation::kMultiply:
        result = plus(times(da, b), times(a, db));
        return true;
      case Operation::kDivide:
        result = over(minus(da, times(self, db)), b);
        return true;
      case Operation::kPower:
        result = of_power(self, node, da, db);
        return true;
      default:
        return false;
    }
  }

  NodeId of_power(NodeId self, const Node& node, NodeId da, NodeId db) {
    const auto [a, b, c] = node.of;
    const NodeId by_base = times(b, make(Operation::kPower, a, minus(b, one())));
    const bool is_finite = graph_.is_constant(b) && graph_.at(b).value >= 1.0;
    const NodeId result = is_finite ? times(by_base, da) : at_rest(by_base, da);
    if (graph_.is_constant(db, 0.0)) return result;
    // 0^b stays 0, and so does its derivative by b.
    const NodeId by_exponent = select(make(Operation::kEqual, self, zero()), zero(),
                                      times(self, make(Operation::kLog, a)));
    return plus(result, times(by_exponent, db));
  }

  bool of_pieces(const Node& node, NodeId da, NodeId db, NodeId dc, NodeId& result) {
    const auto [a, b, c] = node.of;
    switch (node.operation) {
      case Operation::kSelect:
        result = select(a, db, dc);
        return true;
      case Operation::kMax:
        result = select(make(Operation::kLess, a, b), db, da);
        return true;
      case Operation::kMin:
        result = select(make(Operation::kLess, b, a), db, da);
        return true;
      case Operation::kLess:
      case Operation::kLessEqual:
      case Operation::kGreater:
      case Operation::kGreaterEqual:
      case Operation::kEqual:
      case Operation::kUnequal:
      case Operation::kAnd:
      case Operation::kOr:
      case Operation::kCeil:
      case Operation::kFloor:
      case Operation::kRound:
      case Operation::kSign:
        result = zero();
        return true;
      default:
        return false;
    }
  }

  bool of_two(NodeId self, const Node& node, NodeId da, NodeId db, NodeId& result) {
    const auto [a, b, c] = node.of;
    switch (node.operation) {
      case Operation::kAtan2:
        result = over(minus(times(b, da), times(a, db)), plus(square(a), square(b)));
        return true;
      case Operation::kHypot:
        // 0 in the middle, where it has a corner
        result = select(make(Operation::kEqual, self, zero()), zero(),
                        over(plus(times(a, da), times(b, db)), self));
        return true;
      default:
        return false;
    }
  }

  /// The derivative of a smooth function of one argument by this argument.
  NodeId slope(NodeId self, const Node& node) {
    const NodeId a = node.of[0];
    switch (node.operation) {
      case Operation::kAbs:
        return make(Operation::kSign, a);
      case Operation::kAcos:
        return negative(over(one(), make(Operation::kSqrt, minus(one(), square(a)))));
      case Operation::kAsin:
        return over(one(), make(Operation::kSqrt, minus(one(), square(a))));
      case Operation::kAtan:
        return over(one(), plus(one(), square(a)));
      case Operation::kCos:
        return negative(make(Operation::kSin, a));
      case Operation::kCosh:
        return make(Operation::kSinh, a);
      case Operation::kErf:
        return times(number(2.0 * std::numbers::inv_sqrtpi),
                     make(Operation::kExp, negative(square(a))));
      case Operation::kExp:
        return self;
      case Operation::kLog:
        return over(one(), a);
      case Operation::kLog10:
        return over(number(std::numbers::log10e), a);
      case Operation::kSin:
        return make(Operation::kCos, a);
      case Operation::kSinh:
        return make(Operation::kCosh, a);
      case Operation::kSqrt:
        return over(number(0.5), self);
      case Operation::kTan:
        return plus(one(), square(self));
      case Operation::kTanh:
        return minus(one(), square(self));
      default:
        throw std::logic_error("an operation without a derivative");
    }
  }

  Graph& graph_;
};

}  // namespace

NodeId Graph::derivative(NodeId of, Variable by) {
  Calculus calculus(*this);
  const NodeId zero = calculus.zero();
  const std::vector<bool> needed = needed_by(*this, {of});
  std::vector<NodeId> derivatives(needed.size(), zero);
  const auto of_operand = [&](NodeId operand) {
    return operand == kNoNode ? zero : derivatives[static_cast<std::size_t>(operand)];
  };
  for (NodeId id = 0; id <= of; ++id) {
    const auto at = static_cast<std::size_t>(id);
    const Node node = this->at(id);
    if (!needed[at] || (node.variables & only(by)) == 0) continue;
    derivatives[at] = node.operation == Operation::kVariable
                          ? calculus.one()
                          : calculus.of(id, of_operand(node.of[0]), of_operand(node.of[1]),
                                        of_operand(node.of[2]));
  }
  return derivatives[static_cast<std::size_t>(of)];
}

}  // namespace kumiko::cases::formula
