#pragma once

#include <cstdint>
#include <version>

#if defined(__cpp_lib_source_location)
#include <source_location>
#endif

namespace kumiko::runtime {

#if defined(__cpp_lib_source_location)

/// A place in the source; taken as a default argument, the caller's.
using SourceLocation = std::source_location;

#else

/// A place in the source; taken as a default argument, the caller's. As std::source_location, for
/// compilers that lack that (clang before 16 with libstdc++).
class SourceLocation {
 public:
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          std::uint32_t line = __builtin_LINE(),
                                          const char* function = __builtin_FUNCTION()) noexcept {
    SourceLocation location;
    location.file_ = file;
    location.function_ = function;
    location.line_ = line;
    return location;
  }

  constexpr const char* file_name() const noexcept { return file_; }
  constexpr const char* function_name() const noexcept { return function_; }
  constexpr std::uint_least32_t line() const noexcept { return line_; }

 private:
  const char* file_ = "";
  const char* function_ = "";
  std::uint32_t line_ = 0;
};

#endif

}  // namespace kumiko::runtime
