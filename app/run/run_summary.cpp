#include "run/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>

#include <fmt/core.h>

#include <kumiko/io/read_number.hpp>

#include "run/progress.hpp"
#include "run/ranks.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// The figures of each component; of a field with one component, those of the field.
std::span<const amr::FieldFigures> components_of(const amr::FieldFigures& field) {
  return field.components.empty() ? std::span(&field, 1) : std::span(field.components);
}

/// The change of the mass of each component, in units of its initial integral of |u|.
std::vector<std::optional<double>> drifts_of(const amr::FieldFigures& field,
                                             const std::vector<io::ComponentMass>& initial) {
  const std::span<const amr::FieldFigures> components = components_of(field);
  std::vector<std::optional<double>> drifts(components.size());
  for (std::size_t at = 0; at < initial.size(); ++at) {
    if (!(initial[at].absolute > 0.0)) continue;
    drifts.at(at) = (components[at].mass - initial[at].mass) / initial[at].absolute;
  }
  return drifts;
}

/// Warns of values that are finite but have grown far too much.
void warn_of_growth(const Setup& setup, const amr::FieldFigures& field,
                    const std::vector<io::ComponentMass>& initial, double largest_cfl) {
  constexpr double kBeyondSense = 1e3;
  const std::span<const amr::FieldFigures> components = components_of(field);
  for (std::size_t at = 0; at < initial.size(); ++at) {
    const double growth = components[at].absolute_mass / initial[at].absolute;
    if (!(initial[at].absolute > 0.0) || !(growth > kBeyondSense)) continue;
    erase_progress();
    print_warning(
        "solver '{}', {} points in x: the integral of |{}| is {:.2g} times that of the run's first "
        "state; if the equation does not ask for that, the run is unstable; {}",
        setup.solver->traits().name, setup.options.points_x, setup.the_case->component_names()[at],
        growth,
        largest_cfl > 0.0
            ? fmt::format("take shorter steps, by a lower time.cfl or more time.steps, or another "
                          "solver; if the largest CFL number, {:.3g}, is not the flow's, mend what "
                          "the solver's prepare() returns",
                          largest_cfl)
            : "the solver gives all patches the CFL number 0, as if nothing moved: mend what its "
              "prepare() returns");
  }
}

/// The levels that a run had before a restart that has changed keys, if that changed them.
std::optional<int> levels_before(std::string_view changes) {
  constexpr std::string_view kKey = "amr.levels: ";
  const std::size_t key = changes.find(kKey);
  if (key == changes.npos) return {};
  changes.remove_prefix(key + kKey.size());
  return io::read_number<int>(changes.substr(0, changes.find(' ')));
}

/// As io::RunHistory has it.
double uniform_updates_beyond(const Start& start) {
  const Setup& setup = start.setup;
  int until = start.from->checkpoint.run.step;
  std::vector<io::Ancestor> restarts = start.from->checkpoint.attributes.lineage;
  restarts.push_back({until, {}, start.changes});
  restarts.insert(restarts.begin(), io::Ancestor{});  // the run's begin
  int levels = setup.options.levels;
  double beyond = 0.0;
  for (auto each = restarts.rbegin(); each != restarts.rend(); ++each) {
    const int steps = until - each->step;
    beyond += setup.uniform_updates(steps, levels) - setup.uniform_updates(steps);
    until = each->step;
    levels = levels_before(each->keys).value_or(levels);
  }
  return beyond;
}

}  // namespace

io::RunHistory history_of(const amr::FieldFigures& field) {
  io::RunHistory history;
  for (const amr::FieldFigures& component : components_of(field)) {
    history.initial_masses.push_back({component.mass, component.absolute_mass});
  }
  return history;
}

std::optional<io::RunHistory> past_of(const Start& start) {
  if (!start.from) return std::nullopt;
  io::RunHistory past{.initial_masses = start.from->checkpoint.attributes.initial_masses,
                      .uniform_updates_beyond = uniform_updates_beyond(start)};
  if (const std::optional<io::Sidecar>& sidecar = start.from->checkpoint.sidecar) {
    past.wall_s = sidecar->wall_s;
    past.reached = sidecar->reached;
  }
  return past;
}

io::RunSummary summary_of(const Setup& setup, const amr::Backend& backend,
                          const amr::Simulation& simulation, const io::RunHistory& history) {
  io::RunSummary summary;
  summary.field = simulation.field_figures();
  if (!summary.field.finite) {
    throw std::runtime_error(
        "the final field has values that are not finite; the case or the solver is not stable as "
        "configured");
  }
  summary.case_name = setup.run.case_name;
  summary.solver = setup.solver->traits().name;
  summary.backend = backend.name();
  summary.workers = simulation.workers();
  summary.schedule = simulation.schedule();
  summary.steps = simulation.step();
  summary.time = simulation.time();
  summary.end_time = simulation.end_time();
  summary.wall_s = history.wall_s;
  if (!setup.begun_from || setup.begun_from->has_exact) summary.errors = simulation.error_norms();
  if (summary.errors && !std::isfinite(summary.errors->rms)) {
    print_warning(
        "case '{}': its exact() gives values that are not finite at t = {:g}, so that the "
        "errors say nothing",
        setup.run.case_name, simulation.time());
  }
  summary.component_names = setup.the_case->component_names();
  summary.mass_drifts = drifts_of(summary.field, history.initial_masses);
  warn_of_growth(setup, summary.field, history.initial_masses, simulation.counters().largest_cfl);
  summary.open_domain = setup.the_case->boundaries().is_open();
  summary.work = simulation.counters();
  summary.fraction_of_uniform =
      static_cast<double>(summary.work.updates()) /
      (setup.uniform_updates(simulation.step()) + history.uniform_updates_beyond);
  summary.patches_per_level = patches_per_level(simulation);
  summary.unnested_patches = simulation.unnested_patches();
  summary.memory = simulation.memory_use();
  summary.peak_rss_bytes = io::peak_rss_bytes();
  summary.state_hash = simulation.state_hash();
  summary.begun_from = setup.begun_from;
  summary.config = setup.config.values();
  return summary;
}

void add_ranks(const amr::Simulation& simulation, Ranks& ranks,
               const std::vector<amr::WorkerLoad>& before, io::RunSummary& summary) {
  const std::vector<amr::WorkerLoad> loads = loads_by_rank(simulation);
  for (const Ranks::Process& process : ranks.processes()) {
    const std::size_t at = summary.ranks.size();
    io::RankSummary rank;
    rank.host = process.host;
    rank.workers = simulation.workers_by_rank()[at];
    rank.load = loads[at];
    rank.load -= before[at];
    const auto number = static_cast<std::int32_t>(summary.ranks.size());
    const amr::Mesh<2>& mesh = simulation.hierarchy().mesh();
    for (int level = 0; level < mesh.levels(); ++level) {
      rank.patches += static_cast<std::size_t>(std::ranges::count(mesh.ranks(level), number));
    }
    rank.messages = process.statistics.messages_sent;
    rank.bundles = process.statistics.frames_sent;
    rank.bytes = process.statistics.bytes_sent;
    rank.peak_rss_bytes = process.peak_rss_bytes;
    rank.preempted = process.preempted;
    summary.ranks.push_back(rank);
  }
  if (summary.ranks.empty()) return;
  summary.peak_rss_bytes = 0;
  for (const io::RankSummary& rank : summary.ranks) summary.peak_rss_bytes += rank.peak_rss_bytes;
  summary.moved_patches = simulation.moved_patches();
}

std::vector<std::size_t> patches_per_level(const amr::Simulation& simulation) {
  std::vector<std::size_t> patches;
  for (int level = 0; level < simulation.hierarchy().max_levels(); ++level) {
    patches.push_back(simulation.hierarchy().level(level).size());
  }
  return patches;
}

std::vector<amr::WorkerLoad> loads_by_rank(const amr::Simulation& simulation) {
  std::vector<amr::WorkerLoad> loads;
  auto worker = simulation.counters().workers.begin();
  for (const int workers : simulation.workers_by_rank()) {
    amr::WorkerLoad& load = loads.emplace_back();
    for (int own = 0; own < workers; ++own) load += *worker++;
  }
  return loads;
}

}  // namespace kumiko::app
