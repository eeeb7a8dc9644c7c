#include "shared_options.hpp"

#include <kumiko/amr/backend.hpp>

#include "key_reference.hpp"
#include "plugins.hpp"
#include "status.hpp"

namespace kumiko::app {

void add_case(Options& options, CaseRequest& request, const CaseRules& rules) {
  options.add("CASE.toml", &request.config, "the configuration", {.is_required = rules.needs_file});
  options.add("--set", &request.overrides, "KEY=VALUE: change a key of the configuration",
              {.repeats = true});
  if (rules.has_workers) {
    options.add("--workers", &request.workers, "OS threads that work (default: all available)",
                {.check = between(1, kMostWorkers)});
  }
  options.set_footer(key_reference);
  options.add("--summary", &request.summary, "write the figures to this JSON file too");
}

void add_backend(Options& options, std::string& backend) {
  options.add("--backend", &backend, "how patches are shared out",
              {.check = one_of(amr::backend_names())});
}

void add_repetitions(Options& options, int& repetitions, const std::string& help) {
  options.add("--repetitions", &repetitions, help, {.check = between(1, 1000)});
}

void add_output(Options& options, OutputRequest& request, const std::string& help,
                const std::string& overwrite_help) {
  options.add("--output", &request.output, help, {.check = not_empty()});
  options.add("--overwrite", &request.overwrite, overwrite_help);
}

void add_plugin_path(Options& options, std::vector<std::filesystem::path>& paths) {
  options.add("--plugin-path", &paths,
              "folder of plugins, or one plugin's file; beside those of KUMIKO_PLUGIN_PATH",
              {.repeats = true, .check = not_empty()});
}

void prepare_to_step(CaseRequest& request) {
  hold_status_signal();
  request.plugins = usable_plugins(request.plugin_path);
}

}  // namespace kumiko::app
