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
class FluxFormFct final : public flux_form::FluxFormSolver<fct::ghosts(9)> {
 public:
  static amr::Description describe() {
    return {"flux_form_fct",
            "conservative flux-form advection of high order with Zalesak's multidimensional FCT "
            "limiter",
            {amr::choice("order", {"3", "5", "7", "9"}, "5",
                         "order of accuracy of the fluxes in space"),
             amr::choice("limiter", {"fct", "none"}, "fct",
                         "fct: no new extrema; none: overshoots at jumps")}};
  }

  explicit FluxFormFct(const amr::ParameterSet& parameters)
      : FluxFormFct(std::stoi(parameters.text("order")), parameters.text("limiter") == "fct") {}

 private:
  FluxFormFct(int order, bool limited)
      : FluxFormSolver(fct::ghosts(order), 2.0, true),
        order_(order),
        limited_(limited),
        kernel_(amr::select(&fct::step_baseline, &fct::step_avx2, &fct::step_avx512)) {}

  void advance_component(flux_form::Step step) const override { kernel_(step, order_, limited_); }

  int order_;
  bool limited_;
  fct::Kernel kernel_;
};

}  // namespace

}  // namespace kumiko::solvers

KUMIKO_PLUGIN(kumiko::solvers::FluxFormFct)
