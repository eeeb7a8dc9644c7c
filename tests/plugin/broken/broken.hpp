// Solvers with one defect each, and two without, for the tests of the conformance kit. The class is
// named as the file, in PascalCase.
#pragma once

#include <kumiko/amr/factory.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::broken {

amr::Factory<amr::Solver> changes_constants();
amr::Factory<amr::Solver> counts_calls();
amr::Factory<amr::Solver> depends_on_place();
amr::Factory<amr::Solver> divides_by_slope();
amr::Factory<amr::Solver> faces_differ();
amr::Factory<amr::Solver> forgets_component();
amr::Factory<amr::Solver> forgets_weight();
amr::Factory<amr::Solver> hides_nan();
amr::Factory<amr::Solver> leaks_flux();
amr::Factory<amr::Solver> leans_right();
amr::Factory<amr::Solver> list_differs();
amr::Factory<amr::Solver> lists_share_scratch();
amr::Factory<amr::Solver> makes_nan();
amr::Factory<amr::Solver> negative_cfl();
amr::Factory<amr::Solver> overstates_cfl();
amr::Factory<amr::Solver> overstates_order();
amr::Factory<amr::Solver> prefers_x();
amr::Factory<amr::Solver> reads_beyond_coefficients();
amr::Factory<amr::Solver> reads_masked_layer();
amr::Factory<amr::Solver> reads_one_layer_more();
amr::Factory<amr::Solver> rescales_otherwise();
amr::Factory<amr::Solver> seams_differ();
amr::Factory<amr::Solver> shares_scratch();
amr::Factory<amr::Solver> state_cfl_of_square();
amr::Factory<amr::Solver> throws_in_advance();
amr::Factory<amr::Solver> undercounts_coefficients();
amr::Factory<amr::Solver> writes_beyond();
amr::Factory<amr::Solver> writes_beyond_coefficients();
amr::Factory<amr::Solver> writes_coefficients();
amr::Factory<amr::Solver> writes_ghost();
amr::Factory<amr::Solver> wrong_declaration();
amr::Factory<amr::Solver> wrong_displacement();
amr::Factory<amr::Solver> wrong_sign();
amr::Factory<amr::Solver> wrong_tendency();

}  // namespace kumiko::broken
