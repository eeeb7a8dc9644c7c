#include "experiments/laboratory.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <kumiko/io/shell_word.hpp>

#include "options/prefix.hpp"
#include "terminal/programs.hpp"
#include "terminal/request.hpp"
#include "terminal/terminal.hpp"

namespace kumiko::app {

namespace {

/// Finds the package by its folder alone: neither the caller's folder nor the environment can put
/// another module of its name in front.
constexpr const char* kStart =
    "import sys\n"
    "folder, study, *rest = sys.argv[1:]\n"
    "if sys.version_info < (3, 11):\n"
    "    sys.exit('kumiko: error: ' + study + ' needs Python 3.11 or newer, and ' + sys.executable "
    "+"
    " ' is older; name another one by the environment\\'s KUMIKO_PYTHON')\n"
    "sys.path[0] = folder\n"
    "from kumiko.__main__ import main\n"
    "sys.exit(main([study, *rest]))\n";

std::string python() {
  const char* const named = std::getenv("KUMIKO_PYTHON");
  return named == nullptr || *named == '\0' ? "python3" : named;
}

std::filesystem::path package() { return prefix() / "share" / "kumiko" / "python"; }

/// Why studies cannot be started; empty where they can.
std::string fault() {
  if (!std::filesystem::exists(package() / "kumiko" / "__main__.py")) {
    return fmt::format("the folder '{}' is missing; install Kumiko again", package().string());
  }
  if (is_program(python())) return {};
  return fmt::format(
      "there is no program '{}'; install Python 3.11 or newer (Debian: python3), or name one by "
      "the "
      "environment's KUMIKO_PYTHON",
      python());
}

}  // namespace

void become_study(const std::string& study, nlohmann::ordered_json request) {
  refuse_if(!fault().empty(), "kumiko {} runs in Python: {}", study, fault());
  request["program"] = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string interpreter = python();
  const std::string folder = package().string();
  const std::string options = request.dump();
  const std::array<const char*, 7> words = {
      interpreter.c_str(), "-c", kStart, folder.c_str(), study.c_str(), options.c_str(), nullptr};
  ::execvp(interpreter.c_str(), const_cast<char* const*>(words.data()));
  throw std::system_error(errno, std::generic_category(), "cannot start " + interpreter);
}

void draw_predictions(const std::filesystem::path& folder, const std::string& name) {
  if (const std::string why = fault(); !why.empty()) {
    print_to_stderr("kumiko: note: the figures are left out: {}\n", why);
    return;
  }
  std::string command;
  for (const std::string& word :
       {python(), std::string("-c"), std::string(kStart), package().string(), std::string("draw"),
        (folder / (name + ".json")).string()}) {
    command += io::shell_word(word) + " ";
  }
  const int code = run_program(command, [] { return false; });
  if (code != kDone) print_warning("the figures were not drawn: {} ended with {}", python(), code);
}

}  // namespace kumiko::app
