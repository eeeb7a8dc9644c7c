// Names the thread and the place when the process ends by a fault.
#pragma once

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

}  // namespace kumiko::runtime
