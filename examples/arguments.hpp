// Reads the command line of the examples: whole numbers, or nothing.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
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

/// The numbers on the command line, in this order, those that are not given by their fallback; ends
/// the program if one is not as it must be.
template <std::size_t N>
std::array<int, N> read_arguments(int argc, char** argv, const Number (&numbers)[N]) {
  std::string usage;
  for (const Number& number : numbers) usage += std::string(" [") + number.name + "]";
  const char* separator = "    ";
  for (const Number& number : numbers) {
    char text[100];
    std::snprintf(text, sizeof text, "%s%s from %d to %d, %d unless told", separator, number.name,
                  number.least, number.most, number.fallback);
    usage += text;
    separator = "; ";
  }
  read_usage(argc, argv, static_cast<int>(N), usage.c_str());
  std::array<int, N> values{};
  for (std::size_t i = 0; i < N; ++i) {
    values[i] = numbers[i].fallback;
    if (static_cast<int>(i) + 1 >= argc) continue;
    const std::string_view word = argv[i + 1];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), values[i]);
    if (error == std::errc{} && end == word.data() + word.size() && values[i] >= numbers[i].least &&
        values[i] <= numbers[i].most) {
      continue;
    }
    std::fprintf(stderr, "error: %s is '%s'; it must be a whole number from %d to %d\n",
                 numbers[i].name, argv[i + 1], numbers[i].least, numbers[i].most);
    std::exit(2);
  }
  return values;
}

/// Reads the only number of a command line.
inline int read_arguments(int argc, char** argv, const Number& number) {
  const Number numbers[] = {number};
  return read_arguments(argc, argv, numbers)[0];
}

}  // namespace examples
