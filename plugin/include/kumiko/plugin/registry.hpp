// Finds solvers and cases in plugins, by name.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kumiko/amr/case.hpp>
#include <kumiko/amr/factory.hpp>
#include <kumiko/amr/solver.hpp>

namespace kumiko::plugin {

using SolverFactory = amr::Factory<amr::Solver>;
using CaseFactory = amr::Factory<amr::Case>;

/// Whether solvers, cases and their parameters may have such a name: small letters, digits and _, a
/// letter first. It can stand in a key, a file's name and a shell without quotes.
bool is_plugin_name(std::string_view name);

/// A shared object that is or seems to be a plugin and cannot be used.
struct BrokenPlugin {
  std::filesystem::path file;
  std::filesystem::path named;  ///< the one of the registry's paths that led to it
  std::string reason;           ///< names the file, and the remedy
};

/// Plugins are loaded when a registry is made, from the paths that it is given and no others, and
/// stay loaded while the program runs. What it makes throws std::invalid_argument for what a
/// plugin refuses and std::runtime_error for what else it throws, with the plugin's message.
class Registry {
 public:
  /// \param paths  folders, every plugin in which is loaded, in the order of their names, and
  /// files. A shared object in a folder that does not mention the entry symbol is not a plugin and
  /// is left alone; a file that is named must be one. What cannot be used is kept in broken().
  explicit Registry(std::span<const std::filesystem::path> paths);

  /// Sorted by name; no name comes twice.
  const std::vector<SolverFactory>& solvers() const { return solvers_; }
  const std::vector<CaseFactory>& cases() const { return cases_; }
  const std::vector<BrokenPlugin>& broken() const { return broken_; }
  /// A line for each plugin that changed something for the whole program as it was loaded; it names
  /// the file, the change and the remedy. The change has been undone, and the plugin can be used.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void add_path(const std::filesystem::path& path);
  void add_file(const std::filesystem::path& file, const std::filesystem::path& named);

  std::vector<std::filesystem::path> seen_;
  std::vector<SolverFactory> solvers_;
  std::vector<CaseFactory> cases_;
  std::vector<BrokenPlugin> broken_;
  std::vector<std::string> warnings_;
};

/// The folder of the plugins that come with Kumiko: beside this program's own folder, as it is
/// installed; where there is none, the folder kumiko/plugins of this program's run path, which
/// CMake puts there for what links kumiko::amr.
std::filesystem::path shipped_plugins();

/// The plugins that come with Kumiko, loaded at the first call. Throws std::runtime_error when one
/// is broken or all are missing: the installation is not whole.
const Registry& shipped();

/// The shipped solver or case of a name, or nullptr.
inline const SolverFactory* find_solver(std::string_view name) {
  return amr::find_factory(shipped().solvers(), name);
}
inline const CaseFactory* find_case(std::string_view name) {
  return amr::find_factory(shipped().cases(), name);
}

}  // namespace kumiko::plugin
