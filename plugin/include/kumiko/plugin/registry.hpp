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

/// Whether a solver, a case or a parameter may have this name: lower-case letters, digits and _,
/// beginning with a letter. Such a name needs no quotes in a key, a file's name or a shell.
bool is_plugin_name(std::string_view name);

/// A shared object that is or seems to be a plugin but cannot be used.
struct BrokenPlugin {
  std::filesystem::path file;
  std::filesystem::path named;  ///< the one of the registry's paths that led to it
  std::string reason;           ///< the reason, with the file and the remedy
};

/// A shared object in a folder that is not taken for a plugin.
struct SkippedFile {
  std::filesystem::path file;
  std::string reason;  ///< a clause, such as "it is empty"
};

/// Plugins are loaded when a registry is made, from the paths that it is given and no others, and
/// stay loaded while the program runs. Solvers and cases made by it throw std::invalid_argument if
/// the plugin refuses a value, and std::runtime_error for its other exceptions, with the plugin's
/// message.
class Registry {
 public:
  /// \param paths  folders, every plugin in which is loaded, in the order of their names, and
  /// files. A shared object in a folder that does not mention the entry symbol is not a plugin and
  /// is skipped; a file that is named explicitly must be one. Plugins that cannot be used are
  /// listed in broken().
  explicit Registry(std::span<const std::filesystem::path> paths);

  /// Sorted by name; all names are different.
  const std::vector<SolverFactory>& solvers() const { return solvers_; }
  const std::vector<CaseFactory>& cases() const { return cases_; }
  const std::vector<BrokenPlugin>& broken() const { return broken_; }
  /// Shared objects in folders that were skipped, since they do not mention the entry symbol.
  const std::vector<SkippedFile>& skipped() const { return skipped_; }
  /// A line for each plugin that changed state of the whole process while it was loaded; it names
  /// the file, the change and the remedy. The change has been undone, and the plugin can be used.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void add_path(const std::filesystem::path& path);
  void add_file(const std::filesystem::path& file, const std::filesystem::path& named);

  std::vector<std::filesystem::path> seen_;
  std::vector<SolverFactory> solvers_;
  std::vector<CaseFactory> cases_;
  std::vector<BrokenPlugin> broken_;
  std::vector<SkippedFile> skipped_;
  std::vector<std::string> warnings_;
};

/// The folder of the plugins that come with Kumiko: next to this program's own folder, as in an
/// installation. If there is none, the folder kumiko/plugins in this program's run path, which
/// CMake sets for programs that link kumiko::amr.
std::filesystem::path shipped_plugins();

/// The plugins that come with Kumiko, loaded at the first call. Throws std::runtime_error if one is
/// broken or all are missing, because the installation is then incomplete.
const Registry& shipped();

/// The shipped solver or case of a name, or nullptr.
inline const SolverFactory* find_solver(std::string_view name) {
  return amr::find_factory(shipped().solvers(), name);
}
inline const CaseFactory* find_case(std::string_view name) {
  return amr::find_factory(shipped().cases(), name);
}

}  // namespace kumiko::plugin
