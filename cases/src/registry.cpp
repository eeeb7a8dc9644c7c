#include <kumiko/cases/registry.hpp>

#include "zalesak.hpp"

namespace kumiko::cases {

const std::vector<CaseEntry>& case_entries() {
  static const std::vector<CaseEntry> entries = {zalesak_entry()};
  return entries;
}

}  // namespace kumiko::cases
