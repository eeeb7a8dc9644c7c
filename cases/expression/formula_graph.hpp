// Formulas as a graph of operations, and their derivatives.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "formula_operations.hpp"

namespace kumiko::cases::formula {

/// A quantity that formulas are functions of. Of displacements, kTau is the time that they take.
enum class Variable : std::uint8_t { kX, kY, kTime, kTau };

/// A set of variables: one bit each.
using Variables = unsigned;
constexpr Variables only(Variable variable) { return 1U << static_cast<unsigned>(variable); }

/// A node by its position in its graph.
using NodeId = int;
inline constexpr NodeId kNoNode = -1;

struct Node {
  Operation operation;
  std::array<NodeId, 3> of = {kNoNode, kNoNode, kNoNode};  ///< all before this node
  double value = 0.0;                                      ///< of a constant
  Variable variable = Variable::kX;                        ///< of kVariable
  Variables variables = 0;                                 ///< that the value depends on
};

/// Nodes of several formulas, each after its operands. Equal nodes are one node (hash consing), so
/// that what formulas share is computed once; operations on constants are constants.
class Graph {
 public:
  NodeId constant(double value);
  NodeId variable(Variable variable);
  /// Powers with exponents 2, 3 and 4 become products: x², (x²)x, (x²)².
  NodeId apply(Operation operation, NodeId a, NodeId b = kNoNode, NodeId c = kNoNode);
  /// The partial derivative of a node, by the rules of calculus: exact up to round-off. Steps have
  /// derivative 0; at a corner it is that of one side
  /// (min, max, ?:) or 0 (abs, sqrt of a square, hypot).
  NodeId derivative(NodeId of, Variable by);

  const Node& at(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  bool is_constant(NodeId id) const { return at(id).operation == Operation::kConstant; }
  bool is_constant(NodeId id, double value) const {
    return is_constant(id) && at(id).value == value;
  }

 private:
  NodeId add(const Node& node);

  using Key = std::tuple<Operation, std::array<NodeId, 3>, std::uint64_t, Variable>;
  std::vector<Node> nodes_;
  std::map<Key, NodeId> known_;
};

/// \return for each node up to the last of the roots, whether one of them needs it
std::vector<bool> needed_by(const Graph& graph, const std::vector<NodeId>& roots);

}  // namespace kumiko::cases::formula
