#include "flux_form_fct.hpp"

#include <string>

#include <kumiko/amr/instruction_set.hpp>

#include "flux_form_step.hpp"
#include "kernel.hpp"

namespace kumiko::solvers {

namespace {

class FluxFormFct final : public amr::Solver {
 public:
  static amr::Description describe() {
    return {"flux_form_fct",
            "conservative flux-form advection of high order with Zalesak's multidimensional FCT "
            "limiter",
            {{.name = "order",
              .default_value = std::string("5"),
              .help = "of the fluxes in space",
              .choices = {"3", "5", "7", "9"}},
             {.name = "limiter",
              .default_value = std::string("fct"),
              .help = "fct: no new extrema; none: overshoots at jumps",
              .choices = {"fct", "none"}}}};
  }

  explicit FluxFormFct(const amr::ParameterSet& parameters)
      : order_(std::stoi(parameters.text("order"))),
        limited_(parameters.text("limiter") == "fct"),
        kernel_(amr::select(&fct::step_baseline, &fct::step_avx2, &fct::step_avx512)) {
    traits_.name = "flux_form_fct";
    traits_.centring = amr::Centring::kCell;
    traits_.ghosts = fct::ghosts(order_);
    traits_.cfl_limit = 1.0;
    traits_.order = 2.0;
    traits_.flux_form = true;
    traits_.tendency = true;
  }

  const amr::SolverTraits& traits() const override { return traits_; }
  std::size_t coefficients() const override { return flux_form::coefficients(traits_.ghosts); }

  double prepare(const amr::Case& problem, const amr::PatchPoints& patch, double time, double dt,
                 std::span<double> coefficients) const override {
    return flux_form::prepare_step(problem, patch, time, dt, traits_.ghosts, coefficients);
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

  void tendency(amr::ConstPatchView state, std::span<const double> coefficients,
                const amr::PointRange& range, amr::PatchView tendency) const override {
    flux_form::upwind_tendency(state, coefficients, traits_.ghosts, range, tendency);
  }

 private:
  void step(amr::ConstPatchView before, std::span<const double> coefficients, int component,
            amr::PatchView after, flux_form::Fluxes& fluxes) const {
    kernel_(flux_form::step_of(before, coefficients, traits_.ghosts, component, after, fluxes),
            order_, limited_);
  }

  amr::SolverTraits traits_;
  int order_;
  bool limited_;
  fct::Kernel kernel_;
};

}  // namespace

SolverEntry flux_form_fct_entry() { return amr::make_entry<amr::Solver, FluxFormFct>(); }

}  // namespace kumiko::solvers
