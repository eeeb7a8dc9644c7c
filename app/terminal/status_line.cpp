#include "terminal/status_line.hpp"

#include <algorithm>
#include <cstddef>

namespace kumiko::app {

StatusLine::~StatusLine() { clear(); }

void StatusLine::show(const std::string& line) {
  if (!terminal_.exists) return;
  const std::lock_guard lock(mutex_);
  // Writing into the last column would make some terminals begin a new line.
  const auto room = static_cast<std::size_t>(std::max(0, Terminal::width() - 1));
  print_to_stderr("{}{}", terminal_.erase_line(), line.substr(0, room));
  is_shown_ = true;
}

void StatusLine::tell(const std::string& line) {
  const std::lock_guard lock(mutex_);
  remove();
  print_to_stderr("{}\n", line);
}

void StatusLine::clear() {
  const std::lock_guard lock(mutex_);
  remove();
}

void StatusLine::remove() {
  if (is_shown_) print_to_stderr("{}", terminal_.erase_line());
  is_shown_ = false;
}

}  // namespace kumiko::app
