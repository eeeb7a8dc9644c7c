#include "commands/tell_restart.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "run/complete_run.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

void warn_without_sidecar(const Start& start) {
  if (!start.from || start.from->sidecar_fault.empty()) return;
  const Restart& from = *start.from;
  const std::string work =
      from.work_from.empty()
          ? fmt::format("seconds, steals, waits and imbalance count from base step {}",
                        from.checkpoint.run.step)
          : fmt::format("seconds, steals and imbalance are those of '{}'", from.work_from.string());
  const std::string keys =
      from.settings_from.empty()
          ? "have their defaults where --set does not give them"
          : fmt::format("are those of '{}' or of --set", from.settings_from.string());
  print_warning(
      "{}; {}{}", from.sidecar_fault, work,
      start.configuration.empty() ? ", and keys that do not determine the state " + keys : "");
}

void tell_restart(const Start& start, int step, bool has_summary) {
  const std::string file = start.from->file.string();
  const Setup& setup = start.setup;
  const bool stands_at_stop = setup.run.stop_step > 0 && step >= setup.run.stop_step &&
                              start.from->checkpoint.run.time < (1.0 - 1e-12) * setup.end_time();
  if (is_done(start) && stands_at_stop) {
    fmt::print(
        "the run in '{}' is at time.stop_step, base step {}: nothing is left to do; set "
        "time.stop_step=0 to continue to the end\n",
        start.path.string(), step);
  } else if (is_done_here(start) && !has_summary) {
    fmt::print("the run in '{}' has taken all its base steps, {}: its last files are left to do\n",
               start.path.string(), step);
  } else if (is_done_here(start)) {
    fmt::print("the run in '{}' is complete already: nothing is left to do after base step {}\n",
               start.path.string(), step);
  } else if (is_done(start)) {
    fmt::print(
        "'{}' is complete already, base step {}: nothing is left to do but its files in "
        "'{}'\n",
        file, step, start.path.string());
  } else {
    fmt::print("restarts from {}, base step {}\n", file, step);
    if (!start.changes.empty()) fmt::print("changed from there   {}\n", start.changes);
  }
  std::fflush(stdout);
}

}  // namespace kumiko::app
