// kumiko solver and kumiko case: lists of them, a new one to begin with, and a plugin's check.
#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <kumiko/amr/equation.hpp>
#include <kumiko/amr/solver.hpp>
#include <kumiko/io/nearest.hpp>
#include <kumiko/io/shell_word.hpp>
#include <kumiko/plugin/conformance.hpp>
#include <kumiko/plugin/templates.hpp>

#include "options/commands.hpp"
#include "options/prefix.hpp"
#include "run/progress.hpp"
#include "run/shared_options.hpp"
#include "terminal/named_path.hpp"
#include "terminal/programs.hpp"
#include "terminal/saved_results.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

using Json = nlohmann::ordered_json;

bool is_shipped(const std::filesystem::path& file) {
  return file.parent_path() == plugin::shipped_plugins();
}

struct ListRequest {
  std::vector<std::filesystem::path> plugin_path;
  bool json = false;
};

/// Names what there is, with the file of what did not come with Kumiko, and what is broken.
template <class Factories>
int list(const Factories& factories, const plugin::Registry& plugins, const ListRequest& request) {
  Json json = Json::array();
  for (const auto& factory : factories) {
    const std::string file = factory.file.string();
    if (request.json) {
      json.push_back({{"name", factory.name}, {"help", factory.help}, {"file", file}});
    } else {
      fmt::print("{:<24} {}{}\n", factory.name, factory.help,
                 is_shipped(factory.file) ? "" : fmt::format(" ({})", file));
    }
  }
  if (request.json) fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  const std::vector<plugin::BrokenPlugin> broken = tell_of_plugins(plugins, request.plugin_path);
  for (const plugin::BrokenPlugin& each : broken) error_line(each.reason, kWrongRequest);
  return broken.empty() ? kDone : kWrongRequest;
}

/// A command that lists what `factories` finds among the plugins.
template <class Factories>
Action list_command(Options& options, Factories factories) {
  const auto request = std::make_shared<ListRequest>();
  add_plugin_path(options, request->plugin_path);
  options.add("--json", &request->json, "as JSON: a list of name, help and file");
  return [request, factories] {
    const auto plugins = find_plugins(request->plugin_path);
    return list(factories(*plugins), *plugins, *request);
  };
}

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

/// A factory by its name, of those that `factories` finds among the plugins.
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

/// A case's knowledge beyond its initial values and velocity, in words for its users. Asks it at
/// one point of the domain.
std::vector<std::string> knowledge(const amr::Case& problem) {
  const amr::Extent extent = problem.extent();
  const std::array<double, 1> x{0.4375 * extent.x};
  const std::array<double, 1> y{0.5625 * extent.y};
  const amr::Points point{x, y};
  std::array<double, 1> first{};
  std::array<double, 1> second{};
  const double end = problem.end_time();
  std::vector<std::string> known;
  if (problem.stream_function(point, 0.0, first)) known.emplace_back("a stream function");
  if (problem.exact_displacement(point, end, end, {first, second})) {
    known.emplace_back("exact displacements");
  }
  if (problem.exact(point, 0, end, first)) known.emplace_back("the exact solution at the end");
  if (problem.observe_every() > 0) {
    known.push_back(fmt::format("a look of its own, every {}",
                                problem.observe_every() == 1
                                    ? "base step"
                                    : fmt::format("{} base steps", problem.observe_every())));
  }
  if (!problem.published_values().empty()) known.emplace_back("published values to compare with");
  return known;
}

int show_case(const ShowRequest& request) {
  const auto plugins = find_plugins(request.plugin_path);
  const auto& found = factory_to_show(request, *plugins, plugins->cases(), "case");
  const std::unique_ptr<amr::Case> problem = found.make(amr::defaults(found.parameters));
  const amr::Extent extent = problem->extent();
  const std::array<amr::Boundary, 4> sides = problem->boundaries().sides();
  fmt::print("case {}: {}\n", found.name, found.help);
  fmt::print("file                 {}\n", found.file.string());
  fmt::print("equation             {}\n", amr::to_string(problem->equation()));
  fmt::print("domain               {:g} by {:g}\n", extent.x, extent.y);
  for (std::size_t at = 0; at < sides.size(); ++at) {
    fmt::print("{:<20} {}\n", amr::to_string(static_cast<amr::Side>(at)), in_words(sides[at]));
  }
  fmt::print("end                  t = {:g}\n", problem->end_time());
  fmt::print("velocity             {}\n", problem->steady_velocity() ? "steady" : "unsteady");
  fmt::print("components           {}\n", fmt::join(problem->component_names(), ", "));
  for (const std::string& one : knowledge(*problem)) fmt::print("knows                {}\n", one);
  print_keys("case", found.parameters);
  return kDone;
}

/// A command that shows what a name stands for.
Action show_command(Options& options, const char* help, int (*show)(const ShowRequest&)) {
  const auto request = std::make_shared<ShowRequest>();
  options.add("NAME", &request->name, help, {.is_required = true});
  add_plugin_path(options, request->plugin_path);
  return [request, show] { return show(*request); };
}

struct NewRequest {
  std::string name;
  std::filesystem::path output;
  std::vector<std::filesystem::path> plugin_path;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// "slotted_disk" becomes "SlottedDisk".
std::string class_name(const std::string& name) {
  std::string result;
  bool starts_word = true;
  for (const char c : name) {
    if (c != '_') {
      result += starts_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    }
    starts_word = c == '_';
  }
  return result;
}

std::string filled(const char* text, const std::string& name) {
  std::string result = text;
  replace_all(result, "@NAME@", name);
  replace_all(result, "@CLASS@", class_name(name));
  replace_all(result, "@VERSION@", KUMIKO_VERSION);
  return result;
}

/// The shipped upwind1 under another name.
std::string solver_source(const std::string& name) {
  std::string text = plugin::templates::kSolverSource;
  replace_all(text, "Upwind1", class_name(name));
  replace_all(text, "upwind1", name);
  return text;
}

void check_name(const std::string& name, bool is_taken, const char* kind) {
  refuse_if(!plugin::is_plugin_name(name),
            "'{}' cannot be the name of a {}: use small letters, digits and _, a letter first",
            name, kind);
  // Names of targets that CMake makes itself.
  constexpr std::array<std::string_view, 9> kReserved = {
      "all",     "clean",          "edit_cache",    "help", "install",
      "package", "package_source", "rebuild_cache", "test"};
  refuse_if(std::ranges::count(kReserved, name) > 0,
            "'{}' is reserved by CMake; choose another name", name);
  refuse_if(is_taken, "there is a {} '{}' already; choose another name", kind, name);
}

/// Writes a folder with the source and what is made of the templates.
int write_folder(const NewRequest& request, const std::string& source, const char* configuration,
                 const char* readme) {
  const std::string& name = request.name;
  const std::filesystem::path folder =
      request.output.empty() ? std::filesystem::path(name) : request.output;
  std::error_code error;
  refuse_if(!make_folder(folder) && !std::filesystem::is_empty(folder, error),
            "'{}' already exists; choose another folder with --output", folder.string());
  io::write_text_file(folder / (name + ".cpp"), source);
  io::write_text_file(folder / "CMakeLists.txt", filled(plugin::templates::kBuild, name));
  io::write_text_file(folder / (name + ".toml"), filled(configuration, name));
  io::write_text_file(folder / "README.md", filled(readme, name));
  print_saved("the folder is written",
              [&] { fmt::print("{}\n", (folder / "README.md").string()); });
  if (!path_leads_to_prefix()) {
    print_to_stderr(
        "kumiko: note: CMake cannot find this Kumiko through PATH; configure with: cmake -B build "
        "-D kumiko_ROOT={}\n",
        io::shell_word(prefix().string()));
  }
  return kDone;
}

int write_solver(const NewRequest& request) {
  const auto plugins = find_plugins(request.plugin_path);
  check_name(request.name, amr::find_factory(plugins->solvers(), request.name) != nullptr,
             "solver");
  return write_folder(request, solver_source(request.name), plugin::templates::kSolverConfiguration,
                      plugin::templates::kSolverReadme);
}

int write_case(const NewRequest& request) {
  const auto plugins = find_plugins(request.plugin_path);
  check_name(request.name, amr::find_factory(plugins->cases(), request.name) != nullptr, "case");
  return write_folder(request, filled(plugin::templates::kCaseSource, request.name),
                      plugin::templates::kCaseConfiguration, plugin::templates::kCaseReadme);
}

Action new_command(Options& options, int (*write)(const NewRequest&)) {
  const auto request = std::make_shared<NewRequest>();
  options.add("NAME", &request->name, "its name: small letters, digits and _",
              {.is_required = true});
  options.add("-o,--output", &request->output, "the folder (default: NAME)",
              {.check = not_empty()});
  add_plugin_path(options, request->plugin_path);
  return [request, write] { return write(*request); };
}

struct CheckRequest {
  std::filesystem::path file;  ///< of the plugin
  std::string solver;          ///< the only one to check, where not empty
  std::vector<std::string> overrides;
  bool json = false;
};

/// The solver's parameters as --set gives them, the others as it declares them.
amr::ParameterSet parameters_of(const plugin::SolverFactory& factory, const CheckRequest& request) {
  const std::string text = fmt::format(
      "[case]\nname = \"none\"\n[solver]\nname = \"{}\"\n[time]\nsteps = 1\n", factory.name);
  try {
    io::Schema schema;
    schema.add("solver", factory.parameters);
    const io::ConfigSource source =
        io::parse_config(text, request.file.string(), request.overrides);
    const io::Config config = source.check(schema);
    warn_of(source);
    return config.solver_parameters();
  } catch (const io::ConfigError& error) {
    throw RequestError(error.what());
  } catch (const std::invalid_argument& error) {
    throw RequestError("'{}': {}", request.file.string(), error.what());
  }
}

/// The solvers of the file, or the one that is named.
std::vector<plugin::SolverFactory> wanted(const CheckRequest& request,
                                          const plugin::Registry& found) {
  if (!found.broken().empty()) throw RequestError(found.broken().front().reason);
  std::vector<plugin::SolverFactory> factories = found.solvers();
  std::vector<std::string> names;
  for (const plugin::SolverFactory& factory : factories) names.push_back(factory.name);
  if (!request.solver.empty()) {
    std::erase_if(factories, [&](const auto& factory) { return factory.name != request.solver; });
  }
  if (!factories.empty()) return factories;
  throw RequestError(
      request.solver.empty()
          ? fmt::format("'{}' offers no solver, and only solvers can be checked; name the file of "
                        "a solver plugin",
                        request.file.string())
          : fmt::format("'{}' offers no solver '{}'; leave --solver out to check all{}",
                        request.file.string(), request.solver,
                        io::did_you_mean(request.solver, names)));
}

/// Writes to stdout at once. The end of main() tells of what could not be written.
void print_at_once(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// Shows the checks of a command: a line for each that ends, on a terminal also the one that runs,
/// and that one on stderr for each SIGUSR2. After hold_status_signal().
class CheckView {
 public:
  explicit CheckView(bool json) : json_(json), signal_([this](bool) { answer(); }) {}

  /// Before the checks of a solver. The observer is for them, and refers to this.
  plugin::CheckObserver begin(const plugin::SolverFactory& factory) {
    heading_ = plugin::heading(factory);
    return {[this, name = factory.name](const char* check) { begins(name, check); },
            [this](const plugin::Finding& finding) { ends(finding); }};
  }

  void end(const plugin::ConformanceReport& report) const {
    if (!json_) print_at_once(plugin::summary(report));
  }

 private:
  using Clock = std::chrono::steady_clock;

  void begins(const std::string& solver, const char* check) {
    {
      const std::lock_guard lock(mutex_);
      solver_ = solver;
      check_ = check;
      since_ = Clock::now();
    }
    // After that, so that a signal is answered as soon as there is a line.
    if (!json_) print_at_once(std::exchange(heading_, {}));
    if (shows_running_) print_to_stderr("  running  {} ...", check);
  }

  void ends(const plugin::Finding& finding) const {
    if (shows_running_) print_to_stderr("{}", terminal_.erase_line());
    if (!json_) print_at_once(plugin::to_text(finding));
  }

  /// For a SIGUSR2.
  void answer() {
    const std::lock_guard lock(mutex_);
    if (check_ == nullptr) return;
    const std::chrono::duration<double> time = Clock::now() - since_;
    print_to_stderr("{}kumiko: solver '{}', check {}: for {:.1f} s\n", shows_running_ ? "\n" : "",
                    solver_, check_, time.count());
  }

  const bool json_;
  const Terminal terminal_ = Terminal::of_stderr();
  const bool shows_running_ =
      terminal_.exists && terminal_.moves && (json_ || ::isatty(STDOUT_FILENO) != 0);

  std::string heading_;  ///< until it is printed

  std::mutex mutex_;  ///< of what follows
  std::string solver_;
  const char* check_ = nullptr;
  Clock::time_point since_;

  StatusSignal signal_;
};

int check_plugin(const CheckRequest& request) {
  require_file(request.file, "name a plugin's file");
  for (const std::string& word : request.overrides) {
    refuse_if(!word.starts_with("solver.") || word.starts_with("solver.name="),
              "--set {}: only the solver's own keys can be set; write solver.KEY=VALUE, and select "
              "the solver with --solver",
              word);
  }
  hold_status_signal();  // before the plugin may start threads
  const plugin::Registry found(std::span(&request.file, 1));
  const std::vector<plugin::SolverFactory> factories = wanted(request, found);
  CheckView view(request.json);
  bool passed = found.warnings().empty();
  for (const std::string& warning : found.warnings()) error_line(warning, kRunFailed);
  std::string json;
  for (const plugin::SolverFactory& factory : factories) {
    const amr::ParameterSet parameters = parameters_of(factory, request);
    const plugin::ConformanceReport report = plugin::check_solver(
        factory, parameters, *plugin::find_solver("semi_lagrangian_cubic"), view.begin(factory));
    view.end(report);
    passed = passed && report.passed();
    if (request.json) json += (json.empty() ? "[" : ",") + plugin::to_json(report);
  }
  if (request.json) print_at_once(json + "]\n");
  return passed ? kDone : kRunFailed;
}

}  // namespace

Action solver_list_command(Options& options) {
  return list_command(options, std::mem_fn(&plugin::Registry::solvers));
}

Action case_list_command(Options& options) {
  return list_command(options, std::mem_fn(&plugin::Registry::cases));
}

Action solver_show_command(Options& options) {
  return show_command(options, "the solver", show_solver);
}

Action case_show_command(Options& options) { return show_command(options, "the case", show_case); }

Action new_solver_command(Options& options) { return new_command(options, write_solver); }

Action new_case_command(Options& options) { return new_command(options, write_case); }

Action check_command(Options& options) {
  const auto request = std::make_shared<CheckRequest>();
  options.add("LIB.so", &request->file, "the plugin", {.is_required = true});
  options.add("--solver", &request->solver, "only the one of this name", {.check = not_empty()});
  options.add("-s,--set", &request->overrides, "solver.KEY=VALUE: a parameter of the solver",
              {.repeats = true});
  options.add("--json", &request->json, "as JSON");
  return [request] { return check_plugin(*request); };
}

}  // namespace kumiko::app
