#include <fmt/core.h>

#include <kumiko/amr/patch_id.hpp>

namespace kumiko::amr {

std::string to_string(const PatchId& id) {
  return fmt::format("level {} patch ({}, {})", id.level, id.i, id.j);
}

}  // namespace kumiko::amr
