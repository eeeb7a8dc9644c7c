#include "terminal/terminal.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace kumiko::app {

namespace {

constexpr int kUsualWidth = 80;

std::atomic<bool> is_silent = false;

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The first of the variables that is set decides, as in setlocale(3).
bool says_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(variable(name));
    if (value.empty()) continue;
    std::erase(value, '-');
    std::ranges::transform(value, value.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

void set_silent(bool silent) noexcept { is_silent = silent; }

void write_to_stderr(const std::string& text) noexcept {
  if (is_silent) return;
  std::fwrite(text.data(), 1, text.size(), stderr);
}

Terminal Terminal::of_stderr() {
  Terminal terminal;
  terminal.exists = isatty(STDERR_FILENO) != 0;
  const std::string_view kind = variable("TERM");
  terminal.moves = !kind.empty() && kind != "dumb";
  terminal.utf8 = says_utf8();
  // no-color.org: any value that is not empty.
  terminal.colour = terminal.moves && variable("NO_COLOR").empty();
  return terminal;
}

int Terminal::width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualWidth;
  return size.ws_col;
}

std::string Terminal::erase_line() const {
  if (moves) return "\r\x1b[K";
  return '\r' + std::string(static_cast<std::size_t>(std::max(0, width() - 1)), ' ') + '\r';
}

}  // namespace kumiko::app
