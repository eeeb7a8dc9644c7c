// Takes all levels through windows of base steps.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <kumiko/amr/simulation_options.hpp>

#include "ghosts/ghost_exchange.hpp"
#include "observation/observer.hpp"
#include "sharing/shadow_exchange.hpp"
#include "stepping/first_failure.hpp"
#include "stepping/patch_stepper.hpp"
#include "stepping/piece_runner.hpp"
#include "stepping/step_schedule.hpp"

namespace kumiko::amr {

/// What is the same whatever the schedule: it is chosen here, once; windows begin and end here, and
/// a failure of one of their pieces is passed on.
class TimeStepper {
 public:
  /// Throws std::invalid_argument when the backend cannot step as options.schedule says.
  /// All ranks of a shared mesh take the same steps, and fail with the same text.
  TimeStepper(Hierarchy& hierarchy, const Case& problem, const Solver& solver, Backend& backend,
              const GhostExchange& exchange, const SimulationOptions& options,
              Communicator& communicator = single_rank());

  /// Gives patches that came to a level their values, by fill(slot) from many threads at once, and
  /// their coefficients at a time; to be called after every change of a level.
  /// Throws CflError when a patch's CFL number exceeds the solver's limit, unless steps are chosen,
  /// and InadmissibleState.
  void prepare(int level, const std::vector<std::size_t>& slots, double time,
               const std::function<void(std::size_t)>& fill);

  /// Gives steps another length, where all levels stand at a time, and all patches their
  /// coefficients for it. \return the largest CFL number of all ranks' patches, all of whom call
  /// it
  double set_stretch(const Stretch& stretch, double time);
  /// Gives steps their length before there are patches, or before any has its coefficients.
  void begin(const Stretch& stretch);
  /// The largest CFL number of all ranks' patches, all of whom call it, with the state that there
  /// is at a time and steps as they are.
  double largest_cfl(double time);
  /// That of this rank's patches; nothing where a case or a solver throws. Tells nobody.
  std::optional<double> own_largest_cfl(double time);
  bool serves(double cfl) const { return patches_.serves(cfl); }

  /// The shadows of others' patches, of which the engine keeps those of a regrid.
  ShadowExchange& shadows() { return shadows_; }

  /// Takes all levels through base steps first .. first + count - 1. With an unsteady velocity or a
  /// nonlinear solver it throws CflError as prepare() does, or StepRefused where steps are chosen;
  /// the levels then stand at different times, and nothing is counted. All ranks exchange what
  /// they are to know of these steps at once, and with it values of the caller's.
  /// \param own_values  this rank's, of the state that is reached; equally many for all ranks
  /// \return the largest of all ranks' values, each
  using OwnValues = std::function<std::vector<double>()>;
  std::vector<double> advance(int first, int count, const OwnValues& own_values = {});
  /// Whether all ranks know of the latest failure of advance(): they can go back together.
  bool has_failed_together() const { return has_failed_together_; }

  /// The length of the steps, and when they begin.
  const StepClock& clock() const { return patches_.rules().clock(); }

  PatchTable<PatchMotion>& motion() { return patches_.motion(); }
  const PatchTable<PatchMotion>& motion() const { return patches_.motion(); }

  /// What the solver says of a patch's cost; 1 where patches do not differ.
  double weight(const PatchId& id, double time) const {
    return patches_.is_weighted() ? patches_.weight(id, time) : 1.0;
  }

  PointWatch& watch() { return patches_.watch(); }

  Observer& observer() { return observer_; }
  const Observer& observer() const { return observer_; }
  const StepSchedule& schedule() const { return *schedule_; }
  /// The bytes that are kept for the patches beside the hierarchy.
  std::size_t metadata_bytes() const {
    return observer_.bytes() + schedule_->bytes() + shadows_.bytes();
  }

 private:
  [[noreturn]] void throw_error(const Failure& failure, const Patch& patch) const;
  OwnFailure take_failure();
  void end_on_failure();
  void swap_states(const Window& window);
  double cfl_now(int level, std::size_t slot, double time) const;
  template <class CflOf>
  double own_largest(double time, CflOf cfl_of);
  template <class CflOf>
  double largest(double time, CflOf cfl_of);

  Hierarchy& hierarchy_;
  Backend& backend_;
  Communicator& communicator_;
  PatchStepper patches_;
  ShadowExchange shadows_;
  Observer observer_;
  FirstFailure failures_;
  bool subcycling_;
  bool chooses_;  ///< whether steps are: a CFL number that is too large refuses one
  bool has_failed_together_ = false;
  PieceRunner pieces_;
  std::unique_ptr<StepSchedule> schedule_;
};

}  // namespace kumiko::amr
