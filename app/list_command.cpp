#include <fmt/core.h>

#include "request.hpp"

namespace kumiko::app {

namespace {

/// Names what there is, with the file of what did not come with Kumiko, and what is broken.
template <class Entries>
int list(const Entries& entries, const plugin::Registry& plugins) {
  for (const auto& entry : entries) {
    fmt::print("{:<24} {}", entry.name, entry.help);
    if (entry.file.parent_path() != plugin::shipped_plugins()) {
      fmt::print(" ({})", entry.file.string());
    }
    fmt::print("\n");
  }
  for (const plugin::BrokenPlugin& broken : plugins.broken()) {
    error_line(broken.reason, kWrongRequest);
  }
  return plugins.broken().empty() ? kDone : kWrongRequest;
}

}  // namespace

int solver_list_command(const Request& request) {
  return list(request.plugins->solvers(), *request.plugins);
}

int case_list_command(const Request& request) {
  return list(request.plugins->cases(), *request.plugins);
}

}  // namespace kumiko::app
