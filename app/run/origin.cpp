#include "run/origin.hpp"

#include <ctime>
#include <fstream>
#include <string>

#include <fmt/chrono.h>
#include <sys/utsname.h>

namespace kumiko::app {

namespace {

/// The first processor's model as Linux names it on x86; elsewhere the kind of machine.
std::string processor(const utsname& machine) {
  std::ifstream list("/proc/cpuinfo");
  for (std::string line; std::getline(list, line);) {
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (line.starts_with("model name") && value != line.npos) return line.substr(value);
  }
  return machine.machine;
}

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

io::Origin origin_now() {
  utsname machine{};
  ::uname(&machine);
  // ISO 8601 in UTC, to the second.
  return {machine.nodename, processor(machine),
          fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))), KUMIKO_VERSION,
          compiler()};
}

}  // namespace kumiko::app
