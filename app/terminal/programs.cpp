#include "terminal/programs.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fmt/core.h>
#include <spawn.h>
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

int run_program(const std::string& command, const std::function<bool()>& is_to_end) {
  using std::chrono::milliseconds;
  const auto check = [](int error) {
    if (error != 0) throw std::system_error(error, std::generic_category(), "cannot run a shell");
  };
  posix_spawnattr_t attributes;
  check(posix_spawnattr_init(&attributes));
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const char* const words[] = {"sh", "-c", command.c_str(), nullptr};
  pid_t group = 0;
  const int error = posix_spawn(&group, "/bin/sh", nullptr, &attributes,
                                const_cast<char* const*>(words), environ);
  posix_spawnattr_destroy(&attributes);
  check(error);
  int status = 0;
  bool is_told = false;
  pid_t ended = 0;
  while ((ended = waitpid(group, &status, WNOHANG)) == 0) {
    if (!is_told && is_to_end()) is_told = ::kill(-group, SIGTERM) == 0;
    std::this_thread::sleep_for(milliseconds(10));
  }
  check(ended < 0 ? errno : 0);  // where SIGCHLD is ignored, there is no status
  // The programs that it has started may still write their files.
  for (int waited = 0; is_told && waited < 500 && ::kill(-group, 0) == 0; ++waited) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  return exit_code_of(status);
}

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
