// Runs the whole engine on one periodic level.
#pragma once

#include <memory>
#include <vector>

#include <kumiko/amr/diagnostics.hpp>
#include <kumiko/amr/simulation.hpp>

#include "conformance/flows.hpp"
#include "conformance/subject.hpp"

namespace kumiko::plugin::conformance {

/// A case on n × n points with the serial backend.
class EngineRun {
 public:
  /// \param steps  that the case's duration is divided by
  EngineRun(const Subject& subject, Flow problem, int n, int steps);

  void advance(int steps) { simulation_->advance(steps); }
  amr::ErrorNorms errors() const;
  /// The first component, n × n, x fastest.
  std::vector<double> field() const;

 private:
  Flow problem_;
  int n_;
  std::unique_ptr<amr::Backend> backend_;
  std::unique_ptr<amr::Simulation> simulation_;
};

/// The step at which the largest CFL number of a case's patches on n × n points is `target`.
double step_for(const Subject& subject, const Flow& problem, int n, double target);

}  // namespace kumiko::plugin::conformance
