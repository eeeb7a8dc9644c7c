// The kernel over an AMR run's own patches, and nothing else: what the engine adds to is this.
#pragma once

#include <cstddef>
#include <vector>

#include <kumiko/amr/patch.hpp>

#include "case_run.hpp"

namespace kumiko::bench {

/// The patches of a run with several levels, as they are in memory after some base steps. Swept as
/// the run takes its steps: a level, then twice the next finer one. No ghosts, no dependences, no
/// regrids: every step advances the same states, whose ghosts the run has filled.
class BareSweep {
 public:
  /// Takes the base steps, serially. Throws std::runtime_error if a sweep leaves out a patch.
  BareSweep(const RunSpec& spec, int base_steps);

  /// Point updates per second of so many base steps, each OS thread with its equal part of every
  /// level. They begin together and wait for each other at the end alone.
  double rate(int workers, int base_steps);

 private:
  /// One worker's part of a level's step, and of the finer levels' within it.
  void sweep(std::size_t level, int worker, int workers);
  double updates_per_base_step() const;
  void check_that_all_are_done();

  CaseRun run_;
  // By level and slot. Patches are views: these share the memory of the run's.
  std::vector<std::vector<amr::Patch>> levels_;
};

}  // namespace kumiko::bench
