#include "formula_program.hpp"

#include <algorithm>
#include <map>

namespace kumiko::cases::formula {

namespace {

constexpr int kTimeScalar = 0;
constexpr int kTauScalar = 1;
constexpr int kXRow = 0;
constexpr int kYRow = 1;
constexpr int kOwnRows = 2;  ///< the first row that is the program's own

constexpr Variables kOfPoints = only(Variable::kX) | only(Variable::kY);

}  // namespace

/// Compiles nodes in the graph's order; a row is free again after the last node that reads it.
class ProgramMaker {
 public:
  ProgramMaker(Program& program, const Graph& graph, const std::vector<NodeId>& roots)
      : program_(program), graph_(graph), needed_(needed_by(graph, roots)) {
    program_.scalars_ = {0.0, 0.0};
    program_.rows_ = kOwnRows;
    count_uses(roots);
    for (NodeId id = 0; id < static_cast<NodeId>(needed_.size()); ++id) {
      if (!needed_[static_cast<std::size_t>(id)]) continue;
      if (varies(id)) {
        add_row(id);
      } else {
        add_scalar(id);
      }
    }
    for (const NodeId root : roots) {
      program_.outputs_.push_back(row_of(root));
      program_.variables_ |= graph_.at(root).variables;
    }
  }

 private:
  bool varies(NodeId id) const { return (graph_.at(id).variables & kOfPoints) != 0; }

  void count_uses(const std::vector<NodeId>& roots) {
    uses_.assign(needed_.size(), 0);
    for (const NodeId root : roots) ++uses_[static_cast<std::size_t>(root)];
    for (NodeId id = 0; id < static_cast<NodeId>(needed_.size()); ++id) {
      if (!needed_[static_cast<std::size_t>(id)]) continue;
      for (const NodeId operand : graph_.at(id).of) {
        if (operand != kNoNode) ++uses_[static_cast<std::size_t>(operand)];
      }
    }
  }

  int new_scalar(double value) {
    program_.scalars_.push_back(value);
    return static_cast<int>(program_.scalars_.size()) - 1;
  }

  void add_scalar(NodeId id) {
    const Node& node = graph_.at(id);
    if (node.operation == Operation::kVariable) {
      scalars_[id] = node.variable == Variable::kTime ? kTimeScalar : kTauScalar;
      return;
    }
    const int scalar = new_scalar(node.value);
    scalars_[id] = scalar;
    if (node.operation == Operation::kConstant) return;
    Program::Step step{node.operation, scalar, {kNoNode, kNoNode, kNoNode}};
    for (std::size_t at = 0; at < node.of.size(); ++at) {
      if (node.of[at] != kNoNode) step.of[at] = scalars_.at(node.of[at]);
    }
    program_.once_.push_back(step);
  }

  void add_row(NodeId id) {
    const Node& node = graph_.at(id);
    if (node.operation == Operation::kVariable) {
      rows_[id] = node.variable == Variable::kX ? kXRow : kYRow;
      return;
    }
    Program::Step step{node.operation, kNoNode, {kNoNode, kNoNode, kNoNode}};
    for (std::size_t at = 0; at < node.of.size(); ++at) {
      if (node.of[at] != kNoNode) step.of[at] = row_of(node.of[at]);
    }
    step.to = free_row();  // before operands are given back: compute() takes rows that differ
    rows_[id] = step.to;
    for (const NodeId operand : node.of) {
      if (operand != kNoNode) give_back(operand);
    }
    program_.each_.push_back(step);
  }

  /// A scalar that a row's operation reads gets a row of its own, for the whole evaluation.
  int row_of(NodeId id) {
    if (const auto found = rows_.find(id); found != rows_.end()) return found->second;
    const int row = program_.rows_++;
    program_.spread_.push_back({scalars_.at(id), row});
    rows_[id] = row;
    return row;
  }

  int free_row() {
    if (free_.empty()) return program_.rows_++;
    const int row = free_.back();
    free_.pop_back();
    return row;
  }

  void give_back(NodeId id) {
    const bool was_last = --uses_[static_cast<std::size_t>(id)] == 0;
    if (was_last && varies(id) && graph_.at(id).operation != Operation::kVariable) {
      free_.push_back(rows_.at(id));
    }
  }

  Program& program_;
  const Graph& graph_;
  std::vector<bool> needed_;
  std::vector<int> uses_;
  std::map<NodeId, int> scalars_;
  std::map<NodeId, int> rows_;
  std::vector<int> free_;
};

/// The numbers of one evaluation: scalars, then rows.
struct Program::Workspace {
  explicit Workspace(const Program& program)
      : first_row(program.scalars_.size()),
        far(size_of(program) > kNear ? size_of(program) : 0),
        scalars(far.empty() ? near.data() : far.data()) {}

  static std::size_t size_of(const Program& program) {
    return program.scalars_.size() + static_cast<std::size_t>(program.rows_ - kOwnRows) * kBlock;
  }

  double* row(int number) const {
    return scalars + first_row + static_cast<std::size_t>(number - kOwnRows) * kBlock;
  }

  std::size_t first_row;
  std::array<double, kNear> near;  // not initialised: steps write before they read
  std::vector<double> far;
  double* scalars;
};

Program::Program(const Graph& graph, const std::vector<NodeId>& roots) {
  ProgramMaker(*this, graph, roots);
}

void Program::prepare(Workspace& workspace, Moment moment) const {
  double* const scalars = workspace.scalars;
  std::copy(scalars_.begin(), scalars_.end(), scalars);
  scalars[kTimeScalar] = moment.time;
  scalars[kTauScalar] = moment.tau;
  const auto operand = [scalars](int at) { return at == kNoNode ? nullptr : scalars + at; };
  for (const Step& step : once_) {
    compute(step.operation, 1, scalars + step.to,
            {operand(step.of[0]), operand(step.of[1]), operand(step.of[2])});
  }
  for (const Spread& each : spread_) {
    std::fill_n(workspace.row(each.row), kBlock, scalars[each.scalar]);
  }
}

void Program::run(amr::Points points, Moment moment, std::span<double* const> outputs) const {
  Workspace workspace(*this);
  prepare(workspace, moment);
  for (std::size_t first = 0; first < points.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, points.size() - first);
    const auto row = [&](int number) -> const double* {
      if (number == kNoNode) return nullptr;
      if (number == kXRow) return points.x.data() + first;
      if (number == kYRow) return points.y.data() + first;
      return workspace.row(number);
    };
    for (const Step& step : each_) {
      compute(step.operation, count, workspace.row(step.to),
              {row(step.of[0]), row(step.of[1]), row(step.of[2])});
    }
    for (std::size_t at = 0; at < outputs.size(); ++at) {
      std::copy_n(row(outputs_[at]), count, outputs[at] + first);
    }
  }
}

void Program::evaluate(amr::Points points, Moment moment, std::span<double> values) const {
  const std::array<double*, 1> outputs{values.data()};
  run(points, moment, outputs);
}

void Program::evaluate(amr::Points points, Moment moment, amr::Vectors values) const {
  const std::array<double*, 2> outputs{values.x.data(), values.y.data()};
  run(points, moment, outputs);
}

double Program::at(Moment moment) const {
  const double anywhere = 0.0;
  double value = 0.0;
  evaluate({{&anywhere, 1}, {&anywhere, 1}}, moment, {&value, 1});
  return value;
}

}  // namespace kumiko::cases::formula
