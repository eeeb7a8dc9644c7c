// The place of a call in the source, like std::source_location, but the same type for all
// compilers.
#pragma once

#include <cstdint>

namespace kumiko::runtime {

/// A place in the source; as a default argument, that of the caller. It replaces
/// std::source_location, which some compilers lack (clang before 16 with libstdc++). It must be the
/// same type for all compilers, because a program may be compiled by another compiler than the
/// library. Without the function's name it fits into two registers, which makes spawns faster.
class SourceLocation {
 public:
  /// The place of the call, or, as a default argument, of the call that leaves it out.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          std::uint32_t line = __builtin_LINE()) noexcept {
    SourceLocation location;
    location.file_ = file;
    location.line_ = line;
    return location;
  }

  /// The file's name as the compiler was given it. The text lives as long as the program.
  constexpr const char* file_name() const noexcept { return file_; }
  /// The line, from 1; 0 in a default-constructed location.
  constexpr std::uint_least32_t line() const noexcept { return line_; }

 private:
  const char* file_ = "";
  std::uint32_t line_ = 0;
};

}  // namespace kumiko::runtime
