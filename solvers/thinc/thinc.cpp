// Conservative advection of a volume fraction whose interface stays sharp.
#include <stdexcept>

#include <kumiko/amr/instruction_set.hpp>
#include <kumiko/plugin/plugin.hpp>

#include "flux_form_step.hpp"
#include "kernel.hpp"

namespace kumiko::solvers {

namespace {

/// ∂u/∂t + ∇·(v u) = 0 for cell averages u that are `low` or `high` but for cells that the
/// interface cuts. There the fluxes sweep a hyperbolic tangent (THINC: Xiao, Honma & Kono 2005,
/// Int. J. Numer. Methods Fluids 48) whose steepness along an axis is `beta` times the normal's
/// share of it (THINC/SW: Xiao, Ii & Chen 2011, J. Comput. Phys. 230); elsewhere they are the donor
/// cell's. The step is unsplit, as Lin & Rood's (1996) in flux_form_fct, with donor-cell half steps
/// across, and limited by Zalesak's limiter (1979): no value leaves the range of the nine around it
/// in a flow without divergence. CFL number as in flux_form_fct; its limit is 1.
class Thinc final : public flux_form::FluxFormSolver<thinc::kGhosts> {
 public:
  static amr::Description describe() {
    return {"thinc",
            "conservative interface-sharpening advection of a volume fraction (THINC)",
            {{"beta", 2.3, "steepness of the interface's profile, in 1/cells", 0.5, 6.0},
             {"low", 0.0, "value on one side of the interface"},
             {"high", 1.0, "value on the other side of the interface; above solver.low"},
             amr::choice("limiter", {"fct", "none"}, "fct",
                         "fct: no new extrema in any flow; none: nearly none")}};
  }

  explicit Thinc(const amr::ParameterSet& parameters)
      // What is smooth becomes a step: of no order.
      : FluxFormSolver(thinc::kGhosts, 0.0, false),
        limited_(parameters.text("limiter") == "fct"),
        kernel_(amr::select(&thinc::step_baseline, &thinc::step_avx2, &thinc::step_avx512)) {
    const double low = parameters.number("low");
    const double high = parameters.number("high");
    if (!(high > low)) throw std::invalid_argument("solver.high must be above solver.low");
    profile_ = {parameters.number("beta"), 0.5 * (low + high), 0.5 * (high - low)};
  }

 private:
  void advance_component(flux_form::Step step) const override {
    // What the donor cell lets seep into the bulk is not worth a patch's step.
    step.negligible = 1e-30 * profile_.half;
    kernel_(step, profile_, limited_);
  }

  bool limited_;
  thinc::Profile profile_{};
  thinc::Kernel kernel_;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::Thinc)
