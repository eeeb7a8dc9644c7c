#include "terminal/saved_results.hpp"

#include <csignal>
#include <cstdio>
#include <system_error>

#include <stdio_ext.h>

#include "terminal/terminal.hpp"

namespace kumiko::app {

void print_saved(const std::string& saved, const std::function<void()>& print) {
  std::signal(SIGPIPE, SIG_IGN);
  bool is_shown = false;
  try {
    print();
    is_shown = std::fflush(stdout) == 0;
  } catch (const std::system_error&) {
    // Of a buffer that was full before the end.
  }
  if (is_shown) return;
  print_warning("cannot write to stdout; {}", saved);
  __fpurge(stdout);
  std::clearerr(stdout);
}

}  // namespace kumiko::app
