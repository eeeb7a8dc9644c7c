// kumiko solver new and kumiko case new: writes the folder of a new solver or case to begin with.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/io/shell_word.hpp>
#include <kumiko/plugin/templates.hpp>

#include "options/commands.hpp"
#include "options/prefix.hpp"
#include "run/shared_options.hpp"
#include "terminal/named_path.hpp"
#include "terminal/saved_results.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

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
            "'{}' cannot be the name of a {}: use lower-case letters, digits and _, a letter first",
            name, kind);
  // Names of targets that CMake makes itself.
  constexpr std::array<std::string_view, 9> kReserved = {
      "all",     "clean",          "edit_cache",    "help", "install",
      "package", "package_source", "rebuild_cache", "test"};
  refuse_if(std::ranges::count(kReserved, name) > 0,
            "'{}' is reserved by CMake; choose another name", name);
  refuse_if(is_taken, "there is a {} '{}' already; choose another name", kind, name);
}

/// Writes a folder with the source and the files that are made from templates.
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
  options.add("NAME", &request->name, "its name: lower-case letters, digits and _",
              {.is_required = true});
  options.add("-o,--output", &request->output, "the folder (default: NAME)",
              {.check = not_empty()});
  add_plugin_path(options, request->plugin_path);
  return [request, write] { return write(*request); };
}

}  // namespace

Action new_solver_command(Options& options) { return new_command(options, write_solver); }

Action new_case_command(Options& options) { return new_command(options, write_case); }

}  // namespace kumiko::app
