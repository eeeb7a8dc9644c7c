// Takes a run through its base steps, with regrids, checks and observations between them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <kumiko/amr/initial_state.hpp>
#include <kumiko/amr/saved_run.hpp>
#include <kumiko/amr/simulation.hpp>

#include "simulation/orders.hpp"
#include "simulation/regridder.hpp"
#include "simulation/run.hpp"
#include "simulation/run_saver.hpp"
#include "simulation/window_measurement.hpp"

namespace kumiko::amr {

/// The loop of a run: a window of base steps ends where a regrid, a choice of the step, an
/// observation or the caller's limit comes next. All ranks of a shared mesh call the same members.
class RunLoop {
 public:
  /// Keeps references to all.
  RunLoop(Run& run, Regridder& regridder, Rebalancer& rebalancer, Orders& orders)
      : run_(run), regridder_(regridder), rebalancer_(rebalancer), orders_(orders) {}

  /// Builds the first mesh and state. Throws as Simulation's constructor.
  void begin();
  /// Begins with a stored state in place of the case's initial field.
  void begin(const InitialState& initial, RunSaver& saver);
  /// Continues from a saved run.
  void resume(const SavedRun& saved, RunSaver& saver);
  /// As Simulation::advance(), on this rank.
  void advance(int steps, double until);

  /// As Simulation::take_watched().
  std::vector<WatchedValues> take_watched() { return std::exchange(watched_, {}); }

  /// True if the state is that before Run::steps.step().
  bool is_whole() const { return is_whole_; }

 private:
  template <class Begin>
  void begin_by(Begin begin);
  void check_values();
  int observation_interval() const;
  void show_to_case();
  std::int64_t steps_to_observation() const;
  void regrid(const std::optional<std::vector<double>>& magnitudes);
  void choose_step(std::optional<double> largest_cfl);
  void note_gone_back();
  void keep_watched(int first, const StepClock& clock);

  Run& run_;
  Regridder& regridder_;
  Rebalancer& rebalancer_;
  Orders& orders_;
  bool is_whole_ = true;
  std::vector<WatchedValues> watched_;
  Measured measured_;  ///< at the end of the latest window
};

}  // namespace kumiko::amr
