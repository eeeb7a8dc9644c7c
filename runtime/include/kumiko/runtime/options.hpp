// What the maker of a Runtime may choose: workers, stacks, idling, I/O, and aids for testing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <kumiko/runtime/policy/choosing.hpp>
#include <kumiko/runtime/policy/stealing.hpp>
#include <kumiko/runtime/policy/waiting.hpp>

namespace kumiko::runtime {

/// The stack size that Options has by default: 128 KiB, or 512 KiB where a sanitizer makes frames
/// larger.
std::size_t default_stack_size() noexcept;

using policy::IdlePolicy;

/// How the system is asked for I/O, see io/operations.hpp.
enum class IoEngine {
  kAuto,     ///< kMixed where the system allows io_uring, else kEpoll
  kIoUring,  ///< one ring per worker, for files too
  kEpoll,    ///< one epoll instance per worker, and OS threads for files
  kMixed,    ///< one epoll instance per worker, and one ring per worker for files
};

/// What a Runtime may use.
struct Options {
  /// Number of workers; 0 asks for available_cores(). More workers than cores is allowed.
  int workers = 0;
  /// Bytes that a lightweight thread may use, rounded up to pages. 64 KiB that must not be touched
  /// lie below; compile with -fstack-clash-protection if single frames may be larger than that.
  std::size_t stack_size = default_stack_size();
  /// How idle workers wait: a name, or a class of your own (policy::Waiting). Those that never
  /// sleep never report deadlocks, and cannot be traced.
  policy::AnyWaiting idle = IdlePolicy::kPressure;
  /// Whom idle workers ask for work: a class of policy::Stealing. Where none is given the
  /// environment's KUMIKO_STEALING counts (near_first or uniform), else policy::NearFirst.
  policy::AnyStealing steal = {};
  /// Which ready thread goes next: a class of policy::Choosing, policy::EventsFirst if none is
  /// given.
  policy::AnyChoosing next = {};
  /// The engine to use. Where this is kAuto the environment's KUMIKO_IO_ENGINE counts: auto,
  /// mixed, io_uring or epoll.
  IoEngine io_engine = IoEngine::kAuto;
  /// For tests: a seed other than 0 perturbs the schedule by pseudo-random decisions. Threads that
  /// become runnable are queued at random workers, thieves pause before they steal, running threads
  /// yield at polls, and searches and potential threads are divided although no worker is idle.
  /// With one worker and no threads from outside the workers, the same seed gives the same
  /// schedule. If this is 0, the environment variable KUMIKO_CHAOS_SEED is used.
  std::uint64_t chaos_seed = 0;
  /// When no thread can run and no deadline is pending for so long, stderr is told, once, which
  /// threads wait for what and where. 0 for never.
  std::chrono::milliseconds deadlock_report_after{5000};
};

}  // namespace kumiko::runtime
