// Names the thread and the place when the process ends by a fault.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kumiko::runtime {

/// Installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT. On such a fault they print to
/// stderr which fault it is, the address, the worker, the lightweight thread, a backtrace, the
/// process and the host. After that, the fault has its usual effect: an earlier handler is called,
/// a core is dumped, and the exit status of the process is the signal's. Workers have their own
/// signal stacks for this, so stack overflows are reported too. If KUMIKO_ON_FAULT=gdb is set in
/// the environment, the faulting thread then waits for a debugger while the other threads continue;
/// the report names the process to attach to.
///
/// An overflow of the calling OS thread's stack is reported too, as those of workers are: it gets a
/// stack for signal handlers for good, if it has none.
///
/// `prefix` distinguishes the process from others, e.g. "rank 1"; up to 60 characters of it are
/// used. A later call changes the prefix. For any OS thread; does not suspend. Does nothing under a
/// sanitizer, which reports faults itself. \throws std::invalid_argument if KUMIKO_ON_FAULT has
/// another value
void report_faults(std::string_view prefix);

/// Sets the lines that end every later report of report_faults(), for example the files that the
/// process has loaded, or how to continue the run. They replace the lines that were set before.
/// They end with a newline; up to 2000 characters are used. Call it from one OS thread at a time. A
/// report that is written during the call may mix old and new lines.
void set_fault_advice(std::string_view lines) noexcept;
/// The lines that were set. Call it from the OS thread that sets them.
std::string_view fault_advice() noexcept;

/// Describes what the calling OS thread is doing, for report_faults(). The report has a line for
/// each FaultNote that exists on the faulting OS thread, the innermost first. Notes must be
/// destroyed in the reverse order of their construction, and the thread must not suspend while a
/// note exists. If a note that is not the innermost is destroyed, the process ends. Cost: a call
/// each for the beginning and the end.
class FaultNote {
 public:
  FaultNote(const FaultNote&) = delete;
  FaultNote& operator=(const FaultNote&) = delete;

  /// The note that began last on the calling OS thread, or null.
  static const FaultNote* innermost() noexcept;
  /// The one before it, or null.
  const FaultNote* outer() const noexcept { return outer_; }
  /// Writes the line, without a newline, from a signal handler: it must neither allocate nor lock.
  /// \return the characters written
  virtual std::size_t write(std::span<char> room) const noexcept = 0;

 protected:
  FaultNote() noexcept = default;
  ~FaultNote();

  /// Begins the note: last in the constructor of a final class, when all that it writes is there.
  void begin() noexcept;

 private:
  const FaultNote* outer_ = this;  ///< itself until begin()
};

/// The lines of the calling OS thread's notes, the innermost first, each with a newline. Not for
/// signal handlers.
std::string fault_notes();

}  // namespace kumiko::runtime
