#include "watch/process.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>

#include <fcntl.h>
#include <unistd.h>

#include <kumiko/cluster/program.hpp>

namespace kumiko::cluster {

namespace detail {

namespace {

/// The fields of /proc/PID/stat behind the program's name, which may contain anything.
struct Stat {
  char state = '?';
  long threads = 0;
  std::uint64_t start = 0;
};

Stat parsed(const char* line) noexcept {
  Stat stat;
  const char* const name_end = std::strrchr(line, ')');
  if (name_end == nullptr || name_end[1] != ' ') return stat;
  // Fields 3 (state), 20 (threads) and 22 (start time) of proc(5).
  constexpr const char* kFormat =
      " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu";
  unsigned long long start = 0;
  char state = '?';
  long threads = 0;
  // NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers
  if (std::sscanf(name_end + 1, kFormat, &state, &threads, &start) != 3) return stat;
  return {state, threads, start};
}

using StatLine = std::array<char, 1024>;

/// Returns 0, or the errno of the failure.
int read_stat(std::int32_t process, StatLine& line) noexcept {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", process);
  const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const ssize_t size = ::read(file, line.data(), line.size() - 1);
  const int error = size < 0 ? errno : 0;
  ::close(file);
  line[size < 0 ? 0 : static_cast<std::size_t>(size)] = '\0';
  return error;
}

}  // namespace

Process own_process() {
  Process process;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  process.host = host.data();
  process.machine = machine_id();
  process.id = getpid();
  StatLine line{};
  if (read_stat(process.id, line) == 0) process.start = parsed(line.data()).start;
  return process;
}

ProcessState state_of(const Process& process) noexcept {
  static const std::uint64_t machine = machine_id();
  if (!process.is_known() || machine == 0 || process.machine != machine) {
    return ProcessState::kUnseen;
  }
  StatLine line{};
  const int error = read_stat(process.id, line);
  if (error == ENOENT || error == ESRCH) return ProcessState::kGone;
  return error != 0 ? ProcessState::kUnseen : state_in(line.data(), process.start);
}

ProcessState state_in(const char* line, std::uint64_t start) noexcept {
  const Stat stat = parsed(line);
  if (stat.state == '?') return ProcessState::kUnseen;
  if (start != 0 && stat.start != start) return ProcessState::kGone;
  switch (stat.state) {
    case 'T':
      return ProcessState::kStopped;
    case 't':
      return ProcessState::kTraced;
    case 'Z':
      // If only main() has ended, the other threads of the process still run.
      return stat.threads <= 1 ? ProcessState::kZombie : ProcessState::kThere;
    case 'X':
    case 'x':
      return ProcessState::kGone;
    default:
      return ProcessState::kThere;
  }
}

std::string describe(const Process& process, ProcessState state) {
  if (!process.is_known()) return "it has not said anything yet";
  const auto word = [state] {
    switch (state) {
      case ProcessState::kUnseen:
        return "";
      case ProcessState::kThere:
        return ", there";
      case ProcessState::kStopped:
        return ", stopped";
      case ProcessState::kTraced:
        return ", held by a debugger";
      case ProcessState::kZombie:
        return ", a zombie";
      case ProcessState::kGone:
        return ", gone";
    }
    return "";
  };
  return "pid " + std::to_string(process.id) + " on host " + process.host + word();
}

}  // namespace detail

/// A process id means the same process if the kernel and the namespace of ids are the same. 0 if
/// /proc does not tell them.
std::uint64_t machine_id() {
  std::string text;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), text);
  std::array<char, 64> space{};
  detail::StatLine line{};
  if (text.empty() || readlink("/proc/self/ns/pid", space.data(), space.size() - 1) <= 0 ||
      detail::read_stat(getpid(), line) != 0) {
    return 0;
  }
  return std::hash<std::string>()(text + space.data());
}

}  // namespace kumiko::cluster
