// Names the thread and the place when the process ends by a fault.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kumiko::runtime {

/// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT have stderr told which fault it is, at
/// which address, on which worker and in which lightweight thread, with a backtrace, process and
/// host. Then happens what would have happened without: a handler that was there is called, a core
/// dumped, the status of the process is the signal's. Workers have stacks of their own for this,
/// so that also an overflow is told of. With KUMIKO_ON_FAULT=gdb in the environment the faulting
/// thread then waits for a debugger, the others go on; which process to attach to is told.
///
/// `prefix` names the process among others, e.g. "rank 1"; up to 60 characters of it are used. A
/// later call changes it. For any OS thread; does not suspend. Does nothing under a sanitizer,
/// which reports faults itself. \throws std::invalid_argument for another KUMIKO_ON_FAULT
void report_faults(std::string_view prefix);

/// Lines that end every later report of report_faults(), in place of those before: which files the
/// process had loaded, where a run can be continued. They end with a newline; up to 2000 characters
/// are used. For one OS thread at a time; a report that is being written meanwhile may mix the two.
void set_fault_advice(std::string_view lines) noexcept;
/// The lines that were set; for the same OS thread.
std::string_view fault_advice() noexcept;

/// Says what the calling OS thread is doing, for report_faults(): the report has a line for each
/// FaultNote that exists on the faulting OS thread, the innermost first. Notes end in the reverse
/// order of their beginning, and the thread does not suspend meanwhile: the process ends where one
/// that is not the innermost ends. Cost: a call each for the beginning and the end.
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
