#include <kumiko/cases/registry.hpp>

#include "channel.hpp"
#include "deformation.hpp"
#include "dyes.hpp"
#include "gaussian.hpp"
#include "vortex.hpp"
#include "zalesak.hpp"

namespace kumiko::cases {

const std::vector<CaseEntry>& case_entries() {
  static const std::vector<CaseEntry> entries = {channel_entry(), deformation_entry(),
                                                 dyes_entry(),    gaussian_entry(),
                                                 vortex_entry(),  zalesak_entry()};
  return entries;
}

}  // namespace kumiko::cases
