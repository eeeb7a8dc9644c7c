// Forecasts the time, memory and files of a run before it writes anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <kumiko/amr/simulation.hpp>

#include "run/run_start.hpp"

namespace kumiko::app {

/// A key whose value the run chooses.
struct Choice {
  std::string key;
  std::string given;  ///< empty if nothing gives it a value
  std::string used;
  std::string why;
};

/// Files and rows that a run writes.
struct FileCounts {
  std::int64_t states = 0;
  std::int64_t checkpoints = 0;  ///< written, of which the newest stay
  std::int64_t rows = 0;         ///< of diagnostics.csv
};

/// The forecast of a run that has taken its first base steps; its mesh is that of the first one.
struct Forecast {
  int step = 0;  ///< before them
  double time = 0.0;
  double reached = 0.0;  ///< as io::RunHistory::reached
  double first_dt = 0.0;
  double largest_cfl = 0.0;
  std::vector<std::size_t> patches;  ///< by level
  amr::MemoryUse memory;
  std::size_t writing_bytes = 0;  ///< of the copy that a file is written from
  std::int64_t steps = 0;         ///< that are left
  bool is_estimate = false;       ///< whether their number is one
  double updates = 0.0;           ///< points that a base step advances
  double of_uniform = 0.0;        ///< over those of the finest level's grid everywhere
  double step_s = 0.0;            ///< that a base step takes
  std::uint64_t state_bytes = 0;
  std::uint64_t checkpoint_bytes = 0;
  FileCounts files;
  std::vector<Choice> choices;

  double wall_s() const { return step_s * static_cast<double>(steps); }
};

/// Takes a base step of a run that is ready for its first one, or as many as fit into 0.05 s, and
/// adds up the rest of the run. Writes no file. If ranks share the mesh, rank 0 calls it while the
/// others follow. From an OS thread. Throws the exceptions of execute() for base steps that fail.
Forecast forecast_of(const RunRequest& request, const Start& start, const amr::Backend& backend,
                     amr::Simulation& simulation);

}  // namespace kumiko::app
