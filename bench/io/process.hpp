// What a benchmark asks of its process: clocks, processor time, descriptors.
#pragma once

#include <cstddef>
#include <string>

namespace kumiko::bench::io {

/// Seconds of a clock that all processes share.
double wall_seconds() noexcept;

/// What this process has used of the processors so far, in its own code and in the system's.
struct CpuSeconds {
  double user;
  double system;
};
CpuSeconds cpu_seconds() noexcept;

/// Makes at least `needed` descriptors available if that is allowed, and else as many as are.
/// \returns how many are available.
std::size_t raise_descriptor_limit(std::size_t needed) noexcept;

/// \throws std::system_error with errno.
[[noreturn]] void throw_errno(const std::string& what);

}  // namespace kumiko::bench::io
