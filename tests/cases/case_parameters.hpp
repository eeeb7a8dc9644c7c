// The parameters with which tests of all shipped cases make them.
#pragma once

#include <string>

#include <kumiko/amr/parameter.hpp>

#include "formula_grammar.hpp"

namespace kumiko::cases {

/// False for the case of formulas in a build that reads none.
inline bool can_be_made(const std::string& name) {
  return name != "expression" || formula::formulas_available();
}

/// The defaults; for the case of formulas, which has none, a hill in solid rotation.
inline amr::ParameterSet parameters_of(const std::string& name) {
  amr::ParameterSet parameters;
  if (name != "expression") return parameters;
  const auto set = [&](const char* key, const char* formula) {
    parameters.set(key, std::string(formula));
  };
  set("definitions",
      "turned_x = cos(t)*(x - 0.5) + sin(t)*(y - 0.5); "
      "turned_y = cos(t)*(y - 0.5) - sin(t)*(x - 0.5)");
  set("initial", "exp(-((x - 0.5)^2 + (y - 0.75)^2) / 0.02)");
  set("exact", "exp(-(turned_x^2 + (turned_y - 0.25)^2) / 0.02)");
  set("stream_function", "-((x - 0.5)^2 + (y - 0.5)^2) / 2");
  set("displacement_x", "sin(tau)*(y - 0.5) - 2*sin(tau/2)^2*(x - 0.5)");
  set("displacement_y", "-sin(tau)*(x - 0.5) - 2*sin(tau/2)^2*(y - 0.5)");
  return parameters;
}

}  // namespace kumiko::cases
