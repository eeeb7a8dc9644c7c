// Declares the options that several commands share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "options/options.hpp"
#include "run/setup.hpp"

namespace kumiko::app {

/// Workers that can be asked for.
inline constexpr int kMostWorkers = 4096;

/// The options of every command that steps a case.
struct CaseRequest : SetupRequest {
  std::filesystem::path summary;
  std::vector<std::filesystem::path> plugin_path;
  bool quiet = false;
};

/// The options of a command that writes files.
struct OutputRequest {
  std::filesystem::path output;
  bool overwrite = false;
};

/// The options of a case that a command takes in another way than others.
struct CaseRules {
  bool needs_file = true;   ///< it needs CASE.toml
  bool has_workers = true;  ///< it takes --workers, and one number of them
  bool has_results = true;  ///< it takes --summary and --quiet
};

/// Declares CASE.toml, --set, --workers, --help-keys, --summary, --quiet and --plugin-path.
void add_case(Options& options, CaseRequest& request, const CaseRules& rules = {});
/// Declares --quiet, which means the same for all commands: no progress, and neither results nor
/// names of files on stdout. Warnings and errors are still printed, and the JSON of --summary -.
void add_quiet(Options& options, bool& quiet);
void add_backend(Options& options, std::string& backend);
/// Declares --output and --overwrite.
void add_output(Options& options, OutputRequest& request, const std::string& help,
                const std::string& overwrite_help);
void add_plugin_path(Options& options, std::vector<std::filesystem::path>& paths);

/// The plugins that come with Kumiko, those of KUMIKO_PLUGIN_PATH (folders and files, parted by
/// ':'), and those of `paths`, in this order. Broken ones are in broken().
std::shared_ptr<const plugin::Registry> find_plugins(
    const std::vector<std::filesystem::path>& paths);

/// Prints a warning for each plugin that changed something as it was loaded, and for each broken
/// one that only the environment names, because a stale file there must not stop other work.
/// \param paths  that the request names
/// \return the other broken ones
std::vector<plugin::BrokenPlugin> tell_of_plugins(const plugin::Registry& plugins,
                                                  const std::vector<std::filesystem::path>& paths);

/// The keys of parameters as --help-keys lists them; empty if they cannot be declared.
/// \param kind  "solver" or "case"
std::string describe_parameters(const char* kind,
                                const std::vector<amr::ParameterSpec>& parameters);

/// Keeps SIGUSR2 for a Progress, and finds the request's plugins. A command that steps calls it
/// first: plugins may start threads. Throws RequestError when a plugin that comes with Kumiko or
/// that --plugin-path names is broken.
void prepare_to_step(CaseRequest& request);

}  // namespace kumiko::app
