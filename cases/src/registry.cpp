#include <kumiko/cases/registry.hpp>

#include "burgers.hpp"
#include "gaussian.hpp"
#include "vortex.hpp"
#include "zalesak.hpp"

namespace kumiko::cases {

const std::vector<CaseEntry>& case_entries() {
  static const std::vector<CaseEntry> entries = {burgers_entry(), zalesak_entry(), gaussian_entry(),
                                                 vortex_entry()};
  return entries;
}

}  // namespace kumiko::cases
