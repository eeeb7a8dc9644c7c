// Runs one case on several backends with several numbers of workers, to see how it scales.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "experiments/sweep.hpp"

namespace kumiko::app {

/// A backend with a number of workers.
struct ScalingPoint : Repetitions {
  std::string backend;
  int workers;
};

struct Scaling {
  std::string case_name;
  std::string solver;
  int cores = 1;  ///< that the machine grants
  int repetitions = 1;
  /// First what speed-ups are counted from: the pthread backend on one worker.
  std::vector<ScalingPoint> points;
  bool complete = false;

  const ScalingPoint& reference() const { return points.front(); }
  int most_workers() const {
    return std::ranges::max_element(points, {}, &ScalingPoint::workers)->workers;
  }
};

/// A table of the points that are done, for the terminal.
std::string scaling_table(const Scaling& scaling);
/// Table, JSON and pictures of the points that are done.
extern const std::array<SweepFile<Scaling>, 4> kScalingFiles;

}  // namespace kumiko::app
