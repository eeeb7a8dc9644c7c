// The command line of the examples: one whole number, or nothing.
#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace examples {

/// A program's number: its name for messages, and its range.
struct Number {
  const char* name;
  int least;
  int most;
  int fallback;  ///< unless it is given
};

/// Ends the program for --help, and for more than `most` arguments. `usage` is what follows the
/// program's name.
inline void read_usage(int argc, char** argv, int most, const char* usage) {
  const bool help = argc > 1 && (std::string_view(argv[1]) == "--help" ||  //
                                 std::string_view(argv[1]) == "-h");
  if (!help && argc - 1 <= most) return;
  if (!help) std::fprintf(stderr, "error: unexpected argument '%s'\n", argv[most + 1]);
  std::fprintf(help ? stdout : stderr, "usage: %s%s\n", argv[0], usage);
  std::exit(help ? EXIT_SUCCESS : 2);
}

/// For a program without arguments.
inline void read_arguments(int argc, char** argv) { read_usage(argc, argv, 0, ""); }

/// The number, if there is one on the command line; ends the program if it is not as it must be.
inline int read_arguments(int argc, char** argv, const Number& number) {
  char usage[100];
  std::snprintf(usage, sizeof usage, " [%s]    %s from %d to %d, %d unless told", number.name,
                number.name, number.least, number.most, number.fallback);
  read_usage(argc, argv, 1, usage);
  if (argc == 1) return number.fallback;
  const std::string_view word = argv[1];
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc{} && end == word.data() + word.size() && value >= number.least &&
      value <= number.most) {
    return value;
  }
  std::fprintf(stderr, "error: %s is '%s'; it must be a whole number from %d to %d\n", number.name,
               argv[1], number.least, number.most);
  std::exit(2);
}

}  // namespace examples
