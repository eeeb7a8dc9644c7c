// Runs Zalesak's disk on a uniform grid through the whole engine.
#pragma once

#include <memory>
#include <string>

#include <kumiko/amr/backend.hpp>
#include <kumiko/amr/case.hpp>
#include <kumiko/amr/simulation.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::bench {

/// The AMR run's grid without its finer levels, or a finer one with its steps.
class UniformRun {
 public:
  /// \param points   along each side
  /// \param backend  with one worker
  UniformRun(int points, const std::string& backend);

  /// Takes base steps. Returns the points advanced.
  double advance(int steps);

 private:
  std::unique_ptr<amr::Case> case_;
  std::unique_ptr<amr::Solver> solver_;
  std::unique_ptr<amr::Backend> backend_;
  std::unique_ptr<amr::Simulation> simulation_;
};

}  // namespace kumiko::bench
