#include "terminal/programs.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kumiko/io/shell_word.hpp>

namespace kumiko::app {

namespace fs = std::filesystem;

bool is_program(const std::string& name) {
  return std::system(fmt::format("command -v {} >/dev/null 2>&1", io::shell_word(name)).c_str()) ==
         0;
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status); }

std::string last_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string last = "it printed no message";
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

ScratchFolder::ScratchFolder(const fs::path& in, const std::string& name) {
  std::string path = (fs::absolute(in) / fmt::format(".kumiko-{}-XXXXXX", name)).string();
  if (mkdtemp(path.data()) == nullptr) {
    throw std::runtime_error(
        fmt::format("cannot make '{}': {}", path, std::system_category().message(errno)));
  }
  path_ = path;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace kumiko::app
