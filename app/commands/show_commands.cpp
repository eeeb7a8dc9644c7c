// kumiko solver show and kumiko case show: describes a solver or a case, with its keys.
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <kumiko/amr/equation.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/io/nearest.hpp>

#include "options/commands.hpp"
#include "run/shared_options.hpp"

namespace kumiko::app {

namespace {

struct ShowRequest {
  std::string name;
  std::vector<std::filesystem::path> plugin_path;
};

/// Abilities that a solver declares beyond advancing one patch, in words for its users.
std::vector<std::string> abilities(const amr::SolverTraits& traits) {
  std::vector<std::string> able;
  if (traits.flux_form) able.emplace_back("conserves mass across levels");
  if (traits.characteristic_ghosts) able.emplace_back("ghosts along characteristics");
  if (traits.tendency) able.emplace_back("ghosts by a parabola in time");
  if (traits.nonlinear) able.emplace_back("speeds that depend on the solution");
  if (traits.list_kernel) able.emplace_back("several patches at once");
  if (traits.weighted) able.emplace_back("patches of different cost");
  return able;
}

/// The factory of the requested name. Throws RequestError.
/// \param kind  "solver"
template <class Factories>
const auto& factory_to_show(const ShowRequest& request, const plugin::Registry& plugins,
                            const Factories& factories, std::string_view kind) {
  const std::vector<plugin::BrokenPlugin> broken = tell_of_plugins(plugins, request.plugin_path);
  if (!broken.empty()) throw RequestError(broken.front().reason);
  if (const auto* found = amr::find_factory(factories, request.name)) return *found;
  std::vector<std::string> names;
  for (const auto& factory : factories) names.push_back(factory.name);
  throw RequestError(
      "there is no {} '{}'; 'kumiko {} list' lists those found, and --plugin-path names folders "
      "with others{}{}",
      kind, request.name, kind, io::did_you_mean(request.name, names), skipped_in_words(plugins));
}

void print_keys(const char* table, const std::vector<amr::ParameterSpec>& parameters) {
  const std::string keys = describe_parameters(table, parameters);
  fmt::print("{}{}", keys.empty() ? "no keys of its own\n" : "keys, with their defaults here\n",
             keys);
}

int show_solver(const ShowRequest& request) {
  const auto plugins = find_plugins(request.plugin_path);
  const auto& found = factory_to_show(request, *plugins, plugins->solvers(), "solver");
  const std::unique_ptr<amr::Solver> solver = found.make(amr::defaults(found.parameters));
  const amr::SolverTraits& traits = solver->traits();
  fmt::print("solver {}: {}\n", found.name, found.help);
  fmt::print("file                 {}\n", found.file.string());
  fmt::print("equation             {}\n", amr::to_string(solver->equation()));
  fmt::print("values               {}\n",
             traits.centring == amr::Centring::kNode ? "at nodes" : "cell averages");
  if (traits.components > 0) fmt::print("components           {}\n", traits.components);
  if (traits.order > 0.0) fmt::print("order                {:g}\n", traits.order);
  fmt::print("largest CFL number   {:g}\n", traits.cfl_limit);
  fmt::print("ghost layers         {}\n", traits.ghosts);
  for (const std::string& able : abilities(traits)) fmt::print("with                 {}\n", able);
  print_keys("solver", found.parameters);
  return kDone;
}

std::string in_words(const amr::Boundary& side) {
  switch (side.kind) {
    case amr::BoundaryKind::kPeriodic:
      return "periodic";
    case amr::BoundaryKind::kFixedValue:
      return fmt::format("fixed value {:g}", side.value);
    case amr::BoundaryKind::kOutflow:
      return "outflow";
    case amr::BoundaryKind::kReflecting:
      return "reflecting wall";
    case amr::BoundaryKind::kPrescribed:
      return "prescribed values";
  }
  return "";
}

/// The functions that a case has beyond its initial values and velocity, in words for its users.
/// Calls them at one point of the domain.
std::vector<std::string> knowledge(const amr::Case& the_case) {
  const amr::Extent extent = the_case.extent();
  const std::array<double, 1> x{0.4375 * extent.x};
  const std::array<double, 1> y{0.5625 * extent.y};
  const amr::Points point{x, y};
  std::array<double, 1> first{};
  std::array<double, 1> second{};
  const double end = the_case.end_time();
  std::vector<std::string> known;
  if (the_case.stream_function(point, 0.0, first)) known.emplace_back("a stream function");
  if (the_case.exact_displacement(point, end, end, {first, second})) {
    known.emplace_back("exact displacements");
  }
  if (the_case.exact(point, 0, end, first)) known.emplace_back("the exact solution at the end");
  if (the_case.observe_every() > 0) {
    known.push_back(fmt::format("a look of its own, every {}",
                                the_case.observe_every() == 1
                                    ? "base step"
                                    : fmt::format("{} base steps", the_case.observe_every())));
  }
  if (!the_case.published_values().empty()) known.emplace_back("published values to compare with");
  return known;
}

/// Prints what a case is with the defaults of its keys. A case whose keys have no such defaults
/// says what it needs.
void print_by_defaults(const plugin::CaseFactory& found) {
  std::unique_ptr<amr::Case> the_case;
  try {
    the_case = found.make(amr::defaults(found.parameters));
  } catch (const std::invalid_argument& error) {
    fmt::print("by defaults          {}\n", error.what());
    return;
  }
  const amr::Extent extent = the_case->extent();
  const std::array<amr::Boundary, 4> sides = the_case->boundaries().sides();
  fmt::print("equation             {}\n", amr::to_string(the_case->equation()));
  fmt::print("domain               {:g} by {:g}\n", extent.x, extent.y);
  for (std::size_t at = 0; at < sides.size(); ++at) {
    fmt::print("{:<20} {}\n", amr::to_string(static_cast<amr::Side>(at)), in_words(sides[at]));
  }
  fmt::print("end                  t = {:g}\n", the_case->end_time());
  fmt::print("velocity             {}\n", the_case->steady_velocity() ? "steady" : "unsteady");
  fmt::print("components           {}\n", fmt::join(the_case->component_names(), ", "));
  for (const std::string& one : knowledge(*the_case)) fmt::print("knows                {}\n", one);
}

int show_case(const ShowRequest& request) {
  const auto plugins = find_plugins(request.plugin_path);
  const auto& found = factory_to_show(request, *plugins, plugins->cases(), "case");
  fmt::print("case {}: {}\n", found.name, found.help);
  fmt::print("file                 {}\n", found.file.string());
  print_by_defaults(found);
  print_keys("case", found.parameters);
  return kDone;
}

/// A command that describes the solver or the case of a name.
Action show_command(Options& options, const char* help, int (*show)(const ShowRequest&)) {
  const auto request = std::make_shared<ShowRequest>();
  options.add("NAME", &request->name, help, {.is_required = true});
  add_plugin_path(options, request->plugin_path);
  return [request, show] { return show(*request); };
}

}  // namespace

Action solver_show_command(Options& options) {
  return show_command(options, "the solver", show_solver);
}

Action case_show_command(Options& options) { return show_command(options, "the case", show_case); }

}  // namespace kumiko::app
