#include "terminal/programs.hpp"

#include <cstdlib>

#include <fmt/core.h>

#include <kumiko/io/shell_word.hpp>

namespace kumiko::app {

bool is_program(const std::string& name) {
  return std::system(fmt::format("command -v {} >/dev/null 2>&1", io::shell_word(name)).c_str()) ==
         0;
}

}  // namespace kumiko::app
