// Conservative advection of a volume fraction whose interface stays sharp.
#include <stdexcept>
#include <string>

#include <kumiko/amr/instruction_set.hpp>
#include <kumiko/plugin/plugin.hpp>

#include "flux_form_step.hpp"
#include "kernel.hpp"

namespace kumiko::solvers {

namespace {

using thinc::kGhosts;

/// ∂u/∂t + ∇·(v u) = 0 for cell averages u that are `low` or `high` but for cells that the
/// interface cuts. There the fluxes sweep a hyperbolic tangent (THINC: Xiao, Honma & Kono 2005,
/// Int. J. Numer. Methods Fluids 48) whose steepness along an axis is `beta` times the normal's
/// share of it (THINC/SW: Xiao, Ii & Chen 2011, J. Comput. Phys. 230); elsewhere they are the donor
/// cell's. The step is unsplit, as Lin & Rood's (1996) in flux_form_fct, with donor-cell half steps
/// across, and limited by Zalesak's limiter (1979): no value leaves the range of the nine around it
/// in a flow without divergence. CFL number as in flux_form_fct; its limit is 1.
class Thinc final : public amr::Solver {
 public:
  static amr::Description describe() {
    return {"thinc",
            "conservative interface-sharpening advection of a volume fraction (THINC)",
            {{.name = "beta",
              .default_value = 2.3,
              .help = "steepness of the interface's profile, in 1/cells",
              .minimum = 0.5,
              .maximum = 6.0},
             {.name = "low", .default_value = 0.0, .help = "value on one side of the interface"},
             {.name = "high",
              .default_value = 1.0,
              .help = "value on the other side of the interface; above solver.low"},
             {.name = "limiter",
              .default_value = std::string("fct"),
              .help = "fct: no new extrema in any flow; none: nearly none",
              .choices = {"fct", "none"}}}};
  }

  explicit Thinc(const amr::ParameterSet& parameters)
      : limited_(parameters.text("limiter") == "fct"),
        kernel_(amr::select(&thinc::step_baseline, &thinc::step_avx2, &thinc::step_avx512)) {
    const double low = parameters.number("low");
    const double high = parameters.number("high");
    if (!(high > low)) throw std::invalid_argument("solver.high must be above solver.low");
    profile_ = {parameters.number("beta"), 0.5 * (low + high), 0.5 * (high - low)};
    traits_.centring = amr::Centring::kCell;
    traits_.ghosts = kGhosts;
    traits_.cfl_limit = 1.0;
    traits_.order = 0.0;  // what is smooth becomes a step
    traits_.flux_form = true;
  }

  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return flux_form::coefficients(kGhosts); }

  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    return flux_form::prepare_step(problem, patch, time, dt, kGhosts, coefficients);
  }

  void advance(amr::ConstPatchView before, std::span<const double> coefficients,
               amr::PatchView after) const override {
    flux_form::Fluxes fluxes;
    for (int component = 0; component < before.components(); ++component) {
      step(before, coefficients, component, after, fluxes);
    }
  }

  void advance_with_fluxes(amr::ConstPatchView before, std::span<const double> coefficients,
                           amr::PatchView after, amr::FaceFluxes to) const override {
    flux_form::Fluxes fluxes;
    for (int component = 0; component < before.components(); ++component) {
      step(before, coefficients, component, after, fluxes);
      flux_form::copy_lines(fluxes, coefficients[0], component, to);
    }
  }

 private:
  void step(amr::ConstPatchView before, std::span<const double> coefficients, int component,
            amr::PatchView after, flux_form::Fluxes& fluxes) const {
    // What the donor cell lets seep into the bulk is not worth a patch's step.
    const double negligible = 1e-30 * profile_.half;
    kernel_(flux_form::step_of(before, coefficients, kGhosts, component, after, fluxes, negligible),
            profile_, limited_);
  }

  amr::SolverTraits traits_;
  bool limited_;
  thinc::Profile profile_{};
  thinc::Kernel kernel_;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::Thinc)
