// The step of the solver in flux form with a limiter, compiled once for each instruction set.
#pragma once

#include "step.hpp"

namespace kumiko::solvers::fct {

/// Layers of ghosts that a step of an order reads. The limiter asks for one layer of cells more,
/// and the tendency at kTendencyGhosts for 4.
constexpr int ghosts(int order) { return order < 7 ? 4 : (order + 3) / 2; }

/// `velocities` must reach as many layers as the ghosts.
/// \param order  of the fluxes: 3, 5, 7 or 9
using Kernel = void (*)(const flux_form::Step& step, int order, bool limited);

/// All three give the same bits: the arithmetic of a cell has one order, without fused
/// multiply-adds. Of order 5 a flux costs about 35 flops and 3 blends; a patch takes 342 of them
/// along each axis and half as dear ones, 456 and 513, for the half steps across; the limiter about
/// 60 flops a cell.
void step_baseline(const flux_form::Step& step, int order, bool limited);
void step_avx2(const flux_form::Step& step, int order, bool limited);
void step_avx512(const flux_form::Step& step, int order, bool limited);

}  // namespace kumiko::solvers::fct
