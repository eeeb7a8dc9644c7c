// What this process has used so far.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <sys/resource.h>

namespace kumiko::bench {

inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

/// Resident memory by a line of the process's status: VmRSS, or VmHWM for the most so far.
inline std::int64_t resident_bytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::int64_t kibibytes = 0;
    words >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

}  // namespace kumiko::bench
