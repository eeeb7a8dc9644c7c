// Runs one case with several numbers of workers, on several backends or several numbers of ranks,
// to see how it scales.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/sweep.hpp"

namespace kumiko::app {

/// A backend, or a number of ranks, with a number of workers.
struct ScalingPoint : Repetitions {
  std::string backend;
  int ranks = 1;
  int workers = 1;                      ///< of each rank
  std::vector<double> imbalance = {};   ///< of each repetition: largest over mean work
  nlohmann::ordered_json summary = {};  ///< of the fastest, as `kumiko run` writes it

  int all_workers() const { return ranks * workers; }
};

struct Scaling {
  std::string case_name;
  std::string solver;
  int cores = 1;  ///< that the machine grants
  int repetitions = 1;
  bool is_of_ranks = false;  ///< else of backends
  /// First what speed-ups are counted from: the pthread backend on one worker; of ranks, the fewest
  /// with the fewest workers.
  std::vector<ScalingPoint> points;
  bool complete = false;

  const ScalingPoint& reference() const { return points.front(); }
  int most_workers() const {
    return std::ranges::max_element(points, {}, &ScalingPoint::all_workers)->all_workers();
  }
  /// "threads, 2 workers", "2 ranks, 1 worker each".
  std::string label_of(const ScalingPoint& point) const;
};

/// A table of the points that are done, for the terminal.
std::string scaling_table(const Scaling& scaling);
/// Table, JSON and pictures of the points that are done.
extern const std::array<SweepFile<Scaling>, 4> kScalingFiles;

}  // namespace kumiko::app
