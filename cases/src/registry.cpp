#include <kumiko/cases/registry.hpp>

#include "zalesak.hpp"

namespace kumiko::cases {

const std::vector<CaseEntry>& case_entries() {
  static const std::vector<CaseEntry> entries = {zalesak_entry()};
  return entries;
}

const CaseEntry* find_case(std::string_view name) {
  for (const CaseEntry& entry : case_entries()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace kumiko::cases
