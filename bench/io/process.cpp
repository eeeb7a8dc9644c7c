#include "process.hpp"

#include <cerrno>
#include <ctime>
#include <system_error>

#include <sys/resource.h>

namespace kumiko::bench::io {

double wall_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

CpuSeconds cpu_seconds() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {seconds(usage.ru_utime), seconds(usage.ru_stime)};
}

std::size_t raise_descriptor_limit(std::size_t needed) noexcept {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= needed) return limit.rlim_cur;
  if (limit.rlim_max < needed) {
    const rlimit more{needed, needed};
    if (setrlimit(RLIMIT_NOFILE, &more) == 0) return needed;  // the administrator may
  }
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace kumiko::bench::io
