#pragma once

#include <csignal>

namespace kumiko::pthread {

// Asynchronous signals are handled by the program's OS threads, the main one as a rule: a handler
// on a worker could interrupt the scheduler. So workers block them, all but those that a thread
// brings upon itself. A lightweight thread's mask is what it says it is; the kernel learns of it
// only where it matters, when a process is made.

/// Blocks what workers block, while it lives: for the creation of OS threads.
class AsWorker {
 public:
  AsWorker() noexcept;
  ~AsWorker();
  AsWorker(const AsWorker&) = delete;
  AsWorker& operator=(const AsWorker&) = delete;

 private:
  sigset_t before_;
};

/// Gives the worker the mask of the lightweight thread that it runs, while it lives: for what a new
/// process inherits. The thread must not wait meanwhile. Nothing on an OS thread.
class WithOwnMask {
 public:
  WithOwnMask() noexcept;
  ~WithOwnMask();
  WithOwnMask(const WithOwnMask&) = delete;
  WithOwnMask& operator=(const WithOwnMask&) = delete;

 private:
  const bool active_;
  sigset_t before_;
};

/// raise() by a lightweight thread: a handler runs in it.
int raise_here(int signal) noexcept;

}  // namespace kumiko::pthread
