// Formulas compiled to be evaluated for many points at once, by many threads at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <kumiko/amr/case.hpp>

#include "formula_graph.hpp"

namespace kumiko::cases::formula {

/// What formulas depend on beyond the points.
struct Moment {
  double time = 0.0;
  double tau = 0.0;  ///< of displacements
};

/// One or two formulas as a list of operations on rows of kBlock points. It is immutable, and what
/// an evaluation writes lies on its caller's stack (on the heap if that takes more than kNear
/// numbers): any number of threads evaluate one program at the same time, without a lock, and
/// no evaluation suspends. What does not depend on a point is computed once for each call.
class Program {
 public:
  static constexpr std::size_t kBlock = 32;
  static constexpr std::size_t kNear = 1536;  ///< 12 KiB

  /// \param roots  one or two nodes
  Program(const Graph& graph, const std::vector<NodeId>& roots);

  /// Of one formula.
  void evaluate(amr::Points points, Moment moment, std::span<double> values) const;
  /// Of two formulas.
  void evaluate(amr::Points points, Moment moment, amr::Vectors values) const;
  /// Of one formula that does not depend on a point.
  double at(Moment moment) const;

  Variables variables() const { return variables_; }
  bool depends_on(Variable variable) const { return (variables_ & only(variable)) != 0; }
  std::size_t operations() const { return once_.size() + each_.size(); }

 private:
  friend class ProgramMaker;

  struct Step {
    Operation operation;
    int to;
    std::array<int, 3> of;  ///< kNoNode where there is no operand
  };
  struct Spread {
    int scalar;
    int row;
  };
  struct Workspace;

  void prepare(Workspace& workspace, Moment moment) const;
  void run(amr::Points points, Moment moment, std::span<double* const> outputs) const;

  // Scalars: the time, tau, constants, and what follows from these. Rows: x, y, those scalars that
  // steps on rows read, and results, which are overwritten after their last use.
  std::vector<double> scalars_;  ///< at the start of an evaluation
  std::vector<Step> once_;       ///< on scalars
  std::vector<Spread> spread_;
  std::vector<Step> each_;  ///< on rows, for each block of points
  std::vector<int> outputs_;
  int rows_ = 0;
  Variables variables_ = 0;
};

}  // namespace kumiko::cases::formula
