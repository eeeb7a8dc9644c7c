// Runs one case on several backends with several numbers of workers, to see how it scales.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/sweep.hpp"

namespace kumiko::app {

/// What `kumiko scaling` is asked for.
struct ScalingRequest : CaseRequest, OutputRequest {
  std::vector<int> worker_counts;  ///< none: doubled up to the cores
  std::vector<std::string> backends = {"threads", "pthread", "openmp"};
  int repetitions = 1;  ///< of each run
};

/// A backend with a number of workers.
struct ScalingPoint : Repetitions {
  ScalingPoint(std::string its_backend, int its_workers)
      : backend(std::move(its_backend)), workers(its_workers) {}

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
};

/// How many times faster than the reference a wall time is. Both are measured.
double speed_up(const Scaling& scaling, double wall_s);

/// Reads the request and tries every point's first state, so that a wrong request is refused before
/// the first run. Throws RequestError.
Scaling plan_scaling(const ScalingRequest& request);

/// Runs all points in turn, and again for each repetition; calls `after` after each run. Throws
/// what execute() throws, and std::runtime_error when two runs end in different states.
void run_scaling(const ScalingRequest& request, Scaling& scaling,
                 const std::function<void()>& after);

/// A table of the points that are done, for the terminal.
std::string scaling_table(const Scaling& scaling);
/// Table, JSON and pictures of the points that are done.
extern const std::array<SweepFile<Scaling>, 4> kScalingFiles;

}  // namespace kumiko::app
