// A small periodic level without the engine, so that each step can be as long as is allowed.
#pragma once

#include <vector>

#include "conformance/flows.hpp"
#include "conformance/patch_step.hpp"

namespace kumiko::plugin::conformance {

/// n × n points on the unit square.
class PeriodicGrid {
 public:
  /// A value for each point of the level.
  using Values = std::function<double(int i, int j, int component)>;

  PeriodicGrid(const Subject& subject, const Flow& flow, int n, const Values& values);

  /// Prepares the step whose largest CFL number is `target`, and returns it.
  double prepare(double target);
  /// One step whose CFL number is `target`.
  void step(double target);
  /// Mean square of what differs from the first component's mean; not finite when the field is not.
  double variance();

 private:
  void fill_ghosts();

  const Subject& subject_;
  const Flow& flow_;
  int n_;
  double dt_ = 0.0;
  std::vector<PatchStep> patches_;
};

}  // namespace kumiko::plugin::conformance
