// What the keys of table [amr] must be to each other.
#pragma once

#include <optional>
#include <string>

#include <kumiko/amr/parameter.hpp>

namespace kumiko::io {

/// A key whose value does not fit to another one, and why.
struct Refusal {
  std::string key;
  std::string message;
};

/// The first of the refinement's keys that does not fit; each value is in its own range already.
std::optional<Refusal> refused_refinement(const amr::ParameterSet& values);

}  // namespace kumiko::io
