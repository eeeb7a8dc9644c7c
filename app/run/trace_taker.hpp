// Records the trace of a run.
#pragma once

#include <kumiko/amr/simulation.hpp>
#include <kumiko/amr/trace.hpp>

#include "run/setup.hpp"

namespace kumiko::app {

class RunFiles;

/// Records a trace of the base steps of a run that setup.trace_from and setup.trace_until name,
/// or of as many of them as there is room for.
class TraceTaker {
 public:
  /// \param files  get the trace; nullptr: there is none
  TraceTaker(const Setup& setup, RunFiles* files) : setup_(setup), files_(files) {}

  /// Steps from `step` until the trace begins or ends.
  int next(int step) const;

  /// Call these before and after the steps of a round.
  void before(amr::Simulation& simulation);
  void after(amr::Simulation& simulation);

  /// After the last step: warns if the trace has not begun.
  void end(const amr::Simulation& simulation) const;

  /// Keeps the trace so far when the run fails while it is being recorded.
  void save(amr::Simulation& simulation) noexcept;

 private:
  void hand_over(amr::Trace trace) const;
  int steps(const amr::Trace& trace) const;

  const Setup& setup_;
  RunFiles* files_;
  bool is_open_ = false;
};

}  // namespace kumiko::app
