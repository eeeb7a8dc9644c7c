// Conservative advection of cell averages, high order, without new extrema.
#include <string>

#include <kumiko/amr/instruction_set.hpp>
#include <kumiko/plugin/plugin.hpp>

#include "flux_form_step.hpp"
#include "kernel.hpp"

namespace kumiko::solvers {

namespace {

/// ∂u/∂t + ∇·(v u) = 0 for cell averages u, in one step of Lin & Rood (1996, Mon. Weather Rev.
/// 124):
///   u' = u + F(u + g(u)/2) + G(u + f(u)/2),
/// F, G the changes by one-dimensional fluxes along x and y, f, g the same in advective form. A
/// flux is the integral over the length swept in the step of the polynomial that has the averages
/// of `order` cells around the upwind one. Fluxes are limited as Zalesak (1979, J. Comput. Phys.
/// 31) does, between them and the donor cell's: no value leaves the range of the nine around it, of
/// old and donor-cell values, in a flow without divergence.
///
/// Velocities are those of the middle of the step: second order in time, of the stated order in
/// constant flow. CFL number: the largest |v_x| Δt/h plus the largest |v_y| Δt/h at a cell's faces;
/// the donor cell's limit, 1, is declared.
class FluxFormFct final : public amr::Solver {
 public:
  static amr::Description describe() {
    return {"flux_form_fct",
            "conservative flux-form advection of high order with Zalesak's multidimensional FCT "
            "limiter",
            {{.name = "order",
              .default_value = std::string("5"),
              .help = "order of accuracy of the fluxes in space",
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

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::FluxFormFct)
