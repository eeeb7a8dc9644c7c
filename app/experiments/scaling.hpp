// Runs one case on several backends with several numbers of workers, to see how it scales.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <kumiko/io/summary.hpp>

#include "shared_options.hpp"

namespace kumiko::app {

/// What `kumiko scaling` is asked for.
struct ScalingRequest : CaseRequest, OutputRequest {
  std::vector<int> worker_counts;  ///< none: doubled up to the cores
  std::vector<std::string> backends = {"threads", "pthread", "openmp"};
  int repetitions = 1;  ///< of each run
};

/// A backend with a number of workers.
struct ScalingPoint {
  std::string backend;
  int workers = 1;
  std::vector<double> wall_s = {};   ///< of each repetition that is done
  std::vector<double> balance = {};  ///< load-balance efficiency of each
  io::RunSummary summary = {};       ///< of the fastest

  bool is_measured() const { return !wall_s.empty(); }
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

}  // namespace kumiko::app
