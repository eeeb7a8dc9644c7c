#include <fmt/core.h>

#include <kumiko/amr/equation.hpp>

namespace kumiko::amr {

std::string to_string(const Equation& equation) {
  std::string text = equation.name;
  const char* joint = " with";
  for (const EquationConstant& constant : equation.constants) {
    text += fmt::format("{} {} = {}", joint, constant.name, constant.value);
    joint = ",";
  }
  return text;
}

}  // namespace kumiko::amr
