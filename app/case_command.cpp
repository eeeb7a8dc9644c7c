#include <fmt/core.h>

#include <kumiko/cases/registry.hpp>

#include "request.hpp"

namespace kumiko::app {

int case_list_command() {
  for (const cases::CaseEntry& entry : cases::case_entries()) {
    fmt::print("{:<24} {}\n", entry.name, entry.help);
  }
  return kDone;
}

}  // namespace kumiko::app
