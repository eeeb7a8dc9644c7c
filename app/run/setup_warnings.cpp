#include "run/setup_warnings.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <kumiko/amr/flow_check.hpp>

#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// Warns of times of output after the end of the run.
void warn_of_late_output(const Setup& setup) {
  const double step = setup.options.steps > 0 ? setup.end_time() / setup.options.steps : 0.0;
  const double end = step > 0.0 ? step * setup.stop_step : setup.end_time();
  // The last state is also that of times up to half a step after it.
  const auto is_late = [&](double time) { return time > end + 0.5 * step; };
  if (is_late(setup.run.output_interval)) {
    print_warning(
        "output.interval is {}, but the run ends at t = {}; no file will be written for it",
        setup.run.output_interval, end);
  }
  const std::vector<double>& times = setup.run.output_times;
  const auto late = std::ranges::find_if(times, is_late);
  if (late == times.end()) return;
  print_warning("output.times has {}, but the run ends at t = {}; no file will be written for it",
                *late, end);
}

}  // namespace

void warn_of(const io::ConfigSource& source) {
  // Once, where a command runs a configuration many times.
  static std::set<std::string> told;
  for (const std::string& note : source.notes()) {
    if (told.insert(note).second) print_warning("{}", note);
  }
}

void warn_of(const Setup& setup) {
  warn_of(setup.source);
  warn_of_late_output(setup);
  if (setup.solver->traits().centring == amr::Centring::kCell) {
    if (const auto found = amr::contradiction(*setup.the_case)) {
      print_warning(
          "case '{}': its stream function contradicts its velocity at ({:g}, {:g}), t = {:g}: "
          "({:.4g}, {:.4g}) by differences, and ({:.4g}, {:.4g}); solver '{}' may use either. The "
          "velocity is (d psi/dy, -d psi/dx)",
          setup.run.case_name, found->x, found->y, found->time, found->by_stream[0],
          found->by_stream[1], found->velocity[0], found->velocity[1], setup.solver->traits().name);
    }
  }
  const amr::Equation asked = setup.the_case->equation();
  const amr::Equation solved = setup.solver->equation();
  if (asked == solved) return;
  print_warning(
      "case '{}' asks for the equation {}, but solver '{}' solves {}: the errors are those of "
      "another problem; {}",
      setup.run.case_name, amr::to_string(asked), setup.solver->traits().name,
      amr::to_string(solved),
      asked.name == solved.name ? "give case and solver the same constants"
                                : "choose a solver of that equation");
}

void warn_of_past_times(const Setup& setup, const io::Checkpoint& from) {
  constexpr const char* kKey = "output.times";
  const std::vector<double>& times = setup.run.output_times;
  if (times.empty() || *std::ranges::max_element(times) > from.run.time) return;
  const bool are_written = from.sidecar && from.sidecar->configuration.contains(kKey) &&
                           from.sidecar->configuration.at(kKey) == setup.config.values().at(kKey);
  if (are_written) return;
  print_warning("{} has no time after the restart's, t = {:g}; no file will be written for it",
                kKey, from.run.time);
}

void warn_above_uniform(const Setup& setup, double fraction, std::string_view who) {
  if (setup.options.levels == 1 || fraction <= 1.0) return;
  print_warning(
      "{} {:.2f} times the point updates of the uniform finest grid, so refinement costs more than "
      "it saves; lower amr.levels, raise amr.threshold or lower amr.buffer",
      who, fraction);
}

}  // namespace kumiko::app
