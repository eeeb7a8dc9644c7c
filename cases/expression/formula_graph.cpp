#include "formula_graph.hpp"

#include <algorithm>
#include <cstring>

namespace kumiko::cases::formula {

namespace {

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  static_assert(sizeof bits == sizeof value);
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

NodeId Graph::add(const Node& node) {
  const Key key{node.operation, node.of, bits_of(node.value), node.variable};
  const auto [place, is_new] = known_.try_emplace(key, static_cast<NodeId>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return place->second;
}

NodeId Graph::constant(double value) {
  return add({.operation = Operation::kConstant, .value = value});
}

NodeId Graph::variable(Variable variable) {
  return add(
      {.operation = Operation::kVariable, .variable = variable, .variables = only(variable)});
}

NodeId Graph::apply(Operation operation, NodeId a, NodeId b, NodeId c) {
  if (operation == Operation::kPower) {
    const auto times = [this](NodeId x, NodeId y) { return apply(Operation::kMultiply, x, y); };
    if (is_constant(b, 2.0)) return times(a, a);
    if (is_constant(b, 3.0)) return times(times(a, a), a);
    if (is_constant(b, 4.0)) return times(times(a, a), times(a, a));
  }
  Node node{.operation = operation, .of = {a, b, c}};
  bool all_constant = true;
  std::array<const double*, 3> values = {};
  for (std::size_t at = 0; at < node.of.size() && node.of[at] != kNoNode; ++at) {
    const Node& operand = this->at(node.of[at]);
    node.variables |= operand.variables;
    all_constant = all_constant && operand.operation == Operation::kConstant;
    values[at] = &operand.value;
  }
  if (!all_constant) return add(node);
  double value = 0.0;
  compute(operation, 1, &value, {values[0], values[1], values[2]});
  return constant(value);
}

std::vector<bool> needed_by(const Graph& graph, const std::vector<NodeId>& roots) {
  const NodeId last = *std::max_element(roots.begin(), roots.end());
  std::vector<bool> needed(static_cast<std::size_t>(last) + 1, false);
  for (const NodeId root : roots) needed[static_cast<std::size_t>(root)] = true;
  for (NodeId id = last; id >= 0; --id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    for (const NodeId operand : graph.at(id).of) {
      if (operand != kNoNode) needed[static_cast<std::size_t>(operand)] = true;
    }
  }
  return needed;
}

}  // namespace kumiko::cases::formula
