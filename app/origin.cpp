#include "origin.hpp"

#include <array>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace kumiko::app {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

/// The first processor's model as Linux names it on x86; elsewhere the kind of machine.
std::string processor() {
  constexpr std::string_view kKey = "model name";
  std::ifstream list("/proc/cpuinfo");
  for (std::string line; std::getline(list, line);) {
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (line.starts_with(kKey) && value != line.npos) return line.substr(value);
  }
  utsname machine{};
  return ::uname(&machine) == 0 ? machine.machine : "unknown";
}

/// ISO 8601 in UTC, to the second.
std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  std::array<char, 32> text{};
  if (::gmtime_r(&now, &utc) == nullptr) return "unknown";
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

io::Origin origin_now() { return {host_name(), processor(), date(), KUMIKO_VERSION, compiler()}; }

}  // namespace kumiko::app
