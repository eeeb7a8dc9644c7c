// The processes that ranks are: where each is, by which name, and what has become of it.
#pragma once

#include <cstdint>
#include <string>

namespace kumiko::cluster::detail {

/// A process as its rank introduces it to the others.
struct Process {
  std::string host;
  std::uint64_t machine = 0;  ///< tells apart where a number means another process
  std::uint64_t start = 0;    ///< when it has begun, since numbers are used again
  std::int32_t id = 0;        ///< 0: not known

  bool is_known() const noexcept { return id != 0; }
};

/// What a process does, as far as one on the same machine can see it.
enum class ProcessState {
  kUnseen,  ///< it is not known, or on another machine
  kThere,
  kStopped,  ///< by a signal
  kTraced,   ///< by a debugger
  kZombie,   ///< it has ended, and nobody has asked how
  kGone
};

Process own_process();

/// Cost on the same machine: to read a file of /proc.
ProcessState state_of(const Process& process) noexcept;

/// The state that a line of /proc/PID/stat tells, of a process that began at `start`; kGone if
/// that is another one.
ProcessState state_in(const char* line, std::uint64_t start) noexcept;

/// "pid 12 on host a, stopped", for people.
std::string describe(const Process& process, ProcessState state);

}  // namespace kumiko::cluster::detail
