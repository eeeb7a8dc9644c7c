#include "run/from_state.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "run/run_summary.hpp"
#include "run/state_case.hpp"
#include "run/whole_state.hpp"
#include "terminal/counted.hpp"
#include "terminal/named_path.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

namespace fs = std::filesystem;

bool are_near(double a, double b) {
  constexpr double kTolerance = 1e-9;
  return std::abs(a - b) <= kTolerance * b;
}

std::string sides_in_words(const amr::Boundaries& sides) {
  if (sides.periodic_x() && sides.periodic_y()) return "periodic in x and y";
  if (sides.periodic_x()) return "periodic in x";
  return sides.periodic_y() ? "periodic in y" : "not periodic";
}

/// Refuses a state of another domain, or of other components.
void check_field(const fs::path& file, const io::Checkpoint& state, const Setup& setup) {
  const amr::Extent was = state.geometry->extent();
  const amr::Extent is = setup.the_case->extent();
  refuse_if(
      !are_near(was.x, is.x) || !are_near(was.y, is.y),
      "--from: '{}' has a domain of {:g} by {:g}, but that of case '{}' is {:g} by {:g}; name "
      "a state of that domain",
      file.string(), was.x, was.y, setup.run.case_name, is.x, is.y);
  const int components = static_cast<int>(state.field_names().size());
  const int wanted = setup.the_case->components();
  refuse_if(components != wanted,
            "--from: '{}' has {}, {}, but case '{}' has {}; name a state of a case with as many",
            file.string(), counted(components, "component"), fmt::join(state.field_names(), ", "),
            setup.run.case_name, wanted);
}

/// Refuses sides that are periodic elsewhere. A state does not hold them, but its case may be
/// there.
void check_sides(const fs::path& file, const StateCase& its_case, const Setup& setup) {
  if (its_case.made == nullptr) {
    print_warning(
        "--from: whether '{}' has sides like those of case '{}' is not known, since {}; name the "
        "folder of its case's plugin with --plugin-path, or make sure yourself",
        file.string(), setup.run.case_name, its_case.lack);
    return;
  }
  const std::string were = sides_in_words(its_case.made->boundaries());
  const std::string are = sides_in_words(setup.the_case->boundaries());
  refuse_if(were != are,
            "--from: '{}' is of case '{}', whose sides are {}, but those of case '{}' are {}; name "
            "a state of a case with such sides",
            file.string(), its_case.name, were, setup.run.case_name, are);
}

double begin_of(const fs::path& file, double time, const std::string& wanted, const Setup& setup) {
  if (wanted != "state") return 0.0;
  constexpr double kRounded = 1e-12;
  refuse_if(time >= (1.0 - kRounded) * setup.end_time(),
            "--from-time state: '{}' is at t = {:g}, and the run is to end at t = {:g}; set "
            "time.end to a later time, or leave out --from-time to begin at 0",
            file.string(), time, setup.end_time());
  return time;
}

/// True if a run has the exact solution of its case: it begins with a state of that case, at the
/// state's time.
bool has_exact(const io::Checkpoint& state, const StateCase& its_case, double begin,
               const Setup& setup) {
  const std::optional<io::BegunFrom>& before = state.attributes.begun_from;
  return begin == state.attributes.time && (!before || before->has_exact) &&
         its_case.name == setup.run.case_name &&
         its_case.parameters.values() == setup.config.case_parameters().values();
}

}  // namespace

FromState read_from_state(const fs::path& named, const std::string& time, Setup& setup) {
  const bool is_folder = type_of_named(named) == fs::file_type::directory;
  Restart whole = is_folder ? read_newest(named, kFromOption) : read_named(named, kFromOption);
  io::Checkpoint& state = whole.checkpoint;
  check_field(whole.file, state, setup);
  const StateCase its_case = case_of_state(*setup.plugins, state, whole.file);
  check_sides(whole.file, its_case, setup);
  const double begin = begin_of(whole.file, state.attributes.time, time, setup);
  setup.begun_from = io::BegunFrom{.file = whole.file.filename().string(),
                                   .case_name = its_case.name,
                                   .step = state.run.step,
                                   .time = state.attributes.time,
                                   .begun_at = begin,
                                   .has_exact = has_exact(state, its_case, begin, setup)};
  return {std::move(whole.file), {std::move(state.run), *state.geometry, begin}};
}

void note_masses(const FromState& from, const amr::Simulation& simulation, Setup& setup) {
  const amr::StoredDiagnostics stored = amr::diagnose(from.initial);
  const auto before = history_of(stored.field).initial_masses;
  const auto after = history_of(simulation.field_figures()).initial_masses;
  setup.begun_from->state_hash = stored.state_hash;
  for (std::size_t at = 0; at < after.size(); ++at) {
    setup.begun_from->mass.push_back({before[at].mass, after[at].mass, before[at].absolute});
  }
}

void tell_beginning(const FromState& from, const Setup& setup) {
  const io::BegunFrom& begun = *setup.begun_from;
  fmt::print("begins with          {}: base step {} of case {}, t = {:g}; here t = {:g}\n",
             from.file.string(), begun.step, begun.case_name, begun.time, begun.begun_at);
  const bool is_own = amr::is_on_own_grid(from.initial, setup.solver->traits(), setup.options);
  fmt::print("values               {}\n",
             is_own ? "those of the state, bit for bit, on its mesh"
                    : "interpolated from the state, on a mesh of the run's own");
  const std::vector<std::string> names = setup.the_case->component_names();
  for (std::size_t at = 0; at < begun.mass.size(); ++at) {
    const io::MassChange& mass = begun.mass[at];
    fmt::print(
        "mass{:<17}{:.15g}, and {:.15g} in the state: changed by {:.3e} of the integral of |u|\n",
        begun.mass.size() > 1 ? " of " + names[at] : "", mass.after, mass.before, mass.relative());
  }
  if (!begun.has_exact) {
    fmt::print("errors               none: the case's exact solution is not that of this state\n");
  }
  std::fflush(stdout);
}

}  // namespace kumiko::app
