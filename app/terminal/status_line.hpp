// The last line of a terminal, rewritten while lines that stay are printed above it.
#pragma once

#include <mutex>
#include <string>

#include "terminal/terminal.hpp"

namespace kumiko::app {

/// Writes to stderr, by any thread. The line is not shown where that is not a terminal.
class StatusLine {
 public:
  StatusLine() = default;
  /// Removes the line, if there is one.
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Rewrites the line, with as much of it as has room.
  void show(const std::string& line);
  /// Prints what stays, in place of the line.
  void tell(const std::string& line);
  /// Removes the line.
  void clear();

 private:
  void remove();  ///< under the mutex

  const Terminal terminal_ = Terminal::of_stderr();
  std::mutex mutex_;
  bool is_shown_ = false;  ///< guarded
};

}  // namespace kumiko::app
