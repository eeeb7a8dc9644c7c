// Finds out what the terminal behind stderr can show.
#pragma once

#include <string>
#include <utility>

#include <fmt/core.h>

#include <kumiko/io/one_line.hpp>

namespace kumiko::app {

/// Writes to stderr. A message that cannot be written is lost, because errors have no other place.
void write_to_stderr(const std::string& text) noexcept;
/// Lets write_to_stderr() and print_to_stderr() write nothing, because another rank prints. From
/// the main thread.
void set_silent(bool silent) noexcept;

template <class... Arguments>
void print_to_stderr(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_to_stderr(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Prints a warning in one line of printable characters, whatever is in the arguments.
template <class... Arguments>
void print_warning(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  print_to_stderr("kumiko: warning: {}\n",
                  io::one_line(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

struct Terminal {
  bool exists = false;  ///< else stderr is a file or a pipe
  bool utf8 = false;    ///< by LC_ALL, LC_CTYPE or LANG
  bool colour = false;  ///< unless NO_COLOR is set or TERM says dumb
  bool moves = false;   ///< whether it knows how to erase a line

  /// The terminal as it is now, by the environment.
  static Terminal of_stderr();
  /// Its columns, which change when its user resizes it; 80 if they are not known.
  static int width();

  /// The characters that erase the line and move the cursor to its beginning.
  std::string erase_line() const;
};

}  // namespace kumiko::app
