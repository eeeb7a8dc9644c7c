// Runs a case through the whole engine, on a uniform grid or with refinement.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/case.hpp>
#include <kumiko/amr/parameter.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::bench {

using Settings = std::vector<std::pair<std::string, amr::ParameterValue>>;

/// Something to be made by its name, with other parameters than its defaults.
struct Named {
  std::string name;
  Settings parameters = {};
};

/// A run with the engine's default options. As it stands here, that of cases/zalesak/zalesak.toml.
struct RunSpec {
  Named problem = {"zalesak"};
  Named solver = {"semi_lagrangian_cubic", {{"departure", std::string("first_order")}}};
  int points = 256;  ///< of the coarsest level along each side
  int levels = 3;
  int steps = 2560;  ///< base steps of the whole run
};

/// A run under way.
class CaseRun {
 public:
  CaseRun(const RunSpec& spec, const std::string& backend, int workers);

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
