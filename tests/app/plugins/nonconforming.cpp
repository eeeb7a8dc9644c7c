// Wrong: what the conformance kit has to find, one defect in each; of the defects of
// tests/solvers/broken, one or two for each check.
#include <kumiko/plugin/plugin.hpp>

#include "changes_constants.cpp"
#include "counts_calls.cpp"
#include "depends_on_place.cpp"
#include "faces_differ.cpp"
#include "forgets_component.cpp"
#include "hides_nan.cpp"
#include "leans_right.cpp"
#include "overstates_cfl.cpp"
#include "overstates_order.cpp"
#include "reads_one_layer_more.cpp"
#include "state_cfl_of_square.cpp"
#include "throws_in_advance.cpp"
#include "writes_coefficients.cpp"
#include "wrong_declaration.cpp"
#include "wrong_displacement.cpp"
#include "wrong_tendency.cpp"

using namespace kumiko::broken;

KUMIKO_PLUGIN(ChangesConstants, CountsCalls, DependsOnPlace, FacesDiffer, ForgetsComponent,
              HidesNan, LeansRight, OverstatesCfl, OverstatesOrder, ReadsOneLayerMore,
              StateCflOfSquare, ThrowsInAdvance, WritesCoefficients, WrongDeclaration,
              WrongDisplacement, WrongTendency)
