#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include <kumiko/io/output_folder.hpp>
#include <kumiko/plugin/templates.hpp>

#include "named_path.hpp"
#include "request.hpp"

namespace kumiko::app {

namespace {

struct NewFile {
  std::string name;
  std::string text;
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

/// Where CMake finds this Kumiko: the folder above that of the program.
std::string prefix() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path().string();
}

std::string filled(const char* text, const std::string& name) {
  std::string result = text;
  replace_all(result, "@NAME@", name);
  replace_all(result, "@CLASS@", class_name(name));
  replace_all(result, "@PREFIX@", prefix());
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
  if (!plugin::is_plugin_name(name)) {
    throw RequestError(fmt::format(
        "'{}' cannot be the name of a {}: use small letters, digits and _, a letter first", name,
        kind));
  }
  // Names of targets that CMake makes itself.
  constexpr std::array<std::string_view, 9> kReserved = {
      "all",     "clean",          "edit_cache",    "help", "install",
      "package", "package_source", "rebuild_cache", "test"};
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end()) {
    throw RequestError(fmt::format("'{}' is a word of CMake's; choose another name", name));
  }
  if (is_taken) {
    throw RequestError(fmt::format("there is a {} '{}' already; choose another name", kind, name));
  }
}

std::filesystem::path folder_of(const Request& request) {
  return request.output.empty() ? std::filesystem::path(request.name) : request.output;
}

int write_folder(const std::filesystem::path& folder, const std::vector<NewFile>& files) {
  require_writable_folder(folder);
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error)) {
    throw RequestError(
        fmt::format("'{}' is there already; choose another folder by --output", folder.string()));
  }
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw RequestError(
        fmt::format("cannot make folder '{}': {}", folder.string(), error.message()));
  }
  for (const NewFile& file : files) io::write_text_file(folder / file.name, file.text);
  fmt::print("{}\n", (folder / "README.md").string());
  return kDone;
}

}  // namespace

int new_solver_command(const Request& request) {
  const std::string& name = request.name;
  check_name(name, amr::find_entry(request.plugins->solvers(), name) != nullptr, "solver");
  return write_folder(folder_of(request),
                      {{name + ".cpp", solver_source(name)},
                       {"CMakeLists.txt", filled(plugin::templates::kBuild, name)},
                       {name + ".toml", filled(plugin::templates::kSolverConfiguration, name)},
                       {"README.md", filled(plugin::templates::kSolverReadme, name)}});
}

int new_case_command(const Request& request) {
  const std::string& name = request.name;
  check_name(name, amr::find_entry(request.plugins->cases(), name) != nullptr, "case");
  return write_folder(folder_of(request),
                      {{name + ".cpp", filled(plugin::templates::kCaseSource, name)},
                       {"CMakeLists.txt", filled(plugin::templates::kBuild, name)},
                       {name + ".toml", filled(plugin::templates::kCaseConfiguration, name)},
                       {"README.md", filled(plugin::templates::kCaseReadme, name)}});
}

}  // namespace kumiko::app
