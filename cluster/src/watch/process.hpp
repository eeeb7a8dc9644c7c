// The processes of ranks: their names, places and states.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include <kumiko/cluster/described.hpp>

namespace kumiko::cluster::detail {

/// The identity of a process, which its rank sends to the others.
struct Process {
  std::string host;
  std::uint64_t machine = 0;  ///< differs if the same id means another process
  std::uint64_t start = 0;    ///< its start time, because ids are used again
  std::int32_t id = 0;        ///< 0 if it is not known

  bool is_known() const noexcept { return id != 0; }
};
constexpr auto described(std::type_identity<Process>) {
  using P = Process;
  return std::tuple(Item<&P::host>{}, Item<&P::machine>{}, Item<&P::start>{}, Item<&P::id>{});
}

/// The state of a process, as far as a process on the same machine can see it.
enum class ProcessState {
  kUnseen,  ///< it is not known, or on another machine
  kThere,
  kStopped,  ///< by a signal
  kTraced,   ///< by a debugger
  kZombie,   ///< it has ended, and its parent has not waited for it
  kGone
};

Process own_process();

/// Cost on the same machine: to read a file of /proc.
ProcessState state_of(const Process& process) noexcept;

/// The state in a line of /proc/PID/stat of the process that began at `start`; kGone if the line is
/// of another process.
ProcessState state_in(const char* line, std::uint64_t start) noexcept;

/// "pid 12 on host a, stopped", for people.
std::string describe(const Process& process, ProcessState state);

}  // namespace kumiko::cluster::detail
