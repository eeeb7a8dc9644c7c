// Runs Zalesak's disk through the whole engine, on a uniform grid or with refinement.
#pragma once

#include <memory>
#include <string>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/case.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::bench {

/// The run of cases/zalesak/zalesak.toml, its coarsest grid without the finer levels, or another
/// uniform grid with its steps.
class ZalesakRun {
 public:
  /// \param points   of the coarsest level along each side
  /// \param backend  with one worker
  ZalesakRun(int points, int levels, const std::string& backend);

  /// Takes base steps. Returns the points advanced.
  double advance(int steps);

  amr::Simulation& simulation() { return *simulation_; }
  const amr::Solver& solver() const { return *solver_; }
  const amr::Hierarchy& hierarchy() const { return simulation_->hierarchy(); }

 private:
  std::unique_ptr<amr::Case> case_;
  std::unique_ptr<amr::Solver> solver_;
  std::unique_ptr<amr::Backend> backend_;
  std::unique_ptr<amr::Simulation> simulation_;
};

}  // namespace kumiko::bench
