#include "options/prefix.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <system_error>

namespace kumiko::app {

namespace fs = std::filesystem;

fs::path prefix() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path(); }

fs::path installed_configuration(const fs::path& named) {
  const fs::path cases = prefix() / "share" / "kumiko" / "cases";
  const auto above = std::find(named.begin(), named.end(), "cases");
  fs::path below;
  for (auto part = above; part != named.end(); ++part) {
    if (part != above) below /= *part;
  }
  const std::string name = named.stem().string();
  for (const fs::path& file : {cases / below, cases / named, cases / name / (name + ".toml")}) {
    std::error_code hidden;
    if (fs::is_regular_file(file, hidden)) return file;
  }
  return {};
}

bool path_leads_to_prefix() {
  // Either leads CMake elsewhere before PATH does.
  for (const char* name : {"kumiko_ROOT", "CMAKE_PREFIX_PATH"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  const char* const variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "" : variable);
  const fs::path own = prefix();
  std::error_code missing;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder) / "kumiko";
    if (!fs::exists(program, missing)) continue;
    // CMake looks in the folder above one that is called bin. It does not follow a link to a
    // program.
    const fs::path above = program.parent_path();
    return above.filename() == "bin" && fs::equivalent(above.parent_path(), own, missing);
  }
  return false;
}

}  // namespace kumiko::app
