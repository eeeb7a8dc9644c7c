// In place of formula_grammar.cpp where muParser is missing.
#include "formula_grammar.hpp"

namespace kumiko::cases::formula {

bool formulas_available() { return false; }

NodeId parse(Graph&, const Names&, std::string_view) {
  throw FormulaError(0, "this build reads no formulas; see formulas_available()");
}

}  // namespace kumiko::cases::formula
