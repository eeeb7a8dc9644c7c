// Does the numerics of one step of one patch, whichever schedule asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <kumiko/amr/simulation_options.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/amr/step_error.hpp>

#include "data/patch_motion.hpp"
#include "data/patch_table.hpp"
#include "ghosts/ghost_exchange.hpp"
#include "schedule/level_step.hpp"
#include "schedule/step_rules.hpp"
#include "schedule/window.hpp"
#include "stepping/point_watch.hpp"
#include "transfer/transfer_operators.hpp"

namespace kumiko::amr {

/// The numerics of a step, patch by patch. Both schedules call these and nothing else, so that they
/// give the same bits. Every member may be called from many threads at once, for different patches;
/// who may call when is said at each. None suspends.
class PatchStepper {
 public:
  PatchStepper(Hierarchy& hierarchy, const Case& problem, const Solver& solver,
               const GhostExchange& exchange, const SimulationOptions& options);

  const StepRules& rules() const { return rules_; }
  /// Another length of the steps, between two windows; patches are to be prepared for it.
  void set_clock(const StepClock& clock) { rules_.set_clock(clock); }

  /// Fills the coefficients of a patch for a step that begins at `time`, with that state.
  /// \return the CFL number. Throws DeclarationError unless it is finite and 0 or more,
  /// BrokenValueError when the velocity is not finite.
  double prepare(int level, std::size_t slot, State state, double time) const;
  /// prepare() of a patch that has been prepared before, to the same bits: without the case's
  /// velocity where that is separable and the solver rescales.
  double prepare_again(int level, std::size_t slot, State state, double time) const;

  /// The CFL number of a step that begins at `time` with state `now`, of the length that the steps
  /// have, as far as it is known without new velocities: of a linear solver in an unsteady flow
  /// that of the latest step. Throws as prepare() does.
  double cfl_now(int level, std::size_t slot, double time) const;

  /// Makes room for what is kept of the mesh's patches, after a change of it; by the driver.
  void follow_mesh();
  PatchTable<PatchMotion>& motion() { return motion_; }
  const PatchTable<PatchMotion>& motion() const { return motion_; }

  PointWatch& watch() { return watch_; }

  /// Fills the ghosts of the step's first state, and takes the values of watched points. Reads that
  /// state of the siblings, which is final, and what GhostExchange::fill() says of the level below.
  void fill_ghosts(const LevelStep& step, std::size_t slot) const;

  /// Whether patches differ in weight().
  bool is_weighted() const { return solver_.traits().weighted; }
  /// What the solver says of a patch's cost. Throws DeclarationError for what is not a weight.
  double weight(const PatchId& id, double time) const;

  /// Whether the solver wants advance_list() for as many patches as there are to hand.
  bool has_list_kernel() const { return solver_.traits().list_kernel; }

  /// The step's last state, unrestricted, is computed from the first one, whose ghosts are filled,
  /// by four calls; the state before the first one is overwritten. What comes before the solver:
  /// \return the CFL number, computed anew when the speeds change in time, else 0. When it is above
  /// the solver's limit the others must not be called.
  double begin_advance(const LevelStep& step, std::size_t slot) const;
  /// What the solver is handed.
  PatchAdvance hand_over(const LevelStep& step, std::size_t slot) const;
  /// The solver's part. It stands here so that its caller calls the solver itself.
  void advance(const PatchAdvance& one) const {
    if (has_list_kernel()) return solver_.advance_list({&one, 1});
    if (!one.fluxes) return solver_.advance(one.before, one.coefficients, one.after);
    solver_.advance_with_fluxes(one.before, one.coefficients, one.after, *one.fluxes);
  }
  /// The solver's part for patches of one level in the same step, for has_list_kernel().
  void advance_list(std::span<const PatchAdvance> list) const { solver_.advance_list(list); }
  /// What comes after the solver.
  void end_advance(const LevelStep& step, std::size_t slot) const;

  /// Fills the ghosts of the step's last state, for interpolation in time. Reads the siblings'
  /// unrestricted last state, and what GhostExchange::fill() says of the level below.
  void fill_next_ghosts(const LevelStep& step, std::size_t slot) const;

  /// Makes the step's last state final, where StepRules::finishes(): takes over what the children
  /// have computed and, when fluxes are kept, what has flown to and from finer patches beside its
  /// points. The children, and those of the neighbours, have reached the same time.
  void finish(const LevelStep& step, std::size_t slot) const;

  /// The first point of a patch whose state the solver does not admit.
  std::optional<InnerPoint> inadmissible_point(int level, std::size_t slot, State state) const;
  /// The same after a piece of a step, which is looked at if it completes the step's last state.
  std::optional<InnerPoint> inadmissible_after(const Piece& piece) const;

  /// The error for a patch whose CFL number exceeds the solver's limit. Throws DeclarationError
  /// when that number does not fall with the step.
  CflError cfl_error(const Patch& patch, double time, double cfl) const;
  const std::string& solver_name() const { return solver_.traits().name; }
  double cfl_limit() const { return solver_.traits().cfl_limit; }
  bool serves(double cfl) const { return cfl <= cfl_limit(); }

 private:
  double cfl_of(const PatchId& id, double time, double base_dt,
                std::span<double> coefficients) const;
  double rescaled_cfl(Patch& patch, double time) const;
  double sound_cfl(const PatchId& id, double time, const char* member, double cfl,
                   bool case_is_sound) const;
  double step_of_level(int level, double base_dt) const;
  double keep_cfl(int level, std::size_t slot, State state, double time, double velocity_cfl) const;
  double larger_cfl(double velocity_cfl, const Patch& patch, State state,
                    std::span<const double> coefficients, double time) const;
  double state_cfl(const Patch& patch, State state, std::span<const double> coefficients,
                   double time) const;
  std::int64_t in_proportion(std::int64_t steps, double cfl) const;
  double end_time() const { return options_.end_time > 0.0 ? options_.end_time : case_.end_time(); }
  double dt_of(std::int64_t steps) const;
  std::int64_t smallest_steps(const PatchId& id, double time) const;
  void require_falling_state_cfl(const Patch& patch, double time) const;

  Hierarchy& hierarchy_;
  const Case& case_;
  const Solver& solver_;
  const GhostExchange& exchange_;
  TransferOperators transfer_;
  SimulationOptions options_;
  bool rescales_;  ///< whether a patch's velocity is evaluated once, and then rescaled
  StepRules rules_;
  // Who prepares a patch writes its own alone.
  mutable PatchTable<PatchMotion> motion_;
  mutable PointWatch watch_;                 ///< likewise
  mutable PatchTable<double> velocity_cfl_;  ///< those of the case's velocity alone
};

}  // namespace kumiko::amr
