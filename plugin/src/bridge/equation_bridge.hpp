// Passes equations across the C interface.
#pragma once

#include <kumiko/amr/equation.hpp>
#include <kumiko/plugin/plugin_abi.h>

namespace kumiko::plugin::detail {

inline void give(const amr::Equation& equation, const kumiko_equation_taker& taker) {
  taker.name(&taker, equation.name.c_str());
  for (const amr::EquationConstant& constant : equation.constants) {
    taker.constant(&taker, constant.name.c_str(), constant.value);
  }
}

/// A taker that fills an equation without constants, which outlives it.
inline kumiko_equation_taker taker_into(amr::Equation& equation) {
  return {.size = sizeof(kumiko_equation_taker),
          .name =
              [](const kumiko_equation_taker* self, const char* name) {
                static_cast<amr::Equation*>(self->target)->name = name == nullptr ? "" : name;
              },
          .constant =
              [](const kumiko_equation_taker* self, const char* name, double value) {
                static_cast<amr::Equation*>(self->target)
                    ->constants.push_back({name == nullptr ? "" : name, value});
              },
          .target = &equation};
}

}  // namespace kumiko::plugin::detail
