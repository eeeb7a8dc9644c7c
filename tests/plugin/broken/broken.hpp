// Solvers with one defect each, and two without, for the tests of the conformance kit. The class is
// named as the file, in PascalCase.
#pragma once

#include <kumiko/amr/entry.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::broken {

amr::Entry<amr::Solver> changes_constants();
amr::Entry<amr::Solver> counts_calls();
amr::Entry<amr::Solver> depends_on_place();
amr::Entry<amr::Solver> faces_differ();
amr::Entry<amr::Solver> forgets_component();
amr::Entry<amr::Solver> hides_nan();
amr::Entry<amr::Solver> leaks_flux();
amr::Entry<amr::Solver> leans_right();
amr::Entry<amr::Solver> overstates_cfl();
amr::Entry<amr::Solver> overstates_order();
amr::Entry<amr::Solver> prefers_x();
amr::Entry<amr::Solver> reads_masked_layer();
amr::Entry<amr::Solver> reads_one_layer_more();
amr::Entry<amr::Solver> shares_scratch();
amr::Entry<amr::Solver> state_cfl_of_square();
amr::Entry<amr::Solver> throws_in_advance();
amr::Entry<amr::Solver> writes_beyond();
amr::Entry<amr::Solver> writes_coefficients();
amr::Entry<amr::Solver> writes_ghost();
amr::Entry<amr::Solver> wrong_declaration();
amr::Entry<amr::Solver> wrong_displacement();
amr::Entry<amr::Solver> wrong_tendency();

}  // namespace kumiko::broken
