// The check that all writers of uniform fields make first.
#pragma once

#include <kumiko/amr/require.hpp>
#include <kumiko/io/uniform_files.hpp>

namespace kumiko::io {

inline void require_names(const UniformState& state) {
  amr::require(state.names.size() == state.field.components.size(),
               "{} names are given for {} components of a uniform field", state.names.size(),
               state.field.components.size());
}

}  // namespace kumiko::io
